"""Plans as values."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from store.action import Action
from store.backends.text_kinds import TextKind
from store.model import Layout, Location
from store.operations.plan import Change, ClarificationChange, LayoutChange, Move, Plan, TextChange

_RECORDS = st.none() | st.dictionaries(st.sampled_from("ab"), st.integers(0, 3), max_size=2)
_CHANGES = st.builds(
    Change, st.sampled_from(Location), st.integers(0, 3), st.sampled_from("xyz"), _RECORDS, _RECORDS
)
_TEXTS = st.builds(
    TextChange, st.just(TextKind.SESSIONS), st.sampled_from("st"), _RECORDS, _RECORDS
)
_CLARIFICATIONS = st.builds(
    ClarificationChange, st.integers(0, 3), st.sampled_from("cd"), _RECORDS, _RECORDS
)
_PLANS = st.builds(
    Plan,
    st.just(Action("edit")),
    st.lists(_CHANGES, max_size=4).map(tuple),
    moves=st.lists(st.builds(Move, st.sampled_from("pq"), st.just("r")), max_size=2).map(tuple),
    moves_last=st.booleans(),
    texts=st.lists(_TEXTS, max_size=2).map(tuple),
    layout=st.none() | st.just(LayoutChange(Layout.PER_ISSUE, Layout.EACH)),
    clarifications=st.lists(_CLARIFICATIONS, max_size=2).map(tuple),
)


@given(_PLANS)
def test_the_inverse_takes_back_last_what_was_done_first(plan: Plan) -> None:
    inverse = plan.inverse()
    assert inverse.action == Action("undo", of="edit")
    for name in ("changes", "moves", "texts", "clarifications"):
        done, taken_back = getattr(plan, name), getattr(inverse, name)
        assert taken_back == tuple(it.inverse() for it in done[::-1]), name
    assert inverse.moves_last is not plan.moves_last
    assert inverse.layout == (plan.layout and LayoutChange(Layout.EACH, Layout.PER_ISSUE))
    assert replace(inverse.inverse(), action=plan.action) == plan
