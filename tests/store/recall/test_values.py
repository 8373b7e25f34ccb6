"""What a text may take, which channel it goes to, and what of a recall is in it."""

from __future__ import annotations

import pytest

from store.agents.registry import HOOKED
from store.errors import InvalidObservation
from store.model import InjectedCounts
from store.recall.reasons import Reason, Verdict
from store.recall.values import (
    CHANNELS,
    CLIENT_TOKENS,
    Kind,
    Limits,
    Recall,
    ScoredCandidate,
    channel_named,
    check_client,
    default_budget,
    family_of,
    filling,
    limits_of,
    weighted,
)
from store.text.tokens import estimate
from tests.store.recall.makers import observation


@pytest.mark.parametrize(
    ("limits", "length", "unit", "measured"),
    [
        (Limits(100), None, "characters", 4),
        (Limits(100, 90), 90, "characters", 4),
        (Limits(100, 900), 900, "characters", 4),
        (Limits(100, bytes=80), 80, "bytes", 5),
        (Limits(100, 90, 80), 80, "bytes", 5),
        (Limits(100, 0), 0, "characters", 4),
        (Limits(0, 90), 90, "characters", 4),
    ],
)
def test_a_text_may_take_its_tokens_and_what_the_channel_counts(
    limits: Limits, length: int | None, unit: str, measured: int
) -> None:
    assert (limits.length, limits.unit) == (length, unit)
    assert limits.measure("Café") == measured


def test_what_no_bytes_stand_for_is_measured_all_the_same() -> None:
    assert Limits(9, bytes=9).measure("a\ud800") == 2


@pytest.mark.parametrize("channel", ["text", "codex", "claude-code"])
def test_what_one_that_is_left_out_would_take_is_counted_as_its_client_counts(channel: str) -> None:
    content = "Zwölf Boxkämpfer jagen Viktor quer über den Deich. " * 9
    out = _scored(1, Kind.MEMORY, included=False)
    out = out._replace(observation=out.observation._replace(content=content))
    counted = estimate(family_of(channel)).count(content)
    assert Recall(channel=channel).cost_of(out) == counted
    assert Recall(channel=channel).cost_of(out._replace(included=True)) == 7
    assert estimate(family_of("codex")).count(content) != estimate(family_of("text")).count(content)


@pytest.mark.parametrize(
    ("channel", "budget", "limits"),
    [
        ("text", 700, Limits(700)),
        ("codex", 700, Limits(700, bytes=10_000)),
        ("claude-code", 700, Limits(700, 10_000)),
    ],
)
def test_the_limits_of_a_channel_stand_beside_the_budget(
    channel: str, budget: int, limits: Limits
) -> None:
    assert limits_of(channel, budget) == limits


@pytest.mark.parametrize(
    ("lengths", "room", "number"),
    [
        ([], 10, 0),
        ([4, 4, 4], 0, 0),
        ([4, 4, 4], 4, 1),
        ([4, 4, 4], 5, 2),
        ([4, 4, 4], 12, 3),
        ([4, 4, 4], 99, 3),
        ([0, 0, 4, 4], 1, 3),
    ],
)
def test_so_many_fill_a_room(lengths: list[int], room: int, number: int) -> None:
    assert filling(lengths, room) == number


def test_what_has_no_weight_or_no_value_counts_for_nothing() -> None:
    factors = {"a": 0.5, "b": 0.0, "c": 1.0, "d": 2.0}
    assert weighted(factors, {"a": 2.0, "b": 3.0, "d": -0.5, "e": 1.0, "c": 0.0}) == {
        "a": 1.0,
        "d": -1.0,
    }


@pytest.mark.parametrize(
    ("channel", "most", "budget"),
    [
        ("text", 20_000, 20_000),
        ("text", 700, 700),
        ("codex", 20_000, CLIENT_TOKENS),
        ("codex", 700, 700),
        ("pi", 20_000, 900),
        ("pi", 700, 700),
    ],
)
def test_a_client_has_its_own_budget_within_the_most(channel: str, most: int, budget: int) -> None:
    assert default_budget(channel, most, {"pi": 900, "text": 1}) == budget


def test_a_channel_is_a_client_with_hooks_or_a_text() -> None:
    assert {channel_named(it) for it in CHANNELS} == {*HOOKED, "text"}
    assert channel_named("") == channel_named(None) == "text"
    with pytest.raises(InvalidObservation) as refused:
        channel_named("pigeon")
    assert "pigeon" in refused.value.message and "codex" in refused.value.hint
    assert check_client("codex")
    for name in ("text", "pigeon"):
        with pytest.raises(ValueError, match=r"known: .*codex"):
            check_client(name)


def _scored(number: int, kind: Kind, *, included: bool = True) -> ScoredCandidate:
    made = observation(f"Said {number}", number)
    return ScoredCandidate(made, 1.0, {}, included, Reason(Verdict.RELEVANT), 7, kind=kind)


def test_of_a_recall_what_is_in_its_text_is_counted_by_kind() -> None:
    kinds = [Kind.MESSAGE, Kind.MEMORY, Kind.SESSION, Kind.MESSAGE, Kind.MEMORY, Kind.MESSAGE]
    held = tuple(_scored(at, kind) for at, kind in enumerate(kinds))
    out = _scored(9, Kind.SESSION, included=False)
    found = Recall(candidates=(held[0], out, *held[1:]), text="Süß")
    assert found.included == held
    assert found.counts == InjectedCounts(memories=2, messages=3, sessions=1)
    assert found.characters == 3
    assert Recall().counts == InjectedCounts()
