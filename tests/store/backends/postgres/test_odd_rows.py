"""Rows that another program wrote oddly: passed over and named, and no longer taken."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from store import open_memory
from store.doctor.findings import FindingKind
from tests.postgres import database
from tests.store.factories import observation

psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed")
DEEP = "[" * 2_000 + "]" * 2_000
_CONSTRAINTS = {
    "memories": ("issue_is_count", "record_is_json", "metadata_is_object"),
    "issues": ("issue_is_count",),
}
_ODD = {
    "an issue below 0": ("-1", "null", "null"),
    "a record that is no JSON": ("29", "'{\"id\": '::bytea", "null"),
    "a deep record": ("29", f"'{DEEP}'::bytea", "null"),
    "deep metadata": ("29", "null", f"'{{\"a\": {DEEP}}}'::jsonb"),
}


def _insert(connection: Any, issue: str, record: str, metadata: str) -> None:  # noqa: ANN401
    connection.execute(
        "insert into memtui.memories (project, issue, memory_id, content, record, metadata) "
        f"select project, {issue}, 'odd', 'Odd.', {record}, {metadata} from memtui.projects"
    )


@pytest.fixture
def url(postgres: str) -> Iterator[str]:
    """A database of its own: its tables are changed."""
    with database(postgres) as made:
        yield made


def test_odd_rows_fail_nothing(url: str, tmp_path: Path) -> None:
    with open_memory(url, cache=tmp_path / "cache") as memory:
        memory.store([observation("Chose files", id="obs-1")])
        with psycopg.connect(url, autocommit=True) as connection:
            for table, names in _CONSTRAINTS.items():
                for name in names:
                    connection.execute(f"alter table memtui.{table} drop constraint {name}")
            for odd in _ODD.values():
                _insert(connection, *odd)
        memory.index.refresh()
        assert [it.content for it in memory.by_issue(29)] == ["Chose files"]
        assert memory.search("files").total == 1
        memory.apply(memory.plan.edit("obs-1", {"pinned": True}))
        memory.store([observation("And a second", id="obs-2")])
        found = [it.kind for it in memory.doctor.examine().findings if it.is_problem]
        assert FindingKind.INVALID in found


@pytest.mark.parametrize("place", ["NaN"])
def test_a_place_that_is_no_number_stops_no_writer(url: str, tmp_path: Path, place: str) -> None:
    with open_memory(url, cache=tmp_path / "cache") as memory:
        memory.store([observation("Chose files", id="obs-1")])
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("update memtui.memories set place = %s", (place,))
            connection.execute("update memtui.issues set ends = %s", (place,))
        memory.store([observation("And a second", id="obs-2")])
        memory.apply(memory.plan.edit("obs-1", {"content": "Chose JSON files"}))
        assert {it.content for it in memory.by_issue(29)} == {"Chose JSON files", "And a second"}


def test_what_no_reader_takes_is_not_written(url: str, tmp_path: Path) -> None:
    with open_memory(url, cache=tmp_path / "cache") as memory:
        memory.store([observation("Chose files", id="obs-1")])
    with psycopg.connect(url, autocommit=True) as connection:
        for odd in ("an issue below 0", "a record that is no JSON"):
            with pytest.raises(psycopg.errors.CheckViolation):
                _insert(connection, *_ODD[odd])
