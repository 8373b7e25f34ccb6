"""Statistics and settings: full and empty stores, work that failed, mistakes in the files."""

from __future__ import annotations

import json
import shutil
from datetime import timedelta
from pathlib import Path

import pytest
from textual.pilot import Pilot

from memtui.cli.main import run
from memtui.tui.browse.results import ResultList
from memtui.tui.reports.charts import Bar, Chart, bars
from memtui.tui.reports.figures import agents_table
from memtui.tui.reports.stats import StatsScreen
from memtui.tui.settings.screen import SettingsScreen
from memtui.tui.widgets.key_bar import KeyBar
from memtui.tui.widgets.panes import StatusLine
from memtui.tui.widgets.title_bar import TitleBar
from store.records import format_time
from tests.flows.stage import NOW, SIZES, Looks, at_home, browse, fill, press, running
from tests.flows.stories import observations
from tests.store.factories import append_activity

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


def drawn(pilot: Pilot[None], name: str) -> str:
    chart = pilot.app.screen.query_one(f"#stats-{name}", Chart)
    assert chart.draw is not None
    return chart.draw(60).plain


async def test_every_figure_is_said(worked: Path, looks: Looks) -> None:
    async with running(worked) as pilot:
        await press(pilot, "s")
        assert isinstance(pilot.app.screen, StatsScreen)
        assert await looks(pilot, "stats", SIZES)
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


def test_what_an_agent_has_beyond_a_capacity_stands_out() -> None:
    agents = {"engineer": {"episodic": 60, "semantic": 7}, "tester": {"working": 1}}
    drawn = agents_table(agents, {"episodic": 50}, 40)
    assert drawn.plain.splitlines() == [
        "                 work. epis.  sem. proc.",
        "capacity                  50            ",
        "engineer             –    60     7     –",
        "tester               1     –     –     –",
    ]
    assert [
        drawn.plain[start:end].strip()
        for start, end, style in drawn.spans
        if "warning" in str(style)
    ] == ["60"]


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
    async with running(folder) as pilot:
        assert browse(pilot).query_one(TitleBar).fact == command.split(" · ")[0]
        assert browse(pilot).query_one(ResultList).total == 6
        await press(pilot, "s")
        memories = drawn(pilot, "memory").splitlines()[0]
        assert memories.split() == ["memories", "7", "in", "3", "issues"]


async def test_a_mistake_is_said_calmly_and_shown_in_full(mistaken: Path, looks: Looks) -> None:
    async with running(mistaken) as pilot:
        assert await looks(pilot, "settings_mistake")
        notice = browse(pilot).query_one("#notice", StatusLine)
        assert str(notice.content).startswith("settings: 1 mistake in ~/memtui.toml, line 3 · ")
        await press(pilot, "comma")
        assert isinstance(pilot.app.screen, SettingsScreen)
        await press(pilot, "escape")
        assert at_home(pilot)


def test_bars_keep_to_their_width() -> None:
    rows = [Bar("name" * 9, 10**number, "$accent", "◆ ") for number in range(12)]
    for width in range(24, 90):
        lines = bars(rows, width).plain.splitlines()
        assert len(lines) == 10 and all(len(line) <= width for line in lines)
    assert lines[-1] == "and 3 more"
    assert bars([], 40).plain == ""
