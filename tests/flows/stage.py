"""What the flows play on: real stores with a clock that stands, and the app on them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from io import StringIO
from itertools import takewhile
from pathlib import Path
from shutil import rmtree
from typing import Any, Protocol, TypedDict, TypeVar, Unpack, cast
from weakref import WeakKeyDictionary

from rich.console import Console
from textual import events
from textual.app import App
from textual.events import Key
from textual.keys import key_to_character
from textual.message_pump import MessagePump
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input, TextArea
from textual.worker import WorkerError

from memtui.editing.editor import RunEditor
from memtui.tui.app import MemtuiApp, OpenMemory
from memtui.tui.browse.panes import Panes
from memtui.tui.browse.results import ResultList
from memtui.tui.browse.screen import BrowseScreen
from memtui.tui.browse.search_box import SearchBar
from memtui.tui.frame.route import Route
from store import Memory, Observation, open_memory
from store.store_state import StoreState

T = TypeVar("T", covariant=True)

NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
PLACE = ".agentx/memory"

NARROW = (80, 24)
NORMAL = (120, 36)
WIDE = (200, 50)

SIZES = (NORMAL, NARROW)
ALL_SIZES = (NORMAL, NARROW, WIDE)

TOLD: WeakKeyDictionary[App[Any], list[str]] = WeakKeyDictionary()
"""What each app told in passing: the title and the text of its toasts."""

Size = tuple[int, int]


class Looks(Protocol):
    def __call__(
        self, pilot: Pilot[None], name: str = "", sizes: Sequence[Size] = (), /
    ) -> Awaitable[bool]:
        """Whether an app looks as in the picture of this name, or that of the test; in each of
        some sizes, else in the one it has.
        """


def open_at(path: Path, cache: str = "cache") -> Memory:
    """The memory in `path`, its index beside it, at the time of the flows."""
    return open_memory(path, cache=path.parent / cache, clock=lambda: NOW)


def fill(path: Path, observations: Sequence[Observation]) -> Path:
    """A store with these observations, which were there before anything was done to them."""
    with open_at(path) as memory:
        memory.store(observations)
    rmtree(path / "operations", ignore_errors=True)
    return path


class Options(TypedDict, total=False):
    """What the app is started with, beside the usual."""

    opening: Callable[[Path], Memory]
    place: str
    theme: str
    refresh_every: float
    run_editor: RunEditor
    opens: Route[None]
    can_go_back: bool


def app_on(path: Path, **options: Unpack[Options]) -> MemtuiApp:
    """The app on a store; it looks at the files only when asked."""
    return MemtuiApp(
        path,
        place=options.get("place", PLACE),
        open_memory=cast("OpenMemory", options.get("opening", open_at)),
        now=lambda: NOW,
        refresh_every=options.get("refresh_every", 0),
        theme=options.get("theme", "memtui"),
        run_editor=options.get("run_editor"),
        opens=options.get("opens"),
        can_go_back=options.get("can_go_back", False),
    )


@asynccontextmanager
async def running(
    path: Path, *, size: Size = NORMAL, **options: Unpack[Options]
) -> AsyncIterator[Pilot[None]]:
    """The app on a store, once memory is open."""
    app = app_on(path, **options)
    async with app.run_test(size=size, tooltips=True, notifications=True) as pilot:
        await settled(pilot)
        yield pilot


class Opening:
    """Opens a memory and remembers it, so that a flow can make it fail."""

    memory: Memory

    def __call__(self, path: Path) -> Memory:
        self.memory = open_at(path)
        return self.memory


def swap(part: object, name: str, by: object) -> None:
    """Have a memory, or a service of it, do something else."""
    setattr(part, name, by)


def told(change: Callable[[StoreState], StoreState]) -> Callable[[Path], Memory]:
    """Opens a memory whose state is changed by `change`."""

    def opening(path: Path) -> Memory:
        memory = open_at(path)
        said = change(memory.state())
        swap(memory, "state", lambda: said)
        return memory

    return opening


_ROUNDS = 2  # what a worker delivers may start another
_MOST_ESCAPES = 5  # out of a box, a dialog, a screen or two
_BREATH = 0.002  # seconds left to threads and timers that are still waited for
_DRAWN: set[type[Screen[object]]] = set()
"""The screens that drew themselves part by part; how they look is for the pictures to tell."""


async def settled(pilot: Pilot[None]) -> None:
    """Wait until every key and question is answered and no message waits.

    Counted in rounds of the loop, not in time: a busy machine has the same ones.
    """
    app = cast(MemtuiApp, pilot.app)
    quiet = 0
    while quiet < _ROUNDS and app.return_code is None:  # an app that crashed settles no more
        with suppress(WorkerError):  # one that a newer one replaced
            await app.workers.wait_for_complete()
        await frame(app)
        busy = (
            len(app.workers)
            or any(node.message_queue_size for node in _nodes(app))
            or any(map(_is_frame_due, app.screen_stack))
        )
        quiet = quiet + 1 if app.are_keys_handled and not busy else 0
        if not quiet:
            await asyncio.sleep(_BREATH)
    if type(app.screen) not in _DRAWN:
        _DRAWN.add(type(app.screen))
        draw(app.screen)


async def frame(app: App[Any]) -> None:
    """Run what waits for the loop, and draw each screen that is due."""
    await _nothing_to_run()
    for screen in app.screen_stack:
        if _is_frame_due(screen):
            screen._on_timer_update()
    await _nothing_to_run()


def _is_frame_due(screen: Screen[object]) -> bool:
    """Whether Textual would draw a screen, covered or not; to draw a covered one that has nothing
    new would have it draw all of the one above again.
    """
    timer: Any = screen._update_timer
    return bool(timer._active.is_set())


async def _nothing_to_run() -> None:
    """Wait until the loop has nothing to run but us.

    `Pilot.pause` asks every widget instead, by a message each: half of what a flow did.
    """
    ready = asyncio.get_running_loop()._ready  # type: ignore[attr-defined]
    await asyncio.sleep(0)
    while ready:
        await asyncio.sleep(0)


def _nodes(app: MemtuiApp) -> Iterator[MessagePump]:
    yield app
    for screen in app.screen_stack:
        yield screen
        yield from screen.walk_children()


def draw(screen: Screen[object]) -> None:
    """Have each part of a screen draw itself."""
    for widget in screen.walk_children(Widget):
        widget.render_lines(widget.size.region)


async def press(pilot: Pilot[None], *keys: str) -> None:
    """Press keys, each when everything that the one before led to is done.

    What is typed into a box comes at once, and so does a key that is pressed again and again: as
    from a person, and what nobody waits to see is not drawn. Enter waits for what it chose.
    """
    rest = list(keys)
    while rest:
        is_typed = isinstance(pilot.app.focused, Input | TextArea) and _is_letter(rest[0])
        same = list(takewhile(_is_letter if is_typed else rest[0].__eq__, rest))
        at_once = 1 if rest[0] == "enter" else len(same)
        await burst(pilot, *rest[:at_once])
        del rest[:at_once]


async def burst(pilot: Pilot[None], *keys: str) -> None:
    """Press keys all at once, then wait until everything they led to is done."""
    send(pilot, *keys)
    await settled(pilot)


def send(pilot: Pilot[None], *keys: str) -> None:
    """Press keys all at once, and wait for nothing."""
    for key in keys:
        pilot.app.post_message(Key(key, _letter(key) or None))


async def until_shown(pilot: Pilot[None], words: str) -> None:
    """Wait until the calm sentence of a screen says this."""
    for _ in range(1_000):
        shown = [str(each.render()) for each in pilot.app.screen.query("#empty-words")]
        if any(words in text for text in shown):
            return
        await asyncio.sleep(0.005)
    raise AssertionError(f"{words!r} was never shown")


def screen_text(pilot: Pilot[None]) -> str:
    """All that would be sent to the terminal as text."""
    app = pilot.app
    console = Console(width=app.size.width, file=StringIO(), record=True, legacy_windows=False)
    console.print(app.screen._compositor.render_update(True, app._background_screens))
    return console.export_text()


_LETTERS = {"slash": "/", "colon": ":", "space": " "}


def _letter(key: str) -> str:
    """What a key writes; empty where it writes nothing."""
    return _LETTERS.get(key, key_to_character(key) or "")


def _is_letter(key: str) -> bool:
    letter = _letter(key)
    return bool(letter) and letter.isprintable()


async def write(pilot: Pilot[None], text: str) -> None:
    """Put a query into the search box at once, as pasting does."""
    if not isinstance(pilot.app.focused, SearchBar):
        await press(pilot, "slash")
    pilot.app.post_message(events.Paste(text))
    await settled(pilot)


def browse(pilot: Pilot[None]) -> BrowseScreen:
    return next(s for s in pilot.app.screen_stack if isinstance(s, BrowseScreen))


def rows(pilot: Pilot[None]) -> ResultList:
    return browse(pilot).query_one(ResultList)


async def go_home(pilot: Pilot[None]) -> None:
    """Leave whatever lies over the home screen."""
    for _ in range(_MOST_ESCAPES):
        if at_home(pilot):
            return
        await press(pilot, "escape")
    raise AssertionError(f"Esc does not lead home from {pilot.app.screen}")


async def begin_again(pilot: Pilot[None]) -> None:
    """Bring an app whose memory is as it was back to what it first showed."""
    while not at_home(pilot):
        await pilot.app.pop_screen()
    home = browse(pilot)
    if pilot.app.size != NORMAL:
        await pilot.resize_terminal(*NORMAL)
    results = home.query_one(ResultList)
    home.set_query("")
    results.select(())
    home.query_one(Panes).zoomed = None
    home.set_focus(results)
    await settled(pilot)
    await press(pilot, "g")
    pilot.app.clear_notifications()
    assert (home.query_line, results.cursor, results.has_focus) == ("", 0, True)


def at_home(pilot: Pilot[None]) -> bool:
    """Whether nothing lies over the home screen."""
    return pilot.app.screen is browse(pilot)


class HasCursor(Protocol[T]):
    @property
    def at(self) -> T | None: ...


def under_cursor(rows: HasCursor[T]) -> T:
    row = rows.at
    assert row is not None
    return row
