"""What a text may take, which channel it goes to, and what of a recall is in it."""

from __future__ import annotations

import pytest

from store.recall.values import Limits


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
