"""A session file is read whole, or from its end as far as its last messages need."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from store import Memory
from store.agents import discovery
from store.agents.discovery import open_session
from store.agents.files import files_at
from store.agents.session import MAX_TEXT
from store.errors import Unreadable
from store.sessions import session_file
from store.sessions.session_file import read_end, read_file
from tests.store.capture.transcripts import ClaudeCode


def _write(path: Path, messages: int, session: str = "s", cwd: str = "/gone") -> Path:
    made = ClaudeCode(session=session, cwd=cwd)
    for number in range(messages):
        made.user(f"Message {number}")
    path.write_text("\n".join(made.lines) + "\n")
    return path


def test_what_can_not_be_read_is_said_with_its_name(tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match=r"gone\.jsonl can't be read: No such file"):
        read_file(tmp_path / "gone.jsonl")


def test_the_end_is_read_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = _write(tmp_path / "s.jsonl", 400)
    size = path.stat().st_size
    monkeypatch.setattr(session_file, "_END_BYTES", size // 40)
    monkeypatch.setattr(session_file, "_MOST_END", size)
    session = read_end(path, "claude-code")
    assert 50 <= len(session.messages) < 200
    assert session.messages[-1].text == "Message 399"
    monkeypatch.setattr(session_file, "MOST_MESSAGES", 300)
    assert len(read_end(path, "claude-code").messages) == 400


# Session files made to hurt: what is beyond bounds is passed over, and the rest is read.


def _line(session_id: object, text: object, **more: object) -> bytes:
    said = {"role": "user", "content": text}
    line = {"type": "user", "sessionId": session_id, "message": said, "cwd": "/p"}
    return json.dumps({**line, "timestamp": "2026-02-27T10:00:00Z", **more}).encode() + b"\n"


def _take_in(memory: Memory, path: Path) -> tuple[int, tuple[str, ...]]:
    done = memory.session_indexing.index(list(files_at([path], "")))
    return done.taken, done.left


def test_too_long_a_line(tmp_path: Path, memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discovery, "MAX_LINE", 1_000)
    path = tmp_path / "one.jsonl"
    edge = b" " * 999 + b"\n"
    path.write_bytes(_line("s", "first") + _line("s", "x" * 5_000) + edge + _line("s", "last"))
    with open_session(path) as lines:
        assert [len(line) < 1_001 for line in lines] == [True] * 4
    session = read_file(path).session
    assert [it.text for it in session.messages] == ["first", "last"]
    assert len(session.unread) == 1
    assert _take_in(memory, path) == (1, ())


def test_a_message_of_any_length_is_read_in_bounded_time(tmp_path: Path, memory: Memory) -> None:
    path = tmp_path / "one.jsonl"
    path.write_bytes(_line("s", "We decided to use flock. " + "word " * 2_000_000))
    started = time.process_time()
    assert _take_in(memory, path) == (1, ())
    assert time.process_time() - started < 4
    assert len(read_file(path).session.messages[0].text) <= MAX_TEXT


def test_an_id_of_any_length_or_shape_names_one_small_file(tmp_path: Path, memory: Memory) -> None:
    for number, name in enumerate(["x" * 100_000, "../../../outside", "a/b\x1b[31m", "\ud800", ""]):
        path = tmp_path / f"{number}.jsonl"
        path.write_bytes(_line(name, "We decided to use flock.", gitBranch="b" * 100_000))
        _take_in(memory, path)
    kept = [it for it in (memory.path / "sessions").iterdir() if it.suffix == ".json"]
    assert len(kept) >= 4
    assert all(it.stat().st_size <= 4_096 for it in kept)
    assert not list(tmp_path.glob("outside*"))


def test_what_is_no_session_is_named_and_stops_nothing(tmp_path: Path, memory: Memory) -> None:
    made = {
        "deep": b'{"type":"user","message":' + b"[" * 100_000 + b"]" * 100_000 + b"}\n",
        "nulls": b"\0" * 100_000,
        "empty_objects": b"{}\n" * 100_000,
        "number": b'{"type":"user","n":' + b"9" * 5_000 + b"}\n",
        "utf16": _line("s", "hi").decode().encode("utf-16"),
        "bad_types": b"".join(
            json.dumps({"type": kind, "sessionId": value, "message": value, "cwd": value}).encode()
            + b"\n"
            for kind in ("user", "assistant", 5, None)
            for value in (None, 5, "", {"content": [5, None, {"type": "text", "text": 5}]})
        ),
        "good": _line("good", "We decided to use flock."),
    }
    for name, data in made.items():
        (tmp_path / f"{name}.jsonl").write_bytes(data)
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "loop.jsonl").symlink_to(tmp_path / "loop.jsonl")
    (tmp_path / "device.jsonl").symlink_to("/dev/zero")
    paths = sorted(path for path in tmp_path.glob("*.jsonl"))
    memory.session_indexing.index(list(files_at(paths, "")))
    assert (memory.path / "sessions" / "good.json").exists()


def test_secrets_in_a_digest_that_others_wrote_are_not_told(memory: Memory) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    value = {"version": 1, "id": token, "asked": [f"Deploy with {token}."], "agent": token,
             "branch": token, "changed": {token: 1}, "last": token}  # fmt: skip
    folder = memory.path / "sessions"
    folder.mkdir(parents=True)
    (folder / "one.json").write_text(json.dumps(value))
    (digest,) = memory.sessions.digests()
    assert token not in repr(digest)
    assert digest.asked[0].startswith("Deploy with [redacted")
    assert token not in repr(memory.sessions.open(digest.id))
    found = memory.search("in:sessions deploy").hits
    assert token not in repr(found) + repr([memory.get_redacted(it.entry.id) for it in found])
    assert token not in repr(memory.recall.plan("engineer", 0, "deploy"))
