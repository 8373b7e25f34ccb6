"""An exact counter is asked about whole texts alone, and fills the budget all the same."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil
from random import Random

import pytest

from store.recall.counted import pack_counted
from store.recall.injector import Packed
from store.recall.plan import plan
from store.recall.profiles import profile_named
from store.recall.request import RecallRequest
from store.recall.terms import Terms
from store.recall.values import Candidate, Limits, Recall
from store.text.tokens import Counter, Exact, estimate
from tests.store.recall.makers import NOW, observation

WORDS = "lock timeout billing form palette colours invoice retry kernel cache schema login".split()
SCALES = (0.3, 0.7, 0.95, 1.0, 1.3)


def counting(by: Callable[[str], float]) -> tuple[Exact, list[str]]:
    """An exact counter, and the texts that it was asked about."""
    asked: list[str] = []

    def measure(text: str) -> int:
        asked.append(text)
        return ceil(by(text))

    return Exact("tests", measure), asked


def recalled(counter: Exact, limits: Limits, number: int = 400) -> Recall:
    dice = Random(7)
    candidates = [
        Candidate(observation(" ".join(dice.choices(WORDS, k=dice.randrange(5, 60))) + f" {n}", n))
        for n in range(number)
    ]
    request = RecallRequest(budget=limits.tokens)
    offers = {it.observation.id: it.observation.id[-4:] for it in candidates}
    terms = Terms(profile_named(None), limits, counter, lambda it: offers[it.id])
    return plan(candidates, request, terms, NOW)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("budget", [800, 5_000])
def test_the_budget_is_filled_by_few_counts_of_whole_texts(scale: float, budget: int) -> None:
    counter, asked = counting(lambda text: estimate().count(text) * scale)
    found = recalled(counter, Limits(budget))
    assert budget * 0.9 < found.tokens <= budget
    assert found.tokens == counter.measure(found.text)
    assert len(asked) <= 6
    assert sum(it.tokens for it in found.included) <= found.tokens * 1.1


def test_what_the_estimate_counts_too_low_still_keeps_to_the_budget() -> None:
    counter, _ = counting(lambda text: estimate().count(text) + 9 * text.count("\n") ** 1.5)
    assert 0 < recalled(counter, Limits(1_000)).tokens <= 1_000


def test_where_characters_bind_or_all_is_told_one_count_is_enough() -> None:
    counter, asked = counting(lambda text: len(text) / 4)
    assert recalled(counter, Limits(20_000, characters=10_000)).text
    assert recalled(counter, Limits(20_000), number=3).text
    assert len(asked) == 2


def test_a_text_that_stays_too_long_is_packed_again_until_it_keeps_to_the_budget() -> None:
    limits, scales = Limits(100), []

    def pack(by: Counter) -> Packed:
        scales.append(by.count("x" * 400) / estimate().count("x" * 400))
        return Packed("x" * (1_000 - 100 * len(scales)), 0, {}, 0.0, {}, {})

    packed, scale = pack_counted(pack, Exact("tests", len), limits)
    assert (len(packed.text), packed.tokens) == (100, 100)
    assert scales == sorted(scales) and scale > 1
