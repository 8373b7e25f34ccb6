"""What an operation does is kept, taken back and done again with all that is said of it."""

from __future__ import annotations

from typing import Any

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


@pytest.mark.parametrize("action", ACTIONS)
def test_what_takes_an_action_back_or_does_it_again_says_of_what(action: Action) -> None:
    for made, kind in ((action.inverse(), "undo"), (action.again(), "redo")):
        assert made == Action(kind, action.figures, action.kind, action.title)


@pytest.mark.parametrize(
    ("record", "action"),
    [
        ({}, Action("")),
        ({"kind": 7, "of": 7, "title": 7}, Action("7")),
        ({"kind": "add", "figures": [1]}, Action("add")),
        (
            {"kind": "add", "figures": {"memories": 0, "tokens": "9", "merged": True, "each": 1.5}},
            Action("add", {"memories": 0}),
        ),
        ({"kind": "add", "figures": {"memories": 1}, "title": "x"}, Action("add", {"memories": 1})),
        ({"kind": "add", "figures": {}, "title": "x"}, Action("add", title="x")),
    ],
)
def test_figures_of_odd_records(record: dict[str, Any], action: Action) -> None:
    assert action_of(record) == action
