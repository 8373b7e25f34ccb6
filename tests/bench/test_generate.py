"""The bench's data is what it says it is."""

from __future__ import annotations

from collections import Counter

from store.model import Category
from tests.bench.generate import AGENTS, LONGEST, NOW, SHORTEST, observations

COUNT = 3_000


def test_it_has_the_shape_of_a_busy_project() -> None:
    made = list(observations(COUNT))
    assert len(made) == len({each.id for each in made}) == COUNT
    assert all(SHORTEST <= len(each.content) <= LONGEST for each in made)
    assert sum(each.issue_number == 0 for each in made) == COUNT / 5
    assert max(each.issue_number for each in made) <= COUNT / 30
    assert {each.agent for each in made} == set(AGENTS)
    assert {each.category for each in made} == set(Category)
    assert set(Counter(each.session_id for each in made).values()) == {10}
    assert max(each.timestamp for each in made) < NOW
    assert (NOW - min(each.timestamp for each in made)).days > 700


def test_it_is_the_same_for_the_same_seed() -> None:
    assert list(observations(45)) == list(observations(45))
    assert list(observations(45)) != list(observations(45, seed=1))
