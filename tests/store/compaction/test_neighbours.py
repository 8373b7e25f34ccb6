from __future__ import annotations

import random

import pytest

from store.compaction import neighbours, relate
from store.compaction.compact import plan_compaction
from store.compaction.model import CompactionSettings, Strength
from store.compaction.neighbours import FEW, Item, _are_near, near_pairs
from store.text.similarity import Blocks
from tests.bench.reworded import reworded_set
from tests.store.compaction.notes import note
from tests.store.factories import NOW

_WORDS = [f"{first}{last}" for first in ("lock", "disk", "file") for last in "abcdefghijklmnopqrst"]


def _items(count: int, seed: int) -> list[Item]:
    """Notes of ten words of sixty each; some share enough of them to be near, most do not."""
    chance = random.Random(seed)
    return [Item(note(f"n{at}", " ".join(chance.sample(_WORDS, k=10)))) for at in range(count)]


def _names(items: list[Item], fresh: frozenset[str]) -> set[frozenset[str]]:
    return {
        frozenset({one.observation.id, other.observation.id})
        for one, other in near_pairs(items, fresh)
    }


@pytest.mark.parametrize("count", [2, 5, FEW, FEW + 1, 3 * FEW])
@pytest.mark.parametrize("every", [1, 3])
def test_few_find_the_neighbours_that_they_would_among_many(
    count: int, every: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for seed in range(20):
        items = _items(count, seed)
        fresh = frozenset(item.observation.id for item in items[::every])
        found = _names(items, fresh)
        with monkeypatch.context() as patch:
            patch.setattr(neighbours, "FEW", 0)
            assert _names(items, fresh) == found


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


@pytest.mark.parametrize(
    ("shared", "shorter", "longer", "near"),
    [(3, 10, 10, True), (2, 10, 10, False), (3, 10, 30, True), (3, 12, 12, False), (2, 6, 40, True),
     (1, 6, 40, False)],
)  # fmt: skip
def test_two_are_near_that_share_three_tenths_of_the_shorter(
    shared: int, shorter: int, longer: int, near: bool
) -> None:
    words = [f"w{at}{'abcdefghij'[at % 10]}x" for at in range(shorter + longer)]
    one, other = words[:shorter], words[shorter - shared : shorter - shared + longer]
    pair = [Item(note("a", " ".join(one))), Item(note("b", " ".join(other)))]
    assert [len(it.subjects) for it in pair] == [shorter, longer]
    assert _are_near(pair[0].subjects, pair[1].subjects) is near
    assert bool(_names(pair, frozenset("ab"))) is near


@pytest.mark.parametrize(
    ("said", "agents", "compared"),
    [
        ("I went to the meeting about locks", "ab", False),
        ("I went to the meeting about locks", "aa", True),
        ("The meeting about locks was told to me", "ab", False),
        ("I'd rather wait for the locks", "ab", False),
        ("My locks wait for their turn", "ab", False),
        ("The locks wait for their turn", "ab", True),
        ("I/O of the locks waits for its turn", "ab", True),
    ],
)
def test_who_speaks_of_themselves_is_compared_with_themselves(
    said: str, agents: str, compared: bool
) -> None:
    pair = [Item(note(str(at), said, agent=agent)) for at, agent in enumerate(agents)]
    assert bool(_names(pair, frozenset("01"))) is compared


def test_only_a_pair_with_one_that_is_new_is_looked_at() -> None:
    said = " ".join(_WORDS[:9])
    items = [Item(note(name, f"{said} {name}")) for name in "abc"]
    assert _names(items, frozenset()) == set()
    assert _names(items, frozenset("c")) == {frozenset("ac"), frozenset("bc")}
    same = [Item(note(name, said)) for name in "abc"]
    assert len(_names(same, frozenset("c"))) >= 1


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


def test_strangers_are_never_filed(monkeypatch: pytest.MonkeyPatch) -> None:
    def filed(*_: object) -> None:
        raise AssertionError("filed")

    monkeypatch.setattr(Blocks, "__init__", filed)
    strangers = [note(f"n{at}", " ".join(_WORDS[at * 5 : at * 5 + 5])) for at in range(12)]
    plan = plan_compaction(strangers, now=NOW, settings=CompactionSettings())
    assert plan.is_empty


def test_an_error_and_a_fix_that_share_little_are_not_read_closely(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def read(text: str) -> None:
        raise AssertionError(f"read closely: {text}")

    monkeypatch.setattr(neighbours, "facts_of", read)
    words = " ".join(_WORDS[:9])
    error = note("error", f"The {words} broke.", category="error", days=40)
    fix = note("fix", "Fix: rename the column in the migration.", category="lesson", days=20)
    assert plan_compaction([error, fix], now=NOW, settings=CompactionSettings()).is_empty
