"""What is known of a session stays known, and sessions without messages are looked at too."""

from __future__ import annotations

import json
import os
from datetime import timedelta
from pathlib import Path

import pytest

from store import Memory
from store.agents.client import Home
from store.agents.discovery import open_session, session_files
from store.agents.files import files_at
from store.errors import Unreadable
from tests.store.agents.test_clients import SAMPLES
from tests.store.capture.transcripts import ClaudeCode
from tests.store.factories import NOW, make_memory


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return make_memory(tmp_path)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "s.jsonl"
    _write(path, "Why does the lock hang?")
    return path


def _write(path: Path, *asked: str) -> None:
    made = ClaudeCode(session="s")
    for text in asked:
        made.user(text).agent(f"I look at it: {text}")
    path.write_text("\n".join(made.lines))


@pytest.mark.parametrize(
    ("client", "place"),
    [
        ("kimi", ".kimi-code/sessions/wd/{}/agents/main/wire.jsonl"),
        ("cursor", ".cursor/projects/shop/agent-transcripts/{0}/{0}.jsonl"),
    ],
)
def test_files_of_the_same_name(memory: Memory, tmp_path: Path, client: str, place: str) -> None:
    for name in ("s-1", "s-2"):
        path = tmp_path / place.format(name)
        path.parent.mkdir(parents=True)
        path.write_bytes((SAMPLES / f"{client}.jsonl").read_bytes())
    files = [it for it in session_files(Home(tmp_path, {})) if it.client == client]
    memory.session_indexing.index(files)
    assert sorted(it.id for it in memory.sessions.digests()) == ["s-1", "s-2"]
    assert all(it.digest is not None for it in memory.sessions.listing(files))


def test_a_session_without_id_and_time(memory: Memory, tmp_path: Path) -> None:
    path = tmp_path / ".cursor/projects/shop/agent-transcripts/s-1/s-1.jsonl"
    path.parent.mkdir(parents=True)
    asked = "Always round the tax per line, because the invoices are summed per line."
    told = {"content": [{"type": "text", "text": f"<user_query>{asked}</user_query>"}]}
    path.write_text(json.dumps({"role": "user", "message": told}))
    written = NOW - timedelta(days=90)
    os.utime(path, (written.timestamp(), written.timestamp()))
    with open_session(path) as lines:
        plan = memory.capture.plan(lines)
    (kept,) = plan.kept
    assert (plan.session_id, kept.observation.session_id) == ("s-1", "s-1")
    assert kept.observation.sources[0].startswith("session:s-1#")
    assert kept.observation.timestamp == written
    files = session_files(Home(tmp_path, {}))
    memory.session_indexing.index(files)
    (digest,) = memory.sessions.digests()
    assert (digest.started, digest.ended) == (None, written)
    assert memory.get("s-1#1").timestamp == written


def test_unreadable_again(memory: Memory, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = [*files_at([path], "claude-code")]
    for cause, left in ((OSError("away"), 1), (None, 0)):

        def unreadable(_: object, cause: Exception | None = cause) -> None:
            raise Unreadable("It can't be read.", "") from cause

        monkeypatch.setattr(memory.session_indexing, "_read", unreadable)
        memory.session_indexing.index(files)
        assert len(memory.session_indexing.to_index(files)) == left
