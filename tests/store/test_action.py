"""What an operation does is kept, taken back and done again with all that is said of it."""

from __future__ import annotations

import pytest

from store.action import Action, ActionKind, action_of, action_record

ACTIONS = [
    Action(ActionKind.COMPACT, {"memories": 5, "merged": 3, "tokens": 90, "tokens_after": 0}),
    Action(ActionKind.UNDO, {"memories": 2}, ActionKind.ARCHIVE),
    Action("", title="Archived two memories"),
    Action("theirs", {}, "", "A sentence"),
]


@pytest.mark.parametrize("action", ACTIONS)
def test_an_action_comes_back_from_what_is_kept_of_it(action: Action) -> None:
    assert action_of(action_record(action)) == action
    assert "" not in action_record(action).values()
