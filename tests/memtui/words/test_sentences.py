"""What an operation is called says what it did."""

from __future__ import annotations

import pytest

from memtui.words.sentences import done, title
from store.action import Action, ActionKind


@pytest.mark.parametrize(
    ("figures", "before", "after"),
    [
        ({"unblocked": 1}, "Unblock 1 clarification", "Unblocked 1 clarification"),
        (
            {"asked_again": 1, "escalated": 2},
            "Ask again 1 and escalate 2 clarifications",
            "Asked again 1 and escalated 2 clarifications",
        ),
        (
            {},  # as older journals have it
            "Ask again or escalate 3 clarifications",
            "Asked again or escalated 3 clarifications",
        ),
    ],
)
def test_what_the_monitor_did_is_told(figures: dict[str, int], before: str, after: str) -> None:
    action = Action(ActionKind.MONITOR, {"clarifications": 3, **figures})
    assert (title(action), done(action)) == (before, after)


def test_marks_are_told_one_by_one() -> None:
    action = Action(ActionKind.MARK, {"pinned": 1, "muted": 2, "unmarked": 3})
    assert done(action) == "Pinned 1, muted 2 and unmarked 3 memories"
