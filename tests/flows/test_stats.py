"""Statistics and settings: full and empty stores, work that failed, mistakes in the files."""

from __future__ import annotations

import itertools
import json
import shutil
import time
from datetime import timedelta
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from memtui.cli.main import run
from memtui.tui.browse.results import ResultList
from memtui.tui.frame.notices import settings_notice
from memtui.tui.reports.charts import Bar, Chart, bars, sparkline
from memtui.tui.reports.stats import StatsScreen
from memtui.tui.settings.screen import SettingsScreen
from memtui.tui.widgets.key_bar import KeyBar
from memtui.tui.widgets.status_line import StatusLine
from memtui.tui.widgets.title_bar import TitleBar
from store import Memory
from store.backends.files.activity import append_activity
from store.doctor.examine import Progress
from store.doctor.findings import Examination
from store.records import format_time
from store.settings.files import Mistake, MistakeKind
from store.statistics import Statistics
from tests.flows.stage import (
    NARROW,
    NORMAL,
    NOW,
    SIZES,
    Compare,
    app_on,
    at_home,
    browse,
    fill,
    open_at,
    press,
    pressing,
    send,
    settled,
    swap,
    write,
)
from tests.flows.stories import observations

pytestmark = pytest.mark.usefixtures("still")


@pytest.fixture
def worked(sample: Path, tmp_path: Path) -> Path:
    """The demo's store after some work, and with a file that broke."""
    folder = Path(shutil.copytree(sample, tmp_path / "memory"))
    for number in range(40):
        then = format_time(NOW - timedelta(hours=50 - number))
        line = {"timestamp": then, "tookMs": 20 + number * 7 % 31, "count": 3}
        append_activity(folder, {"type": "captured", **line})
        append_activity(folder, {"type": "recalled", **line, "tookMs": 8 + number % 5})
    failed = {"type": "failed", "timestamp": format_time(NOW), "message": "No transcript there."}
    append_activity(folder, {**failed, "kind": "hook session-end"})
    (folder / "issue-404.json").write_text('{"version": 1, "observations": [{"id": "cut off')
    return folder


@pytest.fixture
def mistaken(sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The demo's store in a project whose settings are partly wrong."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / ".config"))
    (tmp_path / "memtui.toml").write_text("max_tokens = 12000\n\nmax_observations = 5\n")
    return Path(shutil.copytree(sample, tmp_path / "memory"))


def drawn_yet(pilot: Pilot[None], name: str) -> bool:
    return any(chart.draw for chart in pilot.app.screen.query(f"#stats-{name}").results(Chart))


def drawn(pilot: Pilot[None], name: str) -> str:
    chart = pilot.app.screen.query_one(f"#stats-{name}", Chart)
    assert chart.draw is not None
    return chart.draw(60).plain


async def test_every_figure_is_said(worked: Path) -> None:
    async with app_on(worked).run_test(size=NARROW) as pilot:
        await settled(pilot)
        await press(pilot, "s")
        assert isinstance(pilot.app.screen, StatsScreen)
        said = drawn(pilot, "memory")
        for name in ("memories", "issues", "archived", "never recalled", "size on disk"):
            assert name in said
        assert "engineer" in drawn(pilot, "agents")
        offered = [key[2] for key in pilot.app.screen.query_one(KeyBar).keys]
        assert "stats" not in offered  # which is here
        assert "undo" in offered
        assert "◆ decision" in drawn(pilot, "categories")
        assert "semantic" in drawn(pilot, "layers")
        assert drawn(pilot, "issues").startswith("#0")
        work = drawn(pilot, "work")
        assert "capture: No transcript there." in work
        assert [line.split()[:2] for line in work.splitlines()[1:3]] == [
            ["capture", "40"],
            ["injection", "40"],
        ]
        assert "issue-404.json" in drawn(pilot, "health")
        await press(pilot, "escape")
        assert at_home(pilot)


def endlessly(progress: Progress | None = None) -> Examination:
    """Examines for as long as somebody waits for it."""
    assert progress is not None
    for done in itertools.count(1):
        progress(done, 1_500)
        time.sleep(0.001)
    raise AssertionError


async def test_nobody_examines_for_a_screen_that_is_left(worked: Path) -> None:
    def opening(path: Path) -> Memory:
        memory = open_at(path)
        swap(memory.doctor, "examine", endlessly)
        return memory

    async with app_on(worked, opening=opening).run_test(size=NARROW) as pilot:
        await settled(pilot)
        send(pilot, "s")
        while not drawn_yet(pilot, "health"):
            await pilot.pause(0)
        assert "of 1,500 issues …" in drawn(pilot, "health")
        send(pilot, "escape")
        await settled(pilot)  # would wait for an examination that goes on
        assert at_home(pilot)


async def test_what_one_sees_is_one_search(worked: Path) -> None:
    async with app_on(worked).run_test(size=NORMAL) as pilot:
        await settled(pilot)
        await write(pilot, "agent:engineer")
        await press(pilot, "escape", "s")
        (line,) = [line for line in drawn(pilot, "work").splitlines() if "search " in line]
        assert line.split()[:2] == ["search", "2"]


async def test_the_app_and_the_command_count_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = fill(tmp_path / "memory", observations())
    file = folder / "issue-29.json"
    record = json.loads(file.read_text())
    record["observations"][0]["archived"] = True  # as AgentX archives
    file.write_text(json.dumps(record))
    assert run(["stats", "--dir", str(folder)]) == 0
    command = capsys.readouterr().out.splitlines()[0]
    assert command.startswith("7 memories · ")
    async with app_on(folder).run_test(size=NORMAL) as pilot:
        await settled(pilot)
        assert browse(pilot).query_one(TitleBar).fact == command.split(" · ")[0]
        assert browse(pilot).query_one(ResultList).total == 6
        await press(pilot, "s")
        memories = drawn(pilot, "memory").splitlines()[0]
        assert memories.split() == ["memories", "7", "in", "3", "issues"]


async def test_what_the_system_refuses_is_said(
    worked: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refusals, count = [OSError(5, "Input/output error", "/x")], Memory.statistics

    def statistics(memory: Memory, *, fresh: bool = True) -> Statistics:
        if refusals:
            raise refusals.pop()
        return count(memory, fresh=fresh)

    monkeypatch.setattr(Memory, "statistics", statistics)
    async with app_on(worked).run_test(size=NORMAL) as pilot:
        await settled(pilot)
        await press(pilot, "s")
        said = pilot.app.screen.query_one("#empty-words", Static)
        assert str(said.content) == "Input/output error: /x."
        await press(pilot, "ctrl+r")
        assert drawn(pilot, "memory").splitlines()[0].split()[0] == "memories"


async def test_statistics_follow_an_operation(worked: Path) -> None:
    async with app_on(worked).run_test(size=NARROW) as pilot:
        await settled(pilot)
        await press(pilot, "a", "s")
        before = drawn(pilot, "memory")
        await press(pilot, "u")
        assert drawn(pilot, "memory") != before


async def test_a_mistake_is_said_calmly_and_shown_in_full(mistaken: Path) -> None:
    async with app_on(mistaken).run_test(size=NARROW) as pilot:
        await settled(pilot)
        notice = browse(pilot).query_one("#notice", StatusLine)
        assert str(notice.content).startswith("settings: 1 mistake in ~/memtui.toml, line 3 · ")
        await press(pilot, "comma")
        assert isinstance(pilot.app.screen, SettingsScreen)
        await press(pilot, "escape")
        assert at_home(pilot)


async def test_a_theme_that_is_not_there_is_said_and_ours_is_worn(mistaken: Path) -> None:
    (mistaken.parent / "memtui.toml").write_text('theme = "no-such"\n')
    async with app_on(mistaken, theme="").run_test(size=NARROW) as pilot:
        await settled(pilot)
        notice = browse(pilot).query_one("#notice", StatusLine)
        assert str(notice.content).startswith("settings: 1 mistake in ~/memtui.toml, line 1 · ")
        assert pilot.app.theme == "memtui"


async def test_a_theme_and_keys_of_one_s_own_are_used(mistaken: Path) -> None:
    (mistaken.parent / "memtui.toml").write_text(
        'theme = "nord"\n[keymap]\nsettings = "f7,ctrl+shift+s"\n'
    )
    async with app_on(mistaken, theme="").run_test(size=NARROW) as pilot:
        await settled(pilot)
        assert pilot.app.theme == "nord"
        await press(pilot, "comma")
        assert at_home(pilot)
        await press(pilot, "f7")
        assert isinstance(pilot.app.screen, SettingsScreen)


async def test_sentences_name_the_keys_that_were_chosen(mistaken: Path) -> None:
    settings = mistaken.parent / "memtui.toml"
    settings.write_text('theme = "no-such"\n[keymap]\nsettings = "f7"\ndoctor = "f9"\n')
    async with app_on(mistaken, theme="").run_test(size=NARROW) as pilot:
        await settled(pilot)
        notice = browse(pilot).query_one("#notice", StatusLine)
        assert str(notice.content).endswith(" · f7 for details")
        (mistaken / "issue-404.json").write_text("{")
        await press(pilot, "ctrl+r")
        assert str(notice.content).endswith("can't be read in full. f9 for details.")
        await press(pilot, "s")
        assert drawn(pilot, "health").endswith("f9 for details")


async def test_a_sentence_names_no_key_that_would_be_typed(mistaken: Path) -> None:
    async with app_on(mistaken).run_test(size=NARROW) as pilot:
        await settled(pilot)
        notice = browse(pilot).query_one("#notice", StatusLine)
        assert str(notice.content).endswith(" · , for details")
        await press(pilot, "slash", "ctrl+r")
        assert str(notice.content).endswith(" · defaults apply")


def test_several_mistakes_are_counted() -> None:
    mistakes = (
        Mistake(MistakeKind.TOML, "/a.toml", detail="x"),
        Mistake(MistakeKind.UNKNOWN, "/b.toml", "y"),
    )
    assert settings_notice(mistakes, lambda _: "f7") == (
        "settings: 2 mistakes in /a.toml and elsewhere · defaults apply · f7 for details"
    )


def test_bars_keep_to_their_width() -> None:
    rows = [Bar("name" * 9, 10**number, "$accent", "◆ ") for number in range(12)]
    for width in range(24, 90):
        lines = bars(rows, width).plain.splitlines()
        assert len(lines) == 10 and all(len(line) <= width for line in lines)
    assert lines[-1] == "and 3 more"
    assert bars([], 40).plain == ""


def test_a_sparkline_is_as_high_as_its_largest_count() -> None:
    assert sparkline([0, 1, 4, 8], 4, 1).plain == " ▁▄█"
    assert sparkline([1, 16], 6, 2).plain.splitlines() == ["   ██ ", "▁▁ ██ "]
    assert sparkline(range(100), 10, 1).cell_length == 10
    assert sparkline([], 10, 1).plain == ""


@SIZES
def test_stats(snap_compare: Compare, worked: Path) -> None:
    assert snap_compare(app_on(worked), run_before=pressing("s"))


def test_stats_of_nothing(snap_compare: Compare, nothing: Path) -> None:
    assert snap_compare(app_on(nothing), terminal_size=NORMAL, run_before=pressing("s"))


def test_settings_mistake(snap_compare: Compare, mistaken: Path) -> None:
    assert snap_compare(app_on(mistaken), terminal_size=NORMAL, run_before=settled)
