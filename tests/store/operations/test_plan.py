"""Plans as values."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from store.action import Action
from store.model import Location
from store.operations.plan import BOOKKEEPING, Change, Move, Plan, same_content
from tests.store.factories import record

_RECORDS = st.none() | st.dictionaries(st.sampled_from("ab"), st.integers(0, 3), max_size=2)
_CHANGES = st.builds(
    Change, st.sampled_from(Location), st.integers(0, 3), st.sampled_from("xyz"), _RECORDS, _RECORDS
)
_PLANS = st.builds(
    Plan,
    st.just(Action("edit")),
    st.lists(_CHANGES, max_size=4).map(tuple),
    moves=st.lists(st.builds(Move, st.sampled_from("pq"), st.just("r")), max_size=2).map(tuple),
    moves_last=st.booleans(),
)


@settings(max_examples=60, deadline=None)
@given(_PLANS)
def test_the_inverse_of_the_inverse_is_the_plan(plan: Plan) -> None:
    inverse = plan.inverse()
    assert inverse.action == Action("undo", of="edit")
    twice = inverse.inverse()
    assert (twice.changes, twice.moves, twice.moves_last) == (
        plan.changes,
        plan.moves,
        plan.moves_last,
    )


def test_a_plan_without_changes_and_moves_is_empty() -> None:
    assert Plan(Action("edit")).is_empty
    assert not Plan(Action("edit"), (Change(Location.ISSUE, 7, "a", None, {}),)).is_empty
    assert not Plan(Action("repair"), moves=(Move("a", "b"),)).is_empty


@pytest.mark.parametrize("key", sorted(BOOKKEEPING))
def test_counters_of_use_are_no_content(key: str) -> None:
    assert same_content(record(), {**record(), key: 7})
    assert not same_content(record(), record(content="Other"))
    assert not same_content(record(), None)
    assert same_content(None, None)
