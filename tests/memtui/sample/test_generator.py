"""The demo's observations hold together as a project's memory would."""

from __future__ import annotations

from collections import Counter, defaultdict
from datetime import UTC, datetime, timedelta

import pytest

from memtui.sample import sample_observations
from memtui.sample.stories import parse_story, sessions
from store.model import MAX_CONTENT, Category, Observation

NOW = datetime(2026, 3, 14, 15, 9, 26, tzinfo=UTC)


@pytest.fixture(scope="module")
def sample() -> list[Observation]:
    return sample_observations(NOW)


def test_it_is_as_rich_as_a_real_project(sample: list[Observation]) -> None:
    assert 300 <= len(sample) <= 450
    assert len({each.issue_number for each in sample}) >= 13
    assert 0 in {each.issue_number for each in sample}
    assert len({each.agent for each in sample}) == 7
    assert {each.category for each in sample} == set(Category)
    assert sample[-1].timestamp - sample[0].timestamp > timedelta(days=120)


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


def test_any_time_of_day_will_do() -> None:
    early = datetime(2026, 1, 1, 0, 0, 1, tzinfo=UTC)
    assert max(each.timestamp for each in sample_observations(early)) < early


def test_ids_say_what_they_belong_to(sample: list[Observation]) -> None:
    assert len({each.id for each in sample}) == len(sample)
    for each in sample:
        agent = each.agent.replace("-", "")
        milliseconds = int(each.timestamp.timestamp() * 1_000)
        assert each.id.startswith(f"obs-{agent}-{each.issue_number}-{milliseconds}-")


def test_sessions_hold_several_observations(sample: list[Observation]) -> None:
    sizes = Counter(each.session_id for each in sample)
    assert sum(size >= 3 for size in sizes.values()) > 60
    agents = defaultdict(set)
    for each in sample:
        agents[each.session_id].add((each.agent, each.issue_number))
    assert all(len(who) == 1 for who in agents.values())


def test_all_that_can_be_marked_is_marked(sample: list[Observation]) -> None:
    assert sum(each.pinned for each in sample) >= 5
    assert sum(each.muted for each in sample) >= 2
    assert sum(each.is_open_task for each in sample) >= 5
    assert any("done" in each.tags for each in sample)
    assert any(each.recall_count > 5 for each in sample)
    assert any(not each.content.isascii() and "配達完了" in each.content for each in sample)
    assert any("```" in each.content for each in sample)
    assert not any(mark in each.content for mark in ("{day", "{p95") for each in sample)


def test_a_summary_names_what_it_stands_for(sample: list[Observation]) -> None:
    archived = {each.id for each in sample if each.archived}
    named = {source for each in sample for source in each.sources}
    assert len(archived) > 10
    assert named == archived
    issue_of = {each.id: each.issue_number for each in sample}
    for each in sample:
        assert all(issue_of[source] == each.issue_number for source in each.sources)


def test_a_story_follows_its_own_order() -> None:
    told = sessions()
    assert len(told) > 80
    assert all(session.statements for session in told)
    assert min(session.days_ago for session in told) >= 1


def test_a_misspelt_heading_is_refused() -> None:
    with pytest.raises(ValueError, match="not a heading"):
        parse_story(7, "@@ yesterday engineer\ntext")
