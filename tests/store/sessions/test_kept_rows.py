"""What is kept of sessions and how they are told apart, by rows: messages, marks, lists."""

from __future__ import annotations

import gzip
import json
from datetime import timedelta
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pytest

from store.platform.stamp import FileStamp
from store.search.query import Filter, Query
from store.sessions import messages
from store.sessions.listing import Listed, has, narrowed
from store.sessions.messages import from_bytes, to_bytes
from store.sessions.model import ANSWER, REQUEST, Passage, SessionDigest
from store.sessions.seen import (
    FORMAT,
    FileMark,
    IndexedDigest,
    Seen,
    file_key,
    load_seen,
    seen_as_json,
    segments_in,
)
from tests.store.factories import NOW

MINUTE = timedelta(minutes=1)
WHOLE = Passage(3, ANSWER, "Done", NOW, 2, ("a.py",))


def _packed(*lines: object) -> bytes:
    said = (it if isinstance(it, str) else json.dumps(it) for it in lines)
    return gzip.compress("\n".join(said).encode())


def test_messages_come_back_as_they_were() -> None:
    found = [
        WHOLE,
        Passage(4, REQUEST, "Why?"),
        Passage(5, ANSWER, "x\ud800", None, 0, ("\ud800",)),
    ]
    data = to_bytes(found)
    assert data == to_bytes(found)
    assert gzip.decompress(data).split(b"\n") == [
        b'{"line":3,"role":"answer","text":"Done","at":"2026-03-01T12:00:00.000Z","part":2,'
        b'"files":["a.py"]}',
        b'{"line":4,"role":"request","text":"Why?"}',
        b'{"line":5,"role":"answer","text":"x?","files":["?"]}',
    ]
    assert from_bytes(data) == [*found[:2], Passage(5, ANSWER, "x?", None, 0, ("?",))]
    assert from_bytes(to_bytes([])) == []


def test_no_more_is_unpacked_than_so_many_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    first = json.dumps({"line": 1, "text": "a"})
    for more, number in ((0, 1), (-1, 0)):
        monkeypatch.setattr(messages, "_MOST", len(first) + more)
        assert len(from_bytes(_packed(first, first))) == number


SEEN = Seen(
    {"a": IndexedDigest("s", "1 2")},
    {"0f": FileMark(5, 6, "s")},
    {"messages/x.idx": FileStamp(1, 2, 3, 4), "sessions/y": FileStamp(5, 6, 7, 8)},
)


def test_what_was_seen_comes_back_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "seen.json"
    path.write_bytes(seen_as_json(SEEN))
    assert load_seen(path) == SEEN
    assert segments_in(SEEN, "messages") == {"x.idx": FileStamp(1, 2, 3, 4)}
    assert segments_in(SEEN, "message") == {}
    said = json.loads(path.read_bytes())
    assert list(said) == ["format", "digests", "files", "segments"]
    assert said["format"] == FORMAT
    assert file_key("/a") == file_key(Path("/a")) == blake2b(b"/a", digest_size=16).hexdigest()
    path.write_text(json.dumps({**said, "files": {"/home/a.jsonl": [5, 6, "s"]}}))
    found = load_seen(path)
    assert found is not None
    assert found.files == {file_key("/home/a.jsonl"): FileMark(5, 6, "s")}


def _digest(name: str, minutes: int = 0, **more: Any) -> SessionDigest:  # noqa: ANN401
    return SessionDigest(name, ended=NOW + minutes * MINUTE, **more)


SESSION = _digest(
    "abc-1", agent="codex", branch="main", issue=29, changed={"shop/a.py": 1}, read={"b.py": 1}
)


@pytest.mark.parametrize(
    ("query", "is_so"),
    [
        (Query(), True),
        (Query(after=NOW), True),
        (Query(after=NOW + MINUTE), False),
        (Query(before=NOW), False),
        (Query(before=NOW + MINUTE), True),
        (Query(filters=(Filter("file", ("a.py",)),)), True),
        (Query(filters=(Filter("file", ("x.py", "b.py")),)), True),
        (Query(filters=(Filter("file", ("x.py",)),)), False),
        (Query(filters=(Filter("file", ("a.py",), negated=True),)), False),
        (Query(filters=(Filter("branch", ("main",)),)), True),
        (Query(filters=(Filter("tag", ("#main",)),)), True),
        (Query(filters=(Filter("tag", ("mai",)),)), False),
        (Query(filters=(Filter("agent", ("codex",)),)), True),
        (Query(filters=(Filter("agent", ("claude",)),)), False),
        (Query(filters=(Filter("issue", ("29",)),)), True),
        (Query(filters=(Filter("issue", ("2",)),)), False),
        (Query(filters=(Filter("id", ("c-1",)),)), True),
        (Query(filters=(Filter("id", ("abc",)),)), False),
        (Query(filters=(Filter("category", ("error",)),)), False),
        (Query(filters=(Filter("agent", ("codex",)), Filter("issue", ("7",)))), False),
    ],
)
def test_which_sessions_a_query_names(query: Query, is_so: bool) -> None:
    assert has(SESSION, query) is is_so
    rows = [Listed("x", NOW), Listed("abc-1", NOW, SESSION)]
    assert narrowed(rows, query) == (rows[1:] if is_so else [])
