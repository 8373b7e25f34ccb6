"""Another way to search the same observations, as strong as its design allows.

It is measured in the same run on the same data, so that a ratio means something on any machine.
"""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from store.model import Observation

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Answer:
    """What each peer must find out for a query: the rows, how many there are, and of what."""

    total: int
    ids: tuple[str, ...]
    agents: dict[str, int]
    categories: dict[str, int]


class Fts5:
    """SQLite FTS5 with porter stemming and a prefix index, in a file.

    What is counted stands in a narrow table of its own, and the pages stay in memory: reading each
    match's whole row through the default cache of 2 MB, a common word takes twice as long.
    """

    def __init__(self, path: Path, observations: Iterable[Observation]) -> None:
        self._base = sqlite3.connect(path)
        self._base.executescript(
            """
            PRAGMA journal_mode = WAL;
            PRAGMA cache_size = -262144;
            CREATE TABLE docs(
                id TEXT, agent TEXT, issue INTEGER, category TEXT, time REAL, tokens INTEGER,
                summary TEXT, content TEXT);
            CREATE VIRTUAL TABLE fts USING fts5(
                content, content='docs', tokenize='porter unicode61', prefix='2 3');
            """
        )
        self._base.executemany(
            "INSERT INTO docs VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                (o.id, o.agent, o.issue_number, str(o.category), o.timestamp.timestamp(), o.tokens,
                 o.summary, o.content)
                for o in observations
            ),
        )  # fmt: skip
        self._base.executescript(
            """
            INSERT INTO fts(fts) VALUES ('rebuild');
            INSERT INTO fts(fts) VALUES ('optimize');
            CREATE INDEX docs_id ON docs(id);
            CREATE TABLE kinds(id INTEGER PRIMARY KEY, agent TEXT, category TEXT);
            INSERT INTO kinds SELECT rowid, agent, category FROM docs;
            ANALYZE;
            """
        )
        self._base.commit()

    def search(self, typed: str, limit: int = 50) -> Answer:
        """All words, the last as a prefix: ranked rows with snippets, counts by kind."""
        match = _fts_query(typed)
        rows = self._base.execute(
            """
            SELECT docs.id, docs.agent, docs.issue, docs.category, docs.time, docs.tokens,
                   docs.summary, snippet(fts, 0, '[', ']', '…', 24)
            FROM fts JOIN docs ON docs.rowid = fts.rowid
            WHERE fts MATCH ? ORDER BY fts.rank LIMIT ?
            """,
            (match, limit),
        ).fetchall()
        agents: Counter[str] = Counter()
        categories: Counter[str] = Counter()
        for agent, category, count in self._base.execute(
            """
            SELECT kinds.agent, kinds.category, count(*)
            FROM fts JOIN kinds ON kinds.id = fts.rowid WHERE fts MATCH ? GROUP BY 1, 2
            """,
            (match,),
        ):
            agents[agent] += count
            categories[category] += count
        ids = tuple(row[0] for row in rows)
        return Answer(agents.total(), ids, dict(agents), dict(categories))

    def get(self, identifier: str) -> str:
        row = self._base.execute("SELECT content FROM docs WHERE id = ?", (identifier,)).fetchone()
        return str(row[0])

    def close(self) -> None:
        """Close the file."""
        self._base.close()


def _fts_query(typed: str) -> str:
    """The words as FTS5 phrases, so that nothing in them is syntax; the last one a prefix."""
    words = _WORD.findall(typed)
    if not words:
        return '""'
    ending = "*" if typed[-1:].isalnum() else ""
    return " ".join(f'"{word}"' for word in words) + ending
