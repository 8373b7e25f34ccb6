"""What a text may take, which channel it goes to, and what of a recall is in it."""

from __future__ import annotations

import pytest

from store.agents.registry import HOOKED
from store.errors import InvalidObservation
from store.recall.values import (
    CHANNELS,
    CLIENT_TOKENS,
    Limits,
    channel_named,
    check_client,
    default_budget,
    limits_of,
)


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
    check_client("codex")
    for name in ("text", "pigeon"):
        with pytest.raises(ValueError, match=r"known: .*codex"):
            check_client(name)
