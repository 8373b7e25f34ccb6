"""The sample as a store on disk."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memtui.sample import sample_observations, write_sample_store, write_waiting_sessions
from memtui.sample.repetitions import repetitions_of
from store import Memory, open_memory
from store.agents.client import Home
from store.backends.location import FOLDER

NOW = datetime(2026, 3, 14, 15, 9, 26, tzinfo=UTC)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample, its cache beside it; nobody changes it."""
    folder = tmp_path_factory.mktemp("sample")
    return write_sample_store(folder / "memory", NOW, cache=folder / "cache")


@pytest.fixture
def memory(written: Path) -> Iterator[Memory]:
    with open_memory(written, cache=written.parent / "cache", clock=lambda: NOW) as memory:
        yield memory


def test_the_store_holds_what_was_told(memory: Memory) -> None:
    told = sample_observations(NOW)
    for each in told:
        kept = memory.get(each.id)
        moment = each.timestamp.replace(microsecond=each.timestamp.microsecond // 1000 * 1000)
        assert kept.content == each.content  # nothing in it looks like a secret
        assert (kept.timestamp, kept.tags) == (moment, each.tags)
        assert (kept.pinned, kept.muted, kept.archived) == (
            each.pinned,
            each.muted,
            each.archived,
        )
        assert kept.sources == each.sources
        assert 0 <= kept.recall_count - each.recall_count <= 4  # the injections
    archived = [each for each in told if each.archived]
    again = repetitions_of(told)
    captured = memory.search("agent:claude-code", limit=1).total
    assert captured >= 5
    active = len(told) - len(archived) + len(again) + captured
    assert memory.search("", limit=1).total == active
    assert memory.search("is:archived", limit=1).total == len(archived)
    assert [operation.kind for operation in memory.history.operations()][:3] == [
        "archive",
        "ask",
        "capture",
    ]
    assert not memory.state().problems


def test_each_memory_is_found_by_the_end_of_its_id(memory: Memory) -> None:
    ends = Counter(name[-6:] for name in memory.search_ids(""))
    assert not [end for end, times in ends.items() if times > 1]


def test_compacting_saves_a_tenth_at_least(memory: Memory) -> None:
    tokens = memory.compaction.plan(all=True).tokens
    assert tokens.after < 0.9 * tokens.before


def test_compacting_the_issue_offered_first_saves_something(memory: Memory) -> None:
    newest = memory.search("sort:newest", limit=1).hits[0].entry
    tokens = memory.compaction.plan(issue=newest.issue_number).tokens
    assert tokens.after < tokens.before


def test_sessions_of_two_clients_wait_to_be_captured(memory: Memory, tmp_path: Path) -> None:
    project = tmp_path / "heron"
    write_waiting_sessions(tmp_path, project, NOW)
    with open_memory(project / FOLDER, cache=tmp_path / "cache", clock=lambda: NOW) as fresh:
        files = fresh.session_files.of_project(Home(tmp_path, {}))
        plan = fresh.capture.plan_files(files)
    assert [file.client for file in files] == ["claude-code", "codex"]
    assert {kept.observation.agent for kept in plan.kept} == {"claude-code", "codex"}
    assert len(plan.kept) >= 4


def test_one_question_waits_and_one_was_answered(memory: Memory) -> None:
    questions = memory.clarifications.read().clarifications
    assert {(question.topic, len(question.thread)) for question in questions} == {
        ("Rounding of payouts", 2),
        ("Photos taken offline", 1),
    }
