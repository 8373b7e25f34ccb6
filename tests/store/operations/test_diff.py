"""What an operation would change, field by field, as it is shown."""

from __future__ import annotations

from dataclasses import replace

import pytest

from store.action import Action, ActionKind
from store.model import Location
from store.operations.diff import count_records, record_diffs
from store.operations.plan import Change, Plan, Record
from store.redaction.sanitizer import clean_record
from tests.store.exchange.keys import made_up_key


def _change(
    where: Location, before: Record | None, after: Record | None, name: str = "k"
) -> Change:
    return Change(where, 29, name, before, after)


ONE: Record = {"id": "k", "agent": "qa", "category": "error", "summary": "It broke", "tokens": 3}
TWO: Record = {**ONE, "summary": "It broke twice", "theirs": [1]}
HERE, ASIDE = Location.ISSUE, Location.ARCHIVE


@pytest.mark.parametrize(
    ("changes", "effects"),
    [
        ([_change(HERE, None, ONE)], ["added"]),
        ([_change(HERE, ONE, None)], ["removed"]),
        ([_change(HERE, ONE, TWO)], ["changed"]),
        ([_change(HERE, None, None)], ["forgotten"]),
        ([_change(HERE, ONE, None), _change(ASIDE, None, ONE)], ["archived"]),
        ([_change(ASIDE, None, ONE), _change(HERE, ONE, None)], ["archived"]),
        ([_change(HERE, None, ONE), _change(ASIDE, ONE, None)], ["restored"]),
        ([_change(HERE, None, ONE), _change(ASIDE, ONE, TWO)], ["added"]),
        ([_change(HERE, ONE, None), _change(ASIDE, ONE, None)], ["removed"]),
        ([_change(HERE, ONE, None), _change(ASIDE, None, ONE, "other")], ["removed", "added"]),
        ([_change(HERE, ONE, None), _change(HERE, None, ONE)], ["removed", "added"]),
        ([_change(ASIDE, None, ONE)], ["added"]),
        ([_change(ASIDE, ONE, None)], ["removed"]),
        ([_change(ASIDE, ONE, TWO)], ["changed"]),
        ([_change(ASIDE, ONE, TWO), _change(HERE, ONE, TWO)], ["changed"]),
        ([], []),
    ],
)
def test_what_becomes_of_a_record(changes: list[Change], effects: list[str]) -> None:
    plan = Plan(Action(ActionKind.EDIT, {}), tuple(changes))
    found = list(record_diffs(plan))
    assert [str(it.effect) for it in found] == effects
    assert count_records(plan) == len(effects)


def test_of_a_secret_that_goes_it_is_told_where_it_was_and_not_what() -> None:
    key = made_up_key()
    before: Record = {**ONE, "content": f"Use {key} there", "summary": "Use it", "note": key}
    after: Record = {**ONE, "content": "Use [redacted] there", "summary": "Use it"}
    change = replace(_change(HERE, before, after), forget=True)
    (found,) = record_diffs(Plan(Action(ActionKind.EDIT), (change,)))
    assert [(it.name, it.after) for it in found.fields] == [
        ("content", "Use [redacted] there"),
        ("note", None),
    ]
    assert key not in repr(found)
    cleaned = clean_record(before)[0]
    (found,) = record_diffs(Plan(Action(ActionKind.EDIT), (replace(change, after=cleaned),)))
    assert [it.name for it in found.fields] == ["content", "note"]
    assert {it.before == it.after for it in found.fields} == {True}
    (found,) = record_diffs(Plan(Action(ActionKind.EDIT), (_change(HERE, before, after),)))
    assert key not in repr(found)
    assert not any(it.secret for it in found.fields)
