"""Other ways to keep and search the same observations, as strong as their design allows.

They are measured in the same run on the same data, so that a ratio means something on any machine.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

import orjson

from store.model import Observation
from store.records import entry_record, format_time, to_record
from tests.bench.generate import NOW
from tests.bench.words import FUNCTION_WORDS

_WORD = re.compile(r"\w+")
_STOP_WORDS = frozenset(FUNCTION_WORDS)


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


class KeywordOverlap:
    """The seeds' search (SPEC-29 §5.3): words of the query counted in each summary."""

    def __init__(self, observations: Iterable[Observation]) -> None:
        self._entries = [
            (o.id, o.agent, str(o.category), frozenset(o.summary.lower().split()))
            for o in observations
        ]

    def search(self, typed: str, limit: int = 20) -> Answer:
        """The entries that share a word with the query, those that share most first."""
        words = {word for word in typed.lower().split() if word not in _STOP_WORDS}
        found = [(len(shared), entry) for entry in self._entries if (shared := words & entry[3])]
        found.sort(key=lambda scored: -scored[0])
        agents = Counter(entry[1] for _, entry in found)
        categories = Counter(entry[2] for _, entry in found)
        ids = tuple(entry[0] for _, entry in found[:limit])
        return Answer(len(found), ids, dict(agents), dict(categories))


@dataclass(frozen=True, slots=True)
class Codec:
    """A way to read and write JSON."""

    loads: Callable[[bytes], Any]
    dumps: Callable[[object], bytes]


PLAIN = Codec(
    json.loads, lambda value: json.dumps(value, indent=2, ensure_ascii=False).encode("utf-8")
)
"""The standard library's, indented as the files of SPEC-29 §4.2."""
FASTEST = Codec(orjson.loads, partial(orjson.dumps, option=orjson.OPT_INDENT_2))


class ManifestStore:
    """Writes as SPEC-29 §2.2 describes: the issue file, then the whole manifest; no fsync.

    Each file is read, appended to and written again under a lock file of its own. The manifest is
    read too, since the lock is there for the other programs that append to it (§11).
    """

    codec: ClassVar[Codec] = PLAIN

    def __init__(self, folder: Path, observations: Iterable[Observation]) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._lay_out([entry_record(each) for each in observations])

    def lay(self, batch: Sequence[Observation]) -> None:
        """Write the file of an issue that the manifest is not to know of."""
        self._append(self._path(batch[0].issue_number), batch)

    def store(self, batch: Sequence[Observation]) -> None:
        """Append a batch of one issue."""
        path = self._path(batch[0].issue_number)
        with _locked(path):
            self._append(path, batch)
        with _locked(self._manifest):
            entries = [*self._entries(), *(entry_record(each) for each in batch)]
            self._write_manifest(entries)

    @property
    def _manifest(self) -> Path:
        return self._folder / "manifest.json"

    def _path(self, issue: int) -> Path:
        return self._folder / f"issue-{issue}.json"

    def _lay_out(self, entries: list[dict[str, Any]]) -> None:
        # Laying out is not measured.
        self._manifest.write_bytes(FASTEST.dumps({"version": 1, "entries": entries}))

    def _entries(self) -> list[dict[str, Any]]:
        entries: list[dict[str, Any]] = self.codec.loads(self._manifest.read_bytes())["entries"]
        return entries

    def _append(self, path: Path, batch: Sequence[Observation]) -> None:
        file: dict[str, Any] = {"version": 1, "issueNumber": batch[0].issue_number}
        if path.exists():
            file = self.codec.loads(path.read_bytes())
        records = [*file.get("observations", ()), *(to_record(each) for each in batch)]
        written = {**file, "updatedAt": format_time(NOW), "observations": records}
        path.write_bytes(self.codec.dumps(written))

    def _write_manifest(self, entries: list[dict[str, Any]]) -> None:
        manifest = {"version": 1, "updatedAt": format_time(NOW), "entries": entries}
        self._manifest.write_bytes(self.codec.dumps(manifest))


class CachedManifestStore(ManifestStore):
    """The same as strong as the design allows: no manifest is read, the fastest encoder writes.

    The entries stay in memory between writes (§7.2): right only where nobody else writes.
    """

    codec: ClassVar[Codec] = FASTEST

    def _lay_out(self, entries: list[dict[str, Any]]) -> None:
        self._kept = entries

    def _entries(self) -> list[dict[str, Any]]:
        return self._kept

    def _write_manifest(self, entries: list[dict[str, Any]]) -> None:
        super()._write_manifest(entries)
        self._kept = entries


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold the lock file beside a file, created exclusively."""
    lock = Path(f"{path}.lock")
    os.close(os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
    try:
        yield
    finally:
        lock.unlink()


class Bm25s:
    """The bm25s package with English stemming; it has neither prefixes nor counts of its own."""

    def __init__(self, observations: Iterable[Observation]) -> None:
        bm25s: Any = import_module("bm25s")
        self._package = bm25s
        self._stemmer: Any = import_module("Stemmer").Stemmer("english")
        kept = [(o.id, o.agent, str(o.category), o.content) for o in observations]
        self._kept = kept
        tokens = bm25s.tokenize(
            [each[3] for each in kept], stopwords="en", stemmer=self._stemmer, show_progress=False
        )
        self._index = bm25s.BM25()
        self._index.index(tokens, show_progress=False)

    def search(self, typed: str, limit: int = 50) -> Answer:
        """The best rows for any of the words, and counts over all that score."""
        tokens = self._package.tokenize(
            [typed], stopwords="en", stemmer=self._stemmer, show_progress=False, return_ids=False
        )[0]
        scores = self._index.get_scores(tokens) if tokens else None
        if scores is None:
            return Answer(0, (), {}, {})
        found = scores.nonzero()[0]
        best = found[(-scores[found]).argsort(kind="stable")[:limit]]
        agents = Counter(self._kept[at][1] for at in found)
        categories = Counter(self._kept[at][2] for at in found)
        ids = tuple(self._kept[at][0] for at in best)
        return Answer(len(found), ids, dict(agents), dict(categories))


def _fts_query(typed: str) -> str:
    """The words as FTS5 phrases, so that nothing in them is syntax; the last one a prefix."""
    words = _WORD.findall(typed)
    if not words:
        return '""'
    ending = "*" if typed[-1:].isalnum() else ""
    return " ".join(f'"{word}"' for word in words) + ending
