"""Keys that come faster than they are dealt with: each lands where the one before leads to."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import cast

import pytest
from textual.app import ComposeResult
from textual.events import Key
from textual.pilot import Pilot
from textual.screen import ModalScreen
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Input

from memtui.tui.frame import type_ahead
from memtui.tui.frame.type_ahead import TypeAhead


class Box(Widget, can_focus=True):
    """Notes the keys that it gets, and does something about each."""

    def __init__(self, id: str) -> None:
        super().__init__(id=id)
        self.got: list[str] = []

    async def on_key(self, event: Key) -> None:
        self.got.append(event.key)
        await self.act()

    async def act(self) -> None:
        """What follows a key."""


class Slow(Box):
    """Takes a while over a key, then hands the focus on."""

    def __init__(self, id: str) -> None:
        super().__init__(id=id)
        self.done = asyncio.Event()

    async def act(self) -> None:
        await self.done.wait()
        self.app.query_one("#next").focus()


class Going(Box):
    """Leaves with the first key, and hands the focus on."""

    async def act(self) -> None:
        self.app.query_one("#next").focus()
        self.remove()


class EditorWindow(TypeAhead):
    """Two boxes; tells when it has looked three times after a key."""

    def __init__(self, first: Box) -> None:
        super().__init__()
        self._first = first
        self.looked = asyncio.Event()
        self._looks = 0

    def compose(self) -> ComposeResult:
        yield self._first
        yield Box(id="next")

    def set_timer(self, delay: float, callback: Callable[[], object] | None = None) -> Timer:  # type: ignore[override]
        self._looks += 1
        if self._looks >= 3:
            self.looked.set()
        return super().set_timer(delay, callback)


def hurry(desk: EditorWindow, *keys: str) -> None:
    for key in keys:
        desk.post_message(Key(key, key))


async def focused(pilot: Pilot[None]) -> None:
    """Wait until a box has the focus that was given to it."""
    while not isinstance(pilot.app.focused, Box):
        await pilot.pause(0)


async def dealt_with(pilot: Pilot[None]) -> None:
    await pilot.pause(0)
    while not cast(EditorWindow, pilot.app).are_keys_handled:
        await pilot.pause(0)


async def test_the_next_key_waits_for_a_slow_widget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type_ahead, "_PATIENCE", 0.001)
    slow = Slow(id="slow")
    desk = EditorWindow(slow)
    async with desk.run_test() as pilot:
        slow.focus()
        await focused(pilot)
        hurry(desk, "a", "b")
        await desk.looked.wait()
        assert slow.got == ["a"]
        assert not desk.are_keys_handled
        slow.done.set()
        await dealt_with(pilot)
        assert desk.query_one("#next", Box).got == ["b"]


async def test_a_widget_that_stays_stuck_does_not_keep_the_keyboard(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(type_ahead, "_PATIENCE", 0.001)
    monkeypatch.setattr(type_ahead, "_STUCK", 0.0)
    slow = Slow(id="slow")
    desk = EditorWindow(slow)
    async with desk.run_test() as pilot:
        slow.focus()
        await focused(pilot)
        following = desk.query_one("#next", Box)
        hurry(desk, "a")
        while slow.got != ["a"]:
            await asyncio.sleep(0)
        following.focus()
        while desk.focused is not following:
            await asyncio.sleep(0)
        hurry(desk, "b")
        while following.got != ["b"]:
            await asyncio.sleep(0)
        slow.done.set()
        await dealt_with(pilot)


async def test_a_widget_that_is_gone_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type_ahead, "_PATIENCE", 0.001)
    going = Going(id="going")
    desk = EditorWindow(going)
    async with desk.run_test() as pilot:
        going.focus()
        await focused(pilot)
        hurry(desk, "a", "b")
        await dealt_with(pilot)
        assert going.got == ["a"]
        assert desk.query_one("#next", Box).got == ["b"]


@pytest.mark.parametrize(
    "holding", [partial(TypeAhead.keys_held, however_long=True), TypeAhead.ignore_keys_briefly]
)
@pytest.mark.parametrize("window", [None, ModalScreen])
async def test_leaving_waits_for_nothing(
    holding: Callable[[TypeAhead], object], window: type[ModalScreen[None]] | None
) -> None:
    desk = EditorWindow(Box(id="first"))
    async with desk.run_test() as pilot:
        if window is not None:
            await desk.push_screen(window())
        holding(desk)
        hurry(desk, "a", "ctrl+q")
        await pilot.pause(0)
        assert not desk.is_running


class Typing(TypeAhead):
    """A box to type in, and what it said."""

    def __init__(self, restrict: str | None = None) -> None:
        super().__init__()
        self._restrict = restrict
        self.said: list[str] = []

    def compose(self) -> ComposeResult:
        yield Input(restrict=self._restrict)

    def on_input_changed(self, event: Input.Changed) -> None:
        self.said.append(event.value)


async def typed(app: Typing, *keys: str) -> list[str]:
    async with app.run_test() as pilot:
        while not isinstance(app.focused, Input):
            await pilot.pause(0)
        for key in keys:
            app.post_message(Key(key, key if len(key) == 1 else None))
        await pilot.pause(0)
        while not app.are_keys_handled:
            await pilot.pause(0)
        await pilot.pause(0)
        return app.said


async def test_letters_in_a_row_are_one_change() -> None:
    assert await typed(Typing(), *"lock", "backspace", *"g 1") == ["lock", "loc", "locg 1"]


async def test_a_box_that_refuses_letters_is_asked_for_each() -> None:
    assert (await typed(Typing(restrict="[0-9]*"), *"1a2"))[-1] == "12"


async def test_keys_that_nobody_keeps_up_with_are_let_go() -> None:
    first = Slow("first")
    app = EditorWindow(first)
    async with app.run_test() as pilot:
        first.focus()
        await pilot.pause(0)
        for number in range(3_000):
            app.post_message(Key("j" if number < 1_000 else f"f{number % 20 + 1}", None))
        await pilot.pause(0)
        assert len(app._waiting) <= type_ahead._MOST
        assert [it.key for it in app._waiting].count("j") <= type_ahead._REPEATS
        first.done.set()
        await dealt_with(pilot)
