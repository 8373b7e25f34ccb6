"""Why each candidate is in a text or out of it, and what that comes to."""

from __future__ import annotations

import pytest

from store.model import Observation
from store.recall.injector import Packed
from store.recall.outcome import by_category, compared, kept_out, refused, scored
from store.recall.pins import pins_first
from store.recall.reasons import Reason, Verdict
from store.recall.request import RecallRequest
from store.recall.values import Kind, Ranked
from tests.store.recall.makers import observation

MINE = observation("Mine", id="mine", session_id="s1")
MUTED = observation("Muted", id="muted", session_id="s1", muted=True)
NONE = observation("Of no session", id="none", session_id="")


@pytest.mark.parametrize(
    ("it", "asked", "verdict"),
    [
        (MINE, {}, None),
        (NONE, {}, None),
        (NONE, {"session_id": "s1"}, None),
        (MINE, {"session_id": "s1"}, Verdict.OWN),
        (MINE, {"session_id": "s2"}, None),
        (MINE, {"muted": frozenset({"mine"})}, Verdict.MUTED),
        (MINE, {"muted": frozenset({"none"})}, None),
        (MINE, {"given": frozenset({"mine"})}, Verdict.INJECTED),
        (MINE, {"given": frozenset({"mine"}), "session_id": "s1"}, Verdict.INJECTED),
        (MINE, {"given": frozenset({"mine"}), "muted": frozenset({"mine"})}, Verdict.MUTED),
        (MUTED, {}, Verdict.MUTED),
        (MUTED, {"plain": frozenset({"muted"})}, None),
        (MUTED, {"pinned": frozenset({"muted"})}, None),
        (MUTED, {"pinned": frozenset({"mine"})}, Verdict.MUTED),
        (MUTED, {"pinned": frozenset({"muted"}), "muted": frozenset({"muted"})}, Verdict.MUTED),
    ],
)
def test_what_a_request_does_not_want_told(
    it: Observation, asked: dict[str, object], verdict: Verdict | None
) -> None:
    found = refused(it, RecallRequest(**asked))  # type: ignore[arg-type]
    assert found == (None if verdict is None else Reason(verdict))


@pytest.mark.parametrize(
    ("it", "asked", "is_pinned"),
    [
        (MINE, {}, False),
        (MINE, {"pinned": frozenset({"mine"})}, True),
        (MINE, {"pinned": frozenset({"none"})}, False),
        (MINE._replace(pinned=True), {}, True),
        (MINE._replace(pinned=True), {"pinned": frozenset({"none"})}, True),
        (MINE._replace(pinned=True), {"plain": frozenset({"mine"})}, False),
        (MINE._replace(pinned=True), {"plain": frozenset({"none"})}, True),
        (MINE, {"pinned": frozenset({"mine"}), "plain": frozenset({"mine"})}, True),
        (MINE, {"pinned": frozenset({"mine"}), "muted": frozenset({"mine"})}, False),
        (MUTED._replace(pinned=True), {}, False),
        (MUTED, {"pinned": frozenset({"muted"})}, True),
    ],
)
def test_what_comes_first(it: Observation, asked: dict[str, object], is_pinned: bool) -> None:
    assert RecallRequest(**asked).is_pinned(it) is is_pinned  # type: ignore[arg-type]


def _ranked(name: str, content: str, **fields: object) -> Ranked:
    kept_as = str(fields.pop("kept_as", ""))
    made = observation(content, **{"id": name, "session_id": "", **fields})  # type: ignore[arg-type]
    return Ranked(made, 1.0, {}, Kind.MEMORY, "", kept_as)


SAID = "Chose one JSON file for each issue, not SQLite"


def test_what_gives_way_names_what_it_gives_way_to() -> None:
    held = [
        _ranked("new", f"{SAID}!", days=1),
        _ranked("old", f"{SAID}.", days=9),
        _ranked("said", "We waited", kept_as="memory"),
        _ranked("memory", "It waited for the lock"),
        _ranked("out", f"{SAID}?", days=0, muted=True),
    ]
    asked = RecallRequest()
    found = kept_out(held, asked, lambda it: f"…{it.id}", len(held))
    assert found == {
        "old": Reason(Verdict.REPEATED, "…new"),
        "said": Reason(Verdict.KEPT_AS, "…memory"),
        "out": Reason(Verdict.MUTED),
    }
    given = asked._replace(given=frozenset({"new", "said"}))
    assert kept_out(held, given, lambda it: it.id, len(held)) == {
        "new": Reason(Verdict.INJECTED),
        "said": Reason(Verdict.INJECTED),
        "out": Reason(Verdict.MUTED),
    }
    shown = asked._replace(given=frozenset({"memory"}))
    assert kept_out(held, shown, lambda it: it.id, len(held))["said"].verdict is Verdict.KEPT_AS
    few = kept_out(held, asked, lambda it: it.id, 1)
    assert few.keys() == {"said", "out"}
    pinned = asked._replace(pinned=frozenset({"old"}))
    assert "old" not in kept_out(held, pinned, lambda it: it.id, len(held))


def test_enough_are_compared_to_fill_the_room() -> None:
    held = [_ranked(str(n), "x" * 100) for n in range(400)]
    assert [compared(held, room) for room in (0, 2_000, 5_000, 14_950, 90_000)] == [
        20, 20, 50, 150, 150
    ]  # fmt: skip


def test_pins_lead_as_far_as_they_have_two_fifths_of_the_room() -> None:
    held = [
        _ranked("a", "x" * 90),
        _ranked("p1", "x" * 200, pinned=True),
        _ranked("p2", "x" * 150, pinned=True),
        _ranked("b", "x" * 10),
        _ranked("p3", "x" * 60, pinned=True),
        _ranked("p4", "x" * 300, pinned=True),
        _ranked("p5", "x" * 140, pinned=True),
    ]
    for room, leading in (
        (1_000, ["p1", "p2"]),
        (650, ["p1", "p3"]),
        (0, []),
        (1_025, ["p1", "p2", "p3"]),
        (5_000, ["p1", "p2", "p3", "p4", "p5"]),
    ):
        ranked, pinned, first = pins_first(held, RecallRequest(), room)
        names = [it.observation.id for it in ranked]
        assert names[: len(leading)] == leading and first == frozenset(leading)
        others = [it.observation.id for it in held if it.observation.id not in leading]
        assert names[len(leading) :] == others
        assert pinned == {"p1", "p2", "p3", "p4", "p5"}


def test_each_candidate_says_why_it_is_in_or_out() -> None:
    names = ("pin", "relevant", "muted", "late pin", "long", "full")
    held = [_ranked(name, f"Said {name}", category="error" if at % 2 else "decision")
            for at, name in enumerate(names)]  # fmt: skip
    packed = Packed(
        "text", 90, {"pin": 30, "relevant": 20}, 0.1,
        {"long": Reason(Verdict.TOO_LONG, needs=9, left=4)}, {"pin": "In short", "relevant": "All"},
    )  # fmt: skip
    found = scored(
        held, lambda it: it._replace(content=it.content.upper()), packed,
        {"muted": Reason(Verdict.MUTED)}, frozenset({"pin"}), frozenset({"pin", "late pin"}),
    )  # fmt: skip
    assert {it.observation.id: it.reason for it in found} == {
        "pin": Reason(Verdict.PINNED),
        "relevant": Reason(Verdict.RELEVANT),
        "muted": Reason(Verdict.MUTED),
        "late pin": Reason(Verdict.PINS_FULL),
        "long": Reason(Verdict.TOO_LONG, needs=9, left=4),
        "full": Reason(Verdict.BUDGET_FULL),
    }
    told = [(it.included, it.tokens, it.text) for it in found]
    assert told == [(True, 30, "In short"), (True, 20, "All"), *[(False, 0, "")] * 4]
    assert found[0].observation.content == "SAID PIN"
    more = found[0]._replace(tokens=5)
    assert by_category([*found, more]) == (
        {"decision": 35, "error": 20},
        {"decision": 2, "error": 1},
    )
