"""What an operation would change, field by field, as it is shown."""

from __future__ import annotations

from itertools import islice

import pytest

from store.action import Action
from store.model import Location
from store.operations.diff import Effect, count_records, record_diffs
from store.operations.plan import Change, Plan, Record


def test_a_long_value_is_cut_and_says_so() -> None:
    before, after = {"content": "a\nb"}, {"content": "b" * 401}
    plan = Plan(Action("edit"), (Change(Location.ISSUE, 7, "a", before, after),))
    [record] = record_diffs(plan)
    [field] = record.fields
    assert (field.before, field.after) == ("a\\nb", "b" * 399 + "…")


def test_of_a_long_plan_only_what_is_asked_for_is_cleaned(monkeypatch: pytest.MonkeyPatch) -> None:
    records = [(f"a-{number}", {"summary": f"Said {number}."}) for number in range(1_000)]
    changes = (
        *(Change(Location.ISSUE, 7, name, record, None) for name, record in records),
        *(Change(Location.ARCHIVE, 7, name, None, record) for name, record in records[1:]),
        Change(Location.ARCHIVE, 7, "alone", None, {"summary": "Alone."}),
    )
    plan = Plan(Action("archive"), changes)
    cleaned: list[Record] = []

    def clean(record: Record) -> tuple[Record, list[str]]:
        cleaned.append(record)
        return record, []

    monkeypatch.setattr("store.redaction.sanitizer.clean_record", clean)
    first = list(islice(record_diffs(plan), 2))
    assert [(it.id, it.effect) for it in first] == [
        ("a-0", Effect.REMOVED),
        ("a-1", Effect.ARCHIVED),
    ]
    assert count_records(plan) == 1_001
    assert len(cleaned) == 2
