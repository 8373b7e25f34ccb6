"""The demo's observations hold together as a project's memory would."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memtui.sample import sample_observations
from store.model import MAX_CONTENT, Observation

NOW = datetime(2026, 3, 14, 15, 9, 26, tzinfo=UTC)


@pytest.fixture(scope="module")
def sample() -> list[Observation]:
    return sample_observations(NOW)


def test_every_statement_is_its_own(sample: list[Observation]) -> None:
    assert len({each.content for each in sample}) == len(sample)
    assert len({each.content.split(":")[0] for each in sample}) > 300
    assert all(40 <= len(each.content) <= MAX_CONTENT for each in sample)


def test_it_is_the_same_for_the_same_seed(sample: list[Observation]) -> None:
    assert sample_observations(NOW) == sample
    other = sample_observations(NOW, seed=30)
    assert [each.id for each in other] != [each.id for each in sample]


def test_time_runs_forward_and_not_beyond_now(sample: list[Observation]) -> None:
    assert [each.timestamp for each in sample] == sorted(each.timestamp for each in sample)
    assert sample[-1].timestamp < NOW
    assert all(each.timestamp <= each.last_recalled <= NOW for each in sample if each.last_recalled)
