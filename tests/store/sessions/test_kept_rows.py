"""What is kept of sessions and how they are told apart, by rows: messages, marks, lists."""

from __future__ import annotations

import gzip
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from store.agents.client import SessionFile
from store.backends.memory.backend import Held, MemoryBackend
from store.backends.text_kinds import TextKind
from store.digest import blake2b
from store.disk.stamp import FileStamp
from store.errors import Unreadable, WriteFailed
from store.model import Facets, Hit, IndexEntry, SearchResult
from store.notice import notice
from store.records import InvalidRecord
from store.redaction.outgoing import Outgoing
from store.search.query import Filter, Query, Sort
from store.sessions import messages
from store.sessions import records as session_records
from store.sessions.checkpoint import Checkpoint, Said
from store.sessions.checkpoints import Checkpoints
from store.sessions.listing import Listed, has, listed, narrowed
from store.sessions.messages import from_bytes, to_bytes
from store.sessions.model import ANSWER, REQUEST, Passage, SessionDigest
from store.sessions.record import as_bytes, text_name
from store.sessions.record import from_bytes as from_record_bytes
from store.sessions.search import together
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
from tests.store.factories import NOW, Clock

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


@pytest.mark.parametrize(
    ("record", "found"),
    [
        ({"line": 3, "text": "a"}, Passage(3, REQUEST, "a")),
        ({"line": 3, "text": "a", "role": "other", "part": 1}, Passage(3, REQUEST, "a", None, 1)),
        ({"line": 3, "text": "a", "role": "answer"}, Passage(3, ANSWER, "a")),
        ({"line": 3, "text": "a", "at": "soon"}, Passage(3, REQUEST, "a")),
        ({"line": 3, "text": "a", "at": 7}, Passage(3, REQUEST, "a")),
        (
            {"line": 3, "text": "a", "files": ["b", 7]},
            Passage(3, REQUEST, "a", None, 0, ("b",)),
        ),
        ({"line": 3, "text": "a", "files": "b"}, Passage(3, REQUEST, "a")),
        ({"line": "3", "text": "a"}, None),
        ({"line": 3, "text": 7}, None),
        ({"line": 3, "text": "a", "part": "1"}, None),
        ({"text": "a"}, None),
        ([3], None),
        ("{", None),
    ],
)
def test_what_can_be_read_of_a_message(record: object, found: Passage | None) -> None:
    kept = [] if found is None else [found]
    assert from_bytes(_packed(record, {"line": 9, "text": "z"})) == [
        *kept, Passage(9, REQUEST, "z"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "data", [b"", b"x", _packed({"line": 1, "text": "a"})[:-9]], ids=["empty", "other", "cut"]
)
def test_what_is_no_pack_has_no_messages(data: bytes) -> None:
    assert from_bytes(data) == []


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


@pytest.mark.parametrize(
    "change",
    [
        {"format": "sessions-2-9"},
        {"digests": {"a": 7}},
        {"digests": []},
        {"digests": {"a": ["s"]}},
        {"files": {"a": [1]}},
        {"files": None},
        {"segments": {"a": ["x", 1, 1, 1]}},
        {"segments": {"a": [1]}},
    ],
)
def test_what_was_seen_otherwise_is_not_seen(tmp_path: Path, change: dict[str, Any]) -> None:
    path = tmp_path / "seen.json"
    path.write_text(json.dumps({**json.loads(seen_as_json(SEEN)), **change}))
    assert load_seen(path) is None
    for text in ("[]", "{}", "7", "{", "[" * 9_000):
        path.write_text(text)
        assert load_seen(path) is None
    assert load_seen(tmp_path / "none") is None


class Refusing(MemoryBackend):
    """Keeps what it has where it is to be forgotten, and tells no names."""

    def forget(self, kind: TextKind, name: str) -> None:
        raise WriteFailed("The disk is read-only.", "")


def _kept(backend: MemoryBackend) -> list[str]:
    return sorted(backend.names(TextKind.CHECKPOINTS))


def test_checkpoints_are_kept_by_agent_and_session_and_read_newest_first() -> None:
    backend = MemoryBackend(Held("m"), Clock())
    checkpoints = Checkpoints(backend)
    said = (Said("user", "x\ud800"),)
    for chat, minutes in (("b", 1), ("a", 1), ("", 0), ("c", 2), ("a", 1)):
        checkpoints.write(Checkpoint("qa", NOW + minutes * MINUTE, said, chat))
    assert _kept(backend) == sorted(map(text_name, ("qa", "qa-a", "qa-b", "qa-c")))
    found = checkpoints.valid(NOW)
    assert [it.chat_id for it in found] == ["c", "b", "a", ""]
    assert {it.messages for it in found} == {said}
    backend.keep(TextKind.CHECKPOINTS, "broken", b"{")
    later = NOW + timedelta(days=7, minutes=1)
    refusing = Refusing(backend._held, Clock())
    assert [it.chat_id for it in Checkpoints(refusing).valid(later)] == ["c", "b", "a"]
    assert len(_kept(backend)) == 5
    assert [it.chat_id for it in checkpoints.valid(later)] == ["c", "b", "a"]
    assert _kept(backend) == sorted(map(text_name, ("qa-a", "qa-b", "qa-c")))


def test_without_names_there_is_no_checkpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise Unreadable("It can't be listed.")

    monkeypatch.setattr(MemoryBackend, "names", refused)
    assert Checkpoints(MemoryBackend(Held("m"), Clock())).valid(NOW) == []


def _digest(name: str, minutes: int = 0, **more: Any) -> SessionDigest:  # noqa: ANN401
    return SessionDigest(name, ended=NOW + minutes * MINUTE, **more)


def _file(path: str, session: str = "", minutes: int = 0) -> SessionFile:
    return SessionFile(Path(path), "claude-code", NOW + minutes * MINUTE, 9, session)


@pytest.mark.parametrize(
    ("kept", "waiting", "rows"),
    [
        ([], [], []),
        ([_digest("a"), _digest("b", 1)], [], ["b d", "a d"]),
        ([_digest("a"), _digest("b")], [], ["b d", "a d"]),
        ([], [_file("/x/a.jsonl"), _file("/x/b", "s", 1)], ["s f", "a f"]),
        ([_digest("a", path="/x/a.jsonl")], [_file("/x/a.jsonl", minutes=9)], ["a df"]),
        ([_digest("s", path="/old")], [_file("/x/b", "s")], ["s df"]),
        ([_digest("a", path="/old")], [_file("/x/a.jsonl")], ["a df"]),
        ([_digest("a", path="/x/b")], [_file("/x/b", "s")], ["a df"]),
        ([_digest("a"), _digest("c", -1)], [_file("/x/b", "", -1)], ["a d", "c d", "b f"]),
        ([SessionDigest("n"), _digest("a")], [], ["a d", "n d"]),
    ],
)
def test_the_list_of_sessions(
    kept: list[SessionDigest], waiting: list[SessionFile], rows: list[str]
) -> None:
    found = listed(kept, waiting)
    told = [f"{it.id} {'d' if it.digest else ''}{'f' if it.file else ''}" for it in found]
    assert told == rows


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


def _hit(name: str, score: float, minutes: int, tokens: int, recalled: int) -> Hit:
    entry = IndexEntry(
        id=name, agent="a", issue_number=1, category="decision", summary=name, tokens=tokens,
        timestamp=NOW + minutes * MINUTE, recall_count=recalled,
    )  # fmt: skip
    return Hit(entry, score)


@pytest.mark.parametrize(
    ("sort", "names"),
    [
        ("newest", "cab"),
        ("oldest", "bac"),
        ("tokens", "bca"),
        ("recalled", "abc"),
        ("relevance", "acb"),
    ],
)
def test_answers_of_two_indexes_are_one_page(sort: Sort, names: str) -> None:
    unknown = [notice("name-unknown", field="agent", name=it, near="") for it in ("x", "y")]
    pages = [
        SearchResult("q", 5, (_hit("a", 3, 1, 1, 3), _hit("b", 1, 0, 3, 2)),
                     Facets(agents={"a": 2}), (unknown[0], unknown[1]), (("x", "y"),), True),
        SearchResult("q", 1, (_hit("c", 2, 2, 2, 1),), Facets(agents={"a": 1, "b": 1}),
                     (unknown[1], notice("other")), (("x", "y"), ("u", "v")), False,
                     notice("late")),
    ]  # fmt: skip
    query = Query("words", sort=sort, notes=(notice("mine"),))
    found = together(query, pages, 2, 1)
    assert "".join(it.entry.id for it in found.hits) == names[1:]
    assert "".join(it.entry.id for it in together(query, pages, 1, 0).hits) == names[0]
    assert (found.query, found.total, found.facets.agents) == ("words", 6, {"a": 3, "b": 1})
    assert found.notes == (notice("mine"), unknown[1], notice("other"))
    assert found.near == (("x", "y"), ("u", "v"))
    assert (found.relaxed, found.notice) == (True, notice("late"))
    none = [page._replace(hits=()) for page in pages]
    assert not together(query, none, 2, 0).relaxed


def test_a_digest_with_a_character_cut_in_two_can_be_read() -> None:
    digest = SessionDigest("s", asked=("cut \ud83d",))
    assert from_record_bytes(as_bytes(digest)) == digest
    with pytest.raises(InvalidRecord, match=r"^not valid JSON: Expecting"):
        from_record_bytes(b"{")


def test_a_digest_larger_than_any_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    backend = MemoryBackend(Held("m"))
    data = as_bytes(SessionDigest(id="s"))
    backend.keep(TextKind.SESSIONS, "s", data)
    for most, is_one in ((len(data), True), (len(data) - 1, False)):
        monkeypatch.setattr(session_records, "_MOST", most)
        found = session_records.SessionRecords(backend, Outgoing(None)).read("s")
        assert (found is not None) is is_one
