"""What an operation would change, field by field, as it is shown."""

from __future__ import annotations

from store.action import Action
from store.model import Location
from store.operations.diff import record_diffs
from store.operations.plan import Change, Plan


def test_a_long_value_is_cut_and_says_so() -> None:
    before, after = {"content": "a\nb"}, {"content": "b" * 401}
    plan = Plan(Action("edit"), (Change(Location.ISSUE, 7, "a", before, after),))
    [record] = record_diffs(plan)
    [field] = record.fields
    assert (field.before, field.after) == ("a\\nb", "b" * 399 + "…")
