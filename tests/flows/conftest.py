"""Stores that several flows look at and none changes."""

from __future__ import annotations

import gc
from collections.abc import AsyncIterator, Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from rich.console import RenderableType
from syrupy.assertion import SnapshotAssertion
from textual._compositor import Compositor
from textual.app import App
from textual.notifications import Notification
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widget import Widget

from memtui.sample import sample_observations
from memtui.settings import programs
from store import Observation
from tests.flows.pictures import Pictures, drawn, same_as
from tests.flows.stage import (
    NOW,
    TOLD,
    Looks,
    Size,
    begin_again,
    fill,
    open_at,
    running,
)
from tests.flows.styles import match_once, parse_once

_LONG = 3600.0
"""Seconds; longer than all flows take."""


@pytest.fixture(scope="session", autouse=True)
def _styles_found_once() -> Iterator[None]:
    """What one app finds out of its style sheets is taken by all after it."""
    with pytest.MonkeyPatch.context() as patch:
        parse_once(patch)
        match_once(patch)
        yield


@pytest.fixture(scope="session", autouse=True)
def _no_focus_at_the_end() -> Iterator[None]:
    """While an app closes, no other widget gets the focus of the one that goes, and none is styled
    for it: a tenth of what starting an app and closing it takes.
    """
    pass_on = Screen._reset_focus

    def while_it_runs(
        self: Screen[object], widget: Widget, avoiding: list[Widget] | None = None
    ) -> None:
        if self.app.is_running:
            pass_on(self, widget, avoiding)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Screen, "_reset_focus", while_it_runs)
        yield


@pytest.fixture(scope="session", autouse=True)
def _no_clock() -> Iterator[None]:
    """What follows a query a moment later follows at once, since only a person types meanwhile; and
    nothing is given up or told because it takes long, as it may on a busy machine.
    """
    with pytest.MonkeyPatch.context() as patch:
        for pause in ("browse.panes._PAUSE", "dialogs.choice_picker._PAUSE"):
            patch.setattr(f"memtui.tui.{pause}", 0.0)
        for patience in (
            "operations._PATIENCE",
            "frame.type_ahead._HELD",
            "frame.type_ahead._STUCK",
        ):
            patch.setattr(f"memtui.tui.{patience}", _LONG)
        patch.setattr("memtui.hooks.surroundings._PATIENCE", _LONG)
        yield


@pytest.fixture(scope="session", autouse=True)
def _garbage_as_in_other_tests() -> Iterator[None]:
    """An app that starts has garbage looked for ten times as often, in all tests after it too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("memtui.tui.app._GARBAGE", gc.get_threshold()[0])
        yield


@pytest.fixture(scope="session", autouse=True)
def _drawn_when_looked_at() -> Iterator[None]:
    """The screen is drawn for a picture; a flow itself has each screen drawn once, when settled.

    How many frames lie between depends on how busy the machine is, and nobody sees them.
    """
    # The public `App.batch_update` would hold back the layout too, which flows ask about.
    draw = Compositor.render_update

    def asked_for(
        self: Compositor,
        full: bool = False,
        screen_stack: list[Screen[object]] | None = None,
        simplify: bool = False,
    ) -> RenderableType | None:
        return draw(self, full, screen_stack, simplify) if full else None

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Compositor, "render_update", asked_for)
        yield


@pytest.fixture(scope="session", autouse=True)
def _toasts_that_stay() -> Iterator[None]:
    """A toast is seen until another takes its place, however long the machine needs to draw it;
    what it says is noted, shown or not.
    """
    notify, clear = App.notify, App.clear_notifications

    def noted(self: App[Any], message: str, *, title: str = "", **how: Any) -> None:  # noqa: ANN401
        TOLD.setdefault(self, []).append(f"{title} {message}".strip())
        notify(self, message, title=title, **how)

    def cleared(self: App[Any]) -> None:
        TOLD.pop(self, None)
        clear(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(App, "notify", noted)
        patch.setattr(App, "clear_notifications", cleared)
        patch.setattr(Notification, "time_left", property(lambda self: _LONG))
        yield


@pytest.fixture
def looks(snapshot: SnapshotAssertion, request: pytest.FixtureRequest, tmp_path: Path) -> Looks:
    """Compares a running app with its pictures."""
    kept = snapshot.use_extension(Pictures)

    async def as_kept(pilot: Pilot[None], name: str = "", sizes: Sequence[Size] = (), /) -> bool:
        name = f"test_{name}" if name else request.node.name
        return same_as(kept, name, await drawn(pilot, sizes), tmp_path)

    return as_kept


@pytest.fixture(scope="session", autouse=True)
def _no_agents_at_hand() -> Iterator[None]:
    """Whether agents are installed where the flows run changes no picture."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(programs, "which", lambda _: None)
        yield


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's store."""
    told = sample_observations(NOW)
    active = [each._replace(archived=False) for each in told]
    path = fill(tmp_path_factory.mktemp("sample") / "memory", active)
    with open_at(path) as memory:
        memory.apply(memory.plan.archive([each.id for each in told if each.archived]))
    return path


@pytest.fixture(scope="session")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Forty agents, some with long names, over three hundred observations."""
    observations = [
        Observation(
            agent=f"agent-{number % 40:02}" + ("-of-the-payments-team" if number % 3 else ""),
            issue_number=number % 25,
            category="key-fact",
            content=f"Fact {number} about the queue.",
            id=f"obs-{number:04}",
            timestamp=NOW - timedelta(hours=number),
        )
        for number in range(350)
    ]
    return fill(tmp_path_factory.mktemp("many") / "memory", observations)


@pytest.fixture(scope="session")
def strange(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Wide letters, emoji, long text, and content that would like to act on the terminal."""
    contents = [
        ("decision", "決定：ロックは発行番号ごとに置く。\n\n検索は日本語でも動く。"),
        ("key-fact", "锁文件三十秒后视为过期 — 重试前先检查 `manifest.json`"),
        ("lesson", "잠금 시간이 초과되면 다시 시도한다"),
        ("error", "Deploy failed 🚒🔥 family 👩‍👩‍👧 flag 🇩🇪 done ✅"),
        ("error", "\x1b[2J\x1b]0;owned\x07 \x1b[31mred\x1b[0m and \u202etxt.exe\u202c bidi"),
        ("code-change", "[bold red]markup[/] [@click=app.quit]quit[/] [link=x]y[/link] \\[x]"),
        (
            "procedure",
            "# Heading\n\n<script>alert(1)</script> **bold** `code`\n\n- one\n- two\n\n"
            "[a link](https://example.org) ![image](x.png)\n\n```sh\nrm -rf /\n```",
        ),
        ("handoff", "long " + "word " * 300),
        ("task", "unbreakable" * 30),
        ("own-word", "A category that we have never heard of."),
    ]
    observations = [
        Observation(
            agent="reviewer",
            issue_number=7 if number % 2 else 1234567,
            category=category,
            content=content,
            id=f"obs-strange-{number}",
            tags=("[b]tag[/b]",),
            timestamp=NOW - timedelta(days=number),
        )
        for number, (category, content) in enumerate(contents)
    ]
    return fill(tmp_path_factory.mktemp("strange") / "memory", observations)


@pytest.fixture
def nothing(tmp_path: Path) -> Path:
    folder = tmp_path / "memory"
    folder.mkdir()
    return folder


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def _started(sample: Path) -> AsyncIterator[Pilot[None]]:
    """The app on the sample, started once for all flows of a module that only look at it."""
    async with running(sample) as pilot:
        pilot.app.animation_level = "none"
        yield pilot


@pytest_asyncio.fixture(loop_scope="module")
async def pilot(_started: Pilot[None]) -> Pilot[None]:
    """The app on the sample as it was when it was started, whatever the flows before did."""
    await begin_again(_started)
    return _started
