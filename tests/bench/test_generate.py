"""The bench's data is what it says it is."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from pathlib import Path

from store.model import Category
from store.records import from_record
from tests.bench.generate import AGENTS, LONGEST, NOW, SHORTEST, observations, write_store

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


def test_words_follow_zipf() -> None:
    words = Counter(word for each in observations(500) for word in each.content.lower().split())
    ranked = [count for _, count in words.most_common(200)]
    assert 5 < ranked[0] / ranked[9] < 20
    assert 5 < ranked[9] / ranked[99] < 20
    assert all(a >= b for a, b in pairwise(ranked))
    assert any("/" in word for word in words)


def test_it_is_the_same_for_the_same_seed() -> None:
    assert list(observations(45)) == list(observations(45))
    assert list(observations(45)) != list(observations(45, seed=1))


def test_written_files_hold_the_same_observations(tmp_path: Path) -> None:
    write_store(tmp_path, 300)
    read = {}
    for path in tmp_path.glob("issue-*.json"):
        file = json.loads(path.read_bytes())
        assert path.name == f"issue-{file['issueNumber']}.json"
        for record in file["observations"]:
            observation = from_record(record, file["issueNumber"])
            read[observation.id] = observation.content
    assert read == {each.id: each.content for each in observations(300)}
