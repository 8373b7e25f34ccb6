"""Other ways to keep and search the same observations, as strong as their design allows.

They are measured in the same run on the same data, so that a ratio means something on any machine.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from store.model import Observation
from store.records import entry_record, format_time, to_record
from tests.bench.generate import NOW

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
        """The content of one observation."""
        row = self._base.execute("SELECT content FROM docs WHERE id = ?", (identifier,)).fetchone()
        return str(row[0])

    def close(self) -> None:
        """Close the file."""
        self._base.close()


class ManifestStore:
    """Writes as SPEC-29 §2.2 describes: the issue file, then the whole manifest; no fsync.

    Each file is read, appended to and written again under a lock file of its own, with the standard
    library's JSON, indented (§4.2). The manifest is read too, since the lock is there for the other
    programs that append to it (§11).
    """

    def __init__(self, folder: Path, observations: Iterable[Observation]) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        entries = list(map(entry_record, observations))
        self._manifest.write_bytes(orjson.dumps({"version": 1, "entries": entries}))

    def lay(self, batch: Sequence[Observation]) -> None:
        """Write the file of an issue that the manifest is not to know of."""
        self._append(self._path(batch[0].issue_number), batch)

    def store(self, batch: Sequence[Observation]) -> None:
        """Append a batch of one issue."""
        path = self._path(batch[0].issue_number)
        with _locked(path):
            self._append(path, batch)
        with _locked(self._manifest):
            known = json.loads(self._manifest.read_bytes())["entries"]
            entries = [*known, *map(entry_record, batch)]
            _write(self._manifest, {"version": 1, "entries": entries})

    @property
    def _manifest(self) -> Path:
        return self._folder / "manifest.json"

    def _path(self, issue: int) -> Path:
        return self._folder / f"issue-{issue}.json"

    def _append(self, path: Path, batch: Sequence[Observation]) -> None:
        file: dict[str, Any] = {"version": 1, "issueNumber": batch[0].issue_number}
        if path.exists():
            file = json.loads(path.read_bytes())
        records = [
            *file.get("observations", ()),
            *(to_record(observation) for observation in batch),
        ]
        _write(path, {**file, "observations": records})


def _write(path: Path, content: dict[str, Any]) -> None:
    written = {**content, "updatedAt": format_time(NOW)}
    path.write_text(json.dumps(written, indent=2, ensure_ascii=False), encoding="utf-8")


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold the lock file beside a file, created exclusively."""
    lock = Path(f"{path}.lock")
    os.close(os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
    try:
        yield
    finally:
        lock.unlink()


def _fts_query(typed: str) -> str:
    """The words as FTS5 phrases, so that nothing in them is syntax; the last one a prefix."""
    words = _WORD.findall(typed)
    if not words:
        return '""'
    ending = "*" if typed[-1:].isalnum() else ""
    return " ".join(f'"{word}"' for word in words) + ending
