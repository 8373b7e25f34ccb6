"""What sessions did with what they were given: in figures, in a memory, in the preview."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot

from memtui.tui.browse.results import ResultList
from memtui.tui.frame import routes
from memtui.tui.memory.screen import ObservationScreen
from memtui.tui.reports.charts import Chart
from memtui.tui.reports.stats import StatsScreen
from memtui.tui.widgets.panes import StatusLine
from store.doctor.examine import Progress
from store.doctor.findings import Examination
from store.doctor.service import Doctor
from tests.flows.stage import NARROW, SIZES, Looks, at_home, browse, press, running
from tests.store.factories import observation
from tests.store.usage.made import Project, edited, ran

pytestmark = pytest.mark.usefixtures("still")

LOCK = "The wait before a lock is tried again is in store/lock.py: three seconds."
TESTS = "Run the slow tests alone: `make test-slow JOBS=1`."
ERROR = "`Cannot open the lock: in use` goes away with `make unlock-all`."


@pytest.fixture
def used(tmp_path: Path) -> Path:
    """A memory whose sessions used one of what they were given, met an error again, and never ran
    the slow tests.
    """
    project = Project(tmp_path)
    with project.open() as memory:
        told = memory.store(
            [
                observation(LOCK),
                observation(TESTS, category="procedure"),
                observation(ERROR, category="error"),
            ]
        )
        failure = ran("make sync-all", "Error: Cannot open the lock: in use", failed=True)
        for number in range(6):
            project.session(memory, told, edited("store/lock.py") if number % 3 else failure)
        memory.usage.refresh()
    return project.place


def shown(pilot: Pilot[None]) -> list[str]:
    return [hit.entry.content for hit in browse(pilot).query_one(ResultList).rows]


async def test_what_is_never_used_is_found_and_muted(used: Path, looks: Looks) -> None:
    async with running(used, size=NARROW) as pilot:
        await press(pilot, "s", "G")
        assert await looks(pilot, "statistics_narrow")
    async with running(used) as pilot:
        await press(pilot, "s", "G")
        assert isinstance(pilot.app.screen, StatsScreen)
        assert await looks(pilot, "statistics")
        await press(pilot, "enter")
        assert at_home(pilot)
        assert browse(pilot).query_line == "is:unused -is:muted"
        assert shown(pilot) == [TESTS]
        assert await looks(pilot, "never_used", SIZES)
        await press(pilot, "m")
        assert shown(pilot) == []


async def test_use_is_shown_before_all_of_memory_is_checked(
    used: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown_before: list[bool] = []
    examine = Doctor.examine
    async with running(used) as pilot:

        def examined(doctor: Doctor, progress: Progress | None = None) -> Examination:
            chart = pilot.app.screen.query_one("#stats-usage", Chart)
            shown_before.append(chart.draw is not None)
            return examine(doctor, progress)

        monkeypatch.setattr(Doctor, "examine", examined)
        await press(pilot, "s")
    assert shown_before == [True]


async def test_a_memory_and_the_preview_say_how_many_sessions_used_it(
    used: Path, looks: Looks
) -> None:
    async with running(used) as pilot:
        await press(pilot, "slash", *"is:used", "enter", "enter")
        assert isinstance(pilot.app.screen, ObservationScreen)
        assert await looks(pilot, "memory", SIZES)
        await press(pilot, "escape", "i", "G")
        assert await looks(pilot, "preview", SIZES)


async def test_a_session_says_what_it_was_told_and_used(used: Path) -> None:
    async with running(used, opens=routes.Session("s-2")) as pilot:
        facts = str(pilot.app.screen.query_one("#session-facts", StatusLine).render())
        assert "told 3, used 1" in facts
