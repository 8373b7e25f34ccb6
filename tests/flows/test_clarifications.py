"""Questions between agents: who waits for whom, the thread, answers, and the agents' states."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from textual.pilot import Pilot

from memtui.tui.browse.agent_list import AgentList
from memtui.tui.clarifications.screen import ClarificationList, ClarificationsScreen
from memtui.tui.dialogs.prompt import ConfirmScreen, PromptScreen
from store import Memory
from store.clarifications.model import Clarification
from store.clarifications.rules import Question
from tests.flows.stage import (
    NARROW,
    NOW,
    SIZES,
    Looks,
    browse,
    burst,
    fill,
    open_at,
    press,
    running,
    settled,
    under_cursor,
)
from tests.flows.stories import toasts
from tests.store.factories import observation

pytestmark = pytest.mark.usefixtures("still")

SAME = "Keep the lock beside the record and break it after thirty seconds."


class Agents:
    """Agents that talk at times of their own."""

    def __init__(self, path: Path) -> None:
        self.now = NOW - timedelta(minutes=50)
        memory = Memory(path, cache=path.parent / "cache", clock=lambda: self.now)
        self.say = memory.clarifications
        self.close = memory.close

    def ask(
        self, pair: str, topic: str, body: str, *, issue: int = 29, blocks: bool = False
    ) -> str:
        """Ask, a minute after what was said before."""
        self.now += timedelta(minutes=1)
        asker, asked = pair.split(" > ")
        return self.say.ask(issue, Question(asker, asked, topic, body, blocks)).id


@pytest.fixture
def asked(tmp_path: Path) -> Path:
    """A project whose agents asked one another much."""
    path = tmp_path / "shop" / ".agentx" / "memory"
    held = {"engineer": "Chose flock for the lock.", "architect": "The lock file stays."}
    dated = {"timestamp": NOW - timedelta(days=1)}
    fill(path, [observation(text, agent=agent, id=f"obs-{agent}-29-1772366400000-aaaaaa", **dated)
                for agent, text in held.items()])  # fmt: skip
    agents = Agents(path)
    done = agents.ask("engineer > product-manager", "Guest checkout", "Is a guest allowed to pay?")
    agents.say.answer(done, "product-manager", "Yes, by card only.")
    agents.say.resolve(done, "engineer")
    agents.ask("reviewer > engineer", "Coverage of the retry path", "Which test holds it?")
    stuck = agents.ask("engineer > architect", "Stale locks", "When is a lock stale?", issue=31)
    agents.say.answer(stuck, "architect", SAME)
    agents.ask("engineer > architect", "Stale locks", "And a lock of a live process?", issue=31)
    agents.say.answer(stuck, "architect", SAME.replace("Keep", "We keep"))
    agents.now = NOW - timedelta(minutes=12)
    agents.ask(
        "engineer > architect",
        "API contract",
        "Which status has a missing record?\n404 would be the usual one, but the mobile client "
        "treats 404 as a wrong address and signs the user out.",
        blocks=True,
    )
    agents.close()
    return path


def rows(pilot: Pilot[None]) -> ClarificationList:
    assert isinstance(pilot.app.screen, ClarificationsScreen)
    return pilot.app.screen.query_one(ClarificationList)


async def test_no_questions(nothing: Path, looks: Looks) -> None:
    async with running(nothing, size=NARROW) as pilot:
        await press(pilot, "Q")
        assert await looks(pilot)


async def test_a_question_is_answered_resolved_kept_and_taken_back(
    asked: Path, looks: Looks
) -> None:
    async with running(asked) as pilot:
        assert browse(pilot).query_one(AgentList)._states == {
            "engineer": "blocked-clarification",
            "architect": "clarifying",
        }
        await press(pilot, "Q")
        shown = rows(pilot)
        assert [(row.topic, row.status) for row in clarifications(shown)] == [
            ("Stale locks", "escalated"),
            ("Coverage of the retry path", "stale"),
            ("API contract", "pending"),
            ("Guest checkout", "resolved"),
        ]
        await press(pilot, "j", "j")
        assert await looks(pilot, "questions_between_agents", SIZES)
        await press(pilot, "w")
        assert await looks(pilot, "an_answer_is_written")
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, PromptScreen) and not toasts(pilot)
        await burst(pilot, *"410")
        await press(pilot, "enter")
        assert under_cursor(shown).status == "answered" and "u to undo" in toasts(pilot)[-1]
        await press(pilot, "r", "enter")
        assert under_cursor(shown).topic == "API contract" and under_cursor(shown).is_settled
        await press(pilot, "C")
        assert isinstance(pilot.app.screen, ConfirmScreen)
        await press(pilot, "enter")
        await press(pilot, "u", "u", "u")
        assert under_cursor(shown).status == "pending"
        with open_at(asked) as memory:
            assert memory.stats().total_observations == 2

        # A person answers what was escalated.
        await press(pilot, "g", "r")
        await burst(pilot, *"30s")
        await press(pilot, "enter")
        settled_one = about(shown, "Stale locks")
        assert settled_one.thread[-1].by == "user" and settled_one.status == "resolved"

        # What another program answers is followed; nothing is read where it wrote nothing.
        screen = pilot.app.screen
        assert isinstance(screen, ClarificationsScreen)
        read: list[bool] = []
        reload = screen.read

        async def noted() -> None:
            read.append(True)

        screen.read = noted  # type: ignore[method-assign]
        screen.follow()
        await settled(pilot)
        assert not read
        screen.read = reload  # type: ignore[method-assign]
        agents = Agents(asked)
        agents.say.answer(about(shown, "API contract").id, "architect", "410.")
        agents.close()
        screen.follow()
        await settled(pilot)
        await settled(pilot)
        answered = about(shown, "API contract")
        assert answered.status == "answered" and answered.thread[-1].body == "410."


def about(shown: ClarificationList, topic: str) -> Clarification:
    return next(row for row in clarifications(shown) if row.topic == topic)


def clarifications(shown: ClarificationList) -> list[Clarification]:
    return [row for row in shown.rows if isinstance(row, Clarification)]
