"""Tables of every version open: older ones are brought forward, newer ones are refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from store import open_memory
from store.backends import open_backend
from store.backends.postgres import connections
from store.backends.text_kinds import TextKind
from store.errors import NoMemory, StoreError
from tests.postgres import database, project_of

psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed")
_OLDEST = Path(__file__).with_name("oldest.sql")
"""The tables as version 1 made them. Never to be changed: databases out there have them."""
_FILLED = """
    insert into memtui.versions (version) values (1);
    insert into memtui.projects (name) values ('heron');
    insert into memtui.memories (project, issue, memory_id, agent_id, memory_type, category,
            content, summary, tokens, "timestamp", keywords, metadata)
        values (1, 29, 'obs-1', 'engineer', 'semantic', 'decision', 'Chose per-issue files.',
            'Chose files', 12, '2026-03-01 10:00Z', '{store}', '{"extra": 1}');
    insert into memtui.memories (project, issue, location, memory_id, agent_id, category, content,
            summary, tokens, "timestamp", record)
        values (1, 29, 'archive', 'obs-2', 'engineer', 'decision', 'Older.', 'Older', 3,
            '2026-02-01 10:00Z', convert_to('{"id": "obs-2", "content": "Older."}', 'UTF8'));
    insert into memtui.texts values (1, 'recalls', 'abc', 'Told.', now(), 1);
    insert into memtui.logs (project, ends) values (1, 21);
    insert into memtui.activity (project, ends, entry) values (1, 21, '{"type": "refreshed"}');
"""


@pytest.fixture
def empty(postgres: str) -> Iterator[str]:
    """A database without tables of ours."""
    with database(postgres) as url:
        yield url


@pytest.fixture
def oldest(empty: str) -> str:
    """A database that version 1 made and filled."""
    with psycopg.connect(empty, autocommit=True) as connection:
        connection.execute("create schema memtui")
        connection.execute(_OLDEST.read_text("utf-8"))
        connection.execute(_FILLED)
    return empty


def _version(url: str) -> int:
    with psycopg.connect(url) as connection:
        return connections.version_of(connection)


def test_a_memory_of_the_oldest_version_is_all_there(oldest: str, tmp_path: Path) -> None:
    with open_memory(project_of(oldest, "heron"), cache=tmp_path) as memory:
        (found,) = memory.by_issue(29)
        assert (found.id, found.content, found.tags) == (
            "obs-1",
            "Chose per-issue files.",
            ("store",),
        )
        assert [hit.entry.id for hit in memory.search("files").hits] == ["obs-1"]
        memory.apply(memory.plan.archive(["obs-1"]))
        memory.undo()
        assert [it.id for it in memory.by_issue(29)] == ["obs-1"]
    backend = open_backend(project_of(oldest, "heron"))
    kept = {it.value["id"]: it.text for it in backend.read(29).parts["archive"].records}
    assert kept == {"obs-2": b'{"id": "obs-2", "content": "Older."}'}
    assert backend.texts.read(TextKind.RECALLS, "abc") == b"Told."
    assert b'{"type": "refreshed"}' in backend.log.lines()[0]
    backend.release()
    assert _version(oldest) == max(connections.versions())


@pytest.fixture
def scripts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Scripts of versions to come, beside the first."""
    (tmp_path / "001-tables.sql").write_text(_OLDEST.read_text("utf-8"))
    monkeypatch.setattr(connections, "_VERSIONS", tmp_path)
    connections.versions.cache_clear()
    yield tmp_path
    connections.versions.cache_clear()


def test_a_script_that_fails_leaves_all_as_it_was(oldest: str, scripts: Path) -> None:
    (scripts / "002-more.sql").write_text("alter table memtui.memories add more text;")
    (scripts / "003-broken.sql").write_text("update memtui.nothing set more = 1;")
    with pytest.raises(StoreError, match="nothing"):
        open_backend(project_of(oldest, "heron")).read(29)
    assert _version(oldest) == 1
    with psycopg.connect(oldest) as connection:
        columns = connection.execute(
            "select column_name from information_schema.columns where table_name = 'memories'"
        ).fetchall()
    assert ("more",) not in columns


def test_tables_of_a_newer_version_are_refused(empty: str) -> None:
    newest = max(connections.versions())
    first = open_backend(empty)
    assert first.read(29).parts == {}
    first.release()
    with psycopg.connect(empty) as connection:
        connection.execute("insert into memtui.versions (version) values (%s)", (newest + 1,))
    backend = open_backend(empty)
    for ask in (lambda: backend.read(29), lambda: backend.texts.remove(TextKind.RECALLS, "abc")):
        with pytest.raises(NoMemory, match=f"tables are version {newest + 1}, this one") as raised:
            ask()
        assert raised.value.hint == "Upgrade memtui."
    backend.release()
