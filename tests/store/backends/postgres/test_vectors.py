"""Embeddings in a table beside memory, as docs/postgres.md shows it, stay in step with it."""

from __future__ import annotations

import re
from pathlib import Path

import psycopg
import pytest

from store import open_memory
from tests.postgres import database, project_of
from tests.store.factories import observation

_PAGE = Path(__file__).parents[4] / "docs" / "postgres.md"


def _statements() -> list[str]:
    """The statements of the page: extension, table, what is to be made, the nearest."""
    page = _PAGE.read_text("utf-8")
    found = next(it for it in re.findall(r"```sql\n(.*?)```", page, re.S) if "embeddings" in it)
    return [it.strip() for it in found.split(";") if it.strip()]


def _embedded(text: str) -> str:
    """A tiny embedder: how often each of some letters occurs."""
    counts = [text.lower().count(letter) for letter in "aeiourst"]
    return str([*counts, *[0] * (384 - len(counts))])


def test_embeddings_in_a_table_of_ones_own_follow_memory(postgres: str, tmp_path: Path) -> None:
    extension, table, missing, nearest = _statements()
    with database(postgres) as url, psycopg.connect(url, autocommit=True) as theirs:
        try:
            theirs.execute(extension)
        except psycopg.Error:
            pytest.skip("pgvector is not in this server")
        with open_memory(project_of(url), cache=tmp_path / "cache") as memory:
            first, second = memory.store([observation("The lock waits"), observation("A cold cue")])
            theirs.execute(table)

            def embed() -> int:
                rows = theirs.execute(missing).fetchall()
                for number, content in rows:
                    theirs.execute(
                        "insert into embeddings values (%s, md5(%s), %s) on conflict (number) "
                        "do update set made_of = excluded.made_of, embedding = excluded.embedding",
                        (number, content, _embedded(content)),
                    )
                return len(rows)

            def found(text: str) -> str:
                row = theirs.execute(nearest, {"embedding": _embedded(text)}).fetchone()
                assert row is not None
                return str(row[0])

            assert embed() == 2
            assert (found("the lock waits"), found("a cold cue")) == (first, second)
            memory.apply(memory.plan.archive([first]))
            memory.undo()
            assert embed() == 0, "it keeps its number"
            memory.apply(memory.plan.edit(second, {"content": "Retries are still off"}))
            assert embed() == 1, "what was edited is to be made again"
            assert found("retries are still off") == second
            memory.apply(memory.plan.remove([first]))
            (left,) = theirs.execute("select count(*) from embeddings").fetchone() or (None,)
            assert left == 1
            memory.undo()
            assert embed() == 1
            assert found("the lock waits") == first
