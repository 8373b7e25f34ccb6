"""Of a large issue only what changed is read, by who knew it and by who adds to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from tantivy import Query

from store.backends.postgres import backend as module
from store.backends.postgres.backend import PostgresBackend
from store.backends.postgres.records import ask_for_issues
from store.model import Location
from store.operations.batch import store_batch
from store.search.documents import observation_of
from store.search.index import SearchIndex
from store.validation.prepare import prepare
from tests.store.factories import NOW, Ids, observation, record

psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed")
_LARGE = record("0", content="x" * 1_000_000)
Asked = list[Sequence[int]]


@pytest.fixture
def large(backend: PostgresBackend) -> PostgresBackend:
    """A memory with a large issue, which has four small memories too."""
    with backend.changing(29) as held:
        for value in (_LARGE, *(record(name, content=f"Of {name}") for name in "abcd")):
            held.append(Location.ISSUE, value)
    return backend


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    """The issues that are read whole."""
    found: Asked = []

    def noted(connection: Any, project: int, issues: Sequence[int]) -> Any:  # noqa: ANN401
        found.extend([issues] * bool(issues))
        return ask_for_issues(connection, project, issues)

    monkeypatch.setattr(module, "ask_for_issues", noted)
    return found


def _documents(index: SearchIndex) -> list[tuple[str, str, bool]]:
    searcher = index.searcher
    hits = searcher.search(Query.all_query(), 1_000).hits
    documents = [searcher.doc(address) for _, address in hits]
    known = [(observation_of(it), bool(it.get_first("archived"))) for it in documents]
    return sorted((it.id, it.content[:99], archived) for it, archived in known)


def _since(backend: PostgresBackend, known: dict[int, str]) -> frozenset[str] | None:
    (records,) = backend.read_each([29], known)
    return records.only


def test_an_index_follows_row_by_row(
    large: PostgresBackend, other: PostgresBackend, postgres: str, asked: Asked
) -> None:
    index = SearchIndex(other, None)
    index.catch_up()
    begun = len(asked)

    def put(value: dict[str, Any], location: Location = Location.ISSUE) -> None:
        with large.changing(29) as held:
            held.put(location, value)

    def archive(name: str) -> None:
        with large.changing(29) as held:
            held.drop(Location.ISSUE, name)
            held.put(Location.ARCHIVE, record(name))

    def drop(name: str) -> None:
        with large.changing(29) as held:
            held.drop(Location.ISSUE, name)

    def run(statement: str) -> None:
        with psycopg.connect(postgres) as connection:
            connection.execute(statement)

    steps: list[Callable[[], None]] = [
        lambda: put(record("e")),
        lambda: put(record("a", content="Again")),
        lambda: archive("b"),
        lambda: put(record("b")),
        lambda: drop("c"),
        lambda: put(record("c", content="Once more")),
        lambda: run("update memtui.memories set content = 'By SQL' where memory_id = 'd'"),
        lambda: run("update memtui.memories set location = 'archive' where memory_id = 'd'"),
        lambda: run("delete from memtui.memories where memory_id = 'e'"),
        lambda: run(
            "update memtui.memories set memory_id = 'f', issue = 30 where memory_id = 'a' "
            "and content = 'Again'"
        ),
    ]
    for step in steps:
        step()
        ours = len(asked)
        index.catch_up()
        assert all(29 not in issues for issues in asked[max(ours, begun) :])
        anew = SearchIndex(large, None)
        anew.catch_up()
        assert _documents(index) == _documents(anew)


def test_what_is_not_known_is_read_whole(large: PostgresBackend, postgres: str) -> None:
    def stamps() -> dict[int, str]:
        return dict(large.changes_since({}).stamps)

    first = stamps()
    with large.changing(29) as held:
        held.put(Location.ISSUE, record("e"))
    assert _since(large, first) == frozenset({"e"})
    assert large.changes_since(first).sizes == {29: 1_000}
    assert large.changes_since({}).sizes[29] > 1_000_000
    assert _since(large, {29: "1-1700000000.000001"}) is None
    assert _since(large, {}) is None
    for name in ("with space", "o" * 101):
        before = stamps()
        with large.changing(29) as held:
            held.put(Location.ISSUE, record(name))
        assert _since(large, before) is None
    before = stamps()
    with large.changing(29) as held:
        for number in range(101):
            held.put(Location.ISSUE, record(f"n{number}"))
    assert _since(large, before) is None
    with psycopg.connect(postgres) as connection:
        connection.execute("delete from memtui.memories where memory_id = '0'")
    before = stamps()
    with large.changing(29) as held:
        held.put(Location.ISSUE, record("f"))
    assert _since(large, before) is None, "it is small now"


def test_the_last_changes_of_a_large_issue_are_known(large: PostgresBackend) -> None:
    known = []
    for number in range(5):
        known.append(dict(large.changes_since({}).stamps))
        with large.changing(29) as held:
            for each in range(60):
                held.put(Location.ISSUE, record(f"n{number}x{each}"))
    found = [_since(large, stamps) for stamps in known]
    assert found[0] is None
    assert [len(it or ()) for it in found[2:]] == [180, 120, 60]


def test_who_adds_to_a_large_issue_reads_what_it_looks_for(
    large: PostgresBackend, asked: Asked
) -> None:
    with large.changing(29) as held:
        held.put(Location.ARCHIVE, record("z"), 0)
    asked.clear()
    ids = Ids()
    batch = [observation(said) for said in ("New", "Of a", "New too", "New")]
    report = store_batch(large, batch, lambda item: prepare(item, NOW, ids))
    assert not asked
    assert len(report.stored) == 2
    assert report.ids[1] == "a"
    found = large.read(29).observations()
    assert [it.content for it in found[-2:]] == ["New", "New too"]
    assert [it.id for it in found[:5]] == ["0", "a", "b", "c", "d"]
    assert found[1].seen_count == 2
