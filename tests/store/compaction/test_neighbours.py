from __future__ import annotations

import pytest

from store.compaction import neighbours, relate
from store.compaction.compact import plan_compaction
from store.compaction.model import CompactionSettings, Strength
from store.compaction.neighbours import Item, near_pairs
from tests.bench.reworded import reworded_set
from tests.store.compaction.notes import note
from tests.store.factories import NOW

_WORDS = [f"{first}{last}" for first in ("lock", "disk", "file") for last in "abcdefghijklmnopqrst"]


def _names(items: list[Item], fresh: frozenset[str]) -> set[frozenset[str]]:
    return {
        frozenset({one.observation.id, other.observation.id})
        for one, other in near_pairs(items, fresh)
    }


@pytest.mark.parametrize(
    ("one", "other", "compared"),
    [
        ("decision", "decision", True),
        ("decision", "key-fact", True),
        ("lesson", "project", True),
        ("error", "error", True),
        ("theirs", "theirs", True),
        ("error", "code-change", False),
        ("error", "handoff", False),
        ("decision", "procedure", False),
        ("decision", "error", False),
        ("theirs", "others", False),
        ("task", "decision", False),
    ],
)
def test_only_what_is_known_is_compared_across_categories(
    one: str, other: str, compared: bool
) -> None:
    said = " ".join(_WORDS[:9])
    pair = [Item(note("a", said, category=one)), Item(note("b", f"{said} x", category=other))]
    assert bool(_names(pair, frozenset("ab"))) is compared


@pytest.mark.parametrize("strength", list(Strength))
def test_a_plan_is_the_same_whether_few_are_compared_or_all_are_filed(
    strength: Strength, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = reworded_set(sessions=8)
    settings = CompactionSettings(strength=strength)
    plan = plan_compaction(found, now=NOW, settings=settings)
    monkeypatch.setattr(neighbours, "FEW", 0)
    monkeypatch.setattr(relate, "FEW", 0)
    assert plan_compaction(found, now=NOW, settings=settings) == plan
