"""Who tells what several parts of capture found in one session: each thing once, by the first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import permutations

import pytest

from store.agents.session import Session
from store.capture import candidates
from store.capture.candidate import Beside, Candidate, Found, Known, Passed
from store.model import Category
from store.notice import notice

_IT = "Never close `till.py` before `flush()` returned, because rows of the queue are lost then."
_OF_REQUESTS = {"exchanges_of", "requests_of", "investigations_in", "explained"}
_PARTS = {
    "changes": ("code_changes", Category.CODE_CHANGE),
    "summary": ("_summed_up", Category.LESSON),
    "noted": ("noted", Category.DECISION),
    "choices": ("choices", Category.DECISION),
    "agreed": ("agreements", Category.DECISION),
    "recaps": ("recaps", Category.DECISION),
    "endorsed": ("endorsed", Category.DECISION),
    "settled": ("settled_decisions", Category.DECISION),
    "answers": ("answers", Category.DECISION),
    "pasted": ("pasted_plans", Category.DECISION),
    "approved": ("approved_plans", Category.DECISION),
    "written": ("written_plans", Category.DECISION),
    "refusals": ("refusals", Category.LESSON),
    "reviews": ("reviews", Category.CODE_CHANGE),
    "findings": ("findings", Category.KEY_FACT),
    "failures": ("failures", Category.ERROR),
    "stated": ("stated", Category.DECISION),
    "remarks": ("remarks", Category.KEY_FACT),
    "outside": ("done_outside", Category.KEY_FACT),
    "surroundings": ("surroundings", Category.KEY_FACT),
    "commands": ("working_commands", Category.PROCEDURE),
    "handoff": ("handoff", Category.HANDOFF),
}
"""The parts in the order in which what they find is trusted, but for changes."""


def _said_by(part: str, told: str = _IT) -> Candidate:
    if part == "recaps" and "\n" not in told:
        told = f"Settled:\n{told}"
    return Candidate(_PARTS[part][1], told, 1, part, summary=told, marks=(part,))


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """Who tells something of what the parts say, in the order in which they do."""

    def ask(said: Mapping[str, Found], known: Known = Known(), *, over: bool = True) -> list[str]:  # noqa: B008
        def finder(part: str) -> Callable[..., Iterator[Found]]:
            def find(*given: object, **_: object) -> Iterator[Found]:
                known_to = given[-1] if part in {"settled", "remarks"} else ()
                assert isinstance(known_to, list | tuple)
                found = said.get(part)
                if found and not any(_IT in text for text in known_to):
                    yield found

            return find

        for name in _OF_REQUESTS:
            monkeypatch.setattr(candidates, name, lambda *_: [])
        for part, (name, _) in _PARTS.items():
            monkeypatch.setattr(candidates, name, finder(part))
        found = candidates.candidates_in(Session(), known, (), is_over=over)
        each = (it.candidate if isinstance(it, Beside) else it for it in found)
        return [it.passage if isinstance(it, Candidate) else "passed" for it in each]

    return ask


_WORDS = ("agreed", "recaps", "endorsed", "settled")
_PLANS = ("pasted", "approved", "written")
_LATER = ("stated", "outside", "surroundings")
_SILENT_BESIDE: dict[str, set[str]] = {
    "changes": {*_WORDS, *_PLANS, *_LATER, "findings", "remarks"},
    **{it: {"remarks"} for it in ("summary", "noted", "choices", *_WORDS, "refusals", "stated")},
    "answers": {*_WORDS, *_PLANS, "remarks"},
    "pasted": {"approved", "written", "remarks"},
    "approved": {"written", "remarks"},
    "written": {"remarks"},
    "findings": {*_LATER, "remarks"},
    "failures": {*_LATER, "remarks"},
    "remarks": {"outside", "surroundings"},
}
"""Which parts say nothing where another tells the same."""


def test_each_thing_is_told_by_the_part_that_is_trusted_most(
    told: Callable[..., list[str]],
) -> None:
    silent = {part: set[str]() for part in _PARTS}
    for first, other in permutations(_PARTS, 2):
        found = told({first: _said_by(first), other: _said_by(other)})
        assert first in found or other in found
        if other not in found:
            silent[first].add(other)
    assert {part: others for part, others in silent.items() if others} == _SILENT_BESIDE


def test_what_says_something_else_is_told_in_the_order_of_trust(
    told: Callable[..., list[str]],
) -> None:
    own = "`{0}.py` never keeps {0}rows, since {0}tills take {0}coins."
    said = {part: _said_by(part, own.format(part)) for part in _PARTS}
    order = [part for part in _PARTS if part != "changes"]
    order.insert(order.index("reviews"), "changes")
    assert told(said) == order
    assert told(said, over=False) == order[:-1]


def test_what_an_earlier_capture_of_the_session_changed_is_told(
    told: Callable[..., list[str]],
) -> None:
    known = Known(changes=(_IT,))
    silent = {part for part in _PARTS if not told({part: _said_by(part)}, known)}
    assert silent == {*_WORDS, *_PLANS, *_LATER, "remarks"}


def test_a_change_that_is_passed_tells_what_was_settled_but_not_what_was_found_out(
    told: Callable[..., list[str]],
) -> None:
    passed = Passed(_IT, notice("untold"))
    silent = {it for it in _PARTS if told({it: _said_by(it), "changes": passed}) == ["passed"]}
    assert silent - {"changes"} == {*_WORDS, *_PLANS, *_LATER}
    beside = Beside(_said_by("changes"), "", (), stands_alone=True)
    assert all(
        it in told({it: _said_by(it), "changes": beside}) for it in _PARTS if it != "changes"
    )


@pytest.mark.parametrize("part", ["findings", "failures", "outside", "reviews", "changes"])
def test_what_is_passed_silences_no_remark_and_is_passed_all_the_same(
    told: Callable[..., list[str]], part: str
) -> None:
    passed = Passed(_IT, notice("no-cause"))
    found = told({part: passed, "remarks": _said_by("remarks")})
    assert sorted(found) == ["passed", "remarks"]


@pytest.mark.parametrize(
    ("found", "outcome"),
    [
        (_IT, ["findings"]),
        ("The root cause is in `till.py`.", ["findings"]),
        ("The till has a drawer.", ["passed"]),
        (f"{_IT} It has rows; it has a lease; it has a lock.", ["passed"]),
        (f"{_IT} It has rows; it has a lease.", ["findings"]),
    ],
)
def test_what_was_found_out_says_why_or_what_limits_it_and_is_no_list(
    told: Callable[..., list[str]], found: str, outcome: list[str]
) -> None:
    fact = _said_by("findings", found)
    assert told({"findings": fact}) == outcome
    assert told({"findings": fact._replace(summary="")}) == outcome
    assert told({"findings": fact._replace(content=f"{found}\nAsked: {_IT}")}) == outcome
    assert told({"failures": _said_by("failures", found)}) == ["failures"]


def test_what_is_settled_once_by_its_messages_is_not_settled_again(
    told: Callable[..., list[str]],
) -> None:
    other = "Rows of a table are sorted by the name of a cashier."
    for part in ("agreed", "endorsed"):
        mine = _said_by(part)._replace(marks=("a", "b"))
        for marks, category, is_told in (
            (("a", "b"), Category.DECISION, False),
            (("b",), Category.DECISION, False),
            (("b", "c"), Category.DECISION, True),
            (("a", "b"), Category.LESSON, True),
        ):
            later = _said_by("settled", other)._replace(marks=marks, category=category)
            assert ("settled" in told({part: mine, "settled": later})) is is_told


def test_a_recap_of_which_most_lines_were_answered_is_not_told(
    told: Callable[..., list[str]],
) -> None:
    def outcome(*lines: str) -> list[str]:
        recap = _said_by("recaps", "\n".join(("Recap of the tills and their drawers", *lines)))
        chosen = "Which tills? The user chose: Titles weigh double in the list of drawers"
        return told({"recaps": recap, "answers": _said_by("answers", chosen)})

    known, news = "Titles weigh double", "A deleted page leaves the index at once"
    assert outcome(known) == ["answers"]
    assert outcome(known, known, news) == ["answers"]
    assert outcome(known, news) == ["recaps", "answers"]
    assert outcome(news) == ["recaps", "answers"]


def test_plans_are_compared_with_what_was_told_in_full(told: Callable[..., list[str]]) -> None:
    plan = _said_by("pasted")._replace(summary="Another title")
    assert told({"pasted": plan, "approved": _said_by("approved")}) == ["pasted"]
    at = "Commands of the printer, the drawer, the coupon and the street were called in turn"
    rule = _said_by("surroundings")
    found = rule._replace(content=f"{_IT}\nAt: `{at}`")
    assert told({"findings": _said_by("findings"), "surroundings": found}) == ["findings"]


STEPS = "Plan: Number the tills. Number the tills of all shops from one to nine in receipts."


@pytest.mark.parametrize(
    ("part", "plan", "kept"),
    [
        ("approved", STEPS, False),
        ("approved", STEPS.removeprefix("Plan: "), False),
        ("pasted", STEPS, False),
        ("pasted", _IT, True),
        ("written", STEPS, False),
    ],
)
def test_what_a_plan_says_is_done_the_session_tells_where_it_did_it(
    told: Callable[..., list[str]], part: str, plan: str, kept: bool
) -> None:
    other = _said_by("changes", "`coins.py` never keeps coins of a drawer, since banks count them.")
    passed = Passed("coins.py", notice("untold"))
    said: dict[str, Found] = {part: _said_by(part, plan)}
    assert part in told(said)
    assert part in told({**said, "changes": passed})
    for change in (other, Beside(other, "", (), stands_alone=True)):
        assert (part in told({**said, "changes": change})) is kept
    task = _said_by(part, plan)._replace(category=Category.TASK)
    assert part in told({part: task, "changes": other})


def test_of_what_was_taken_up_the_first_line_counts(told: Callable[..., list[str]]) -> None:
    own = "Cashiers are called by the bell of their street, and by nothing else."
    for content, is_told in ((f"{_IT}\n{own}", False), (f"{own}\n{_IT}", True)):
        found = told({"changes": _said_by("changes"), "endorsed": _said_by("endorsed", content)})
        assert ("endorsed" in found) is is_told
