"""What is known of a session stays known, and sessions without messages are looked at too."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from store import Memory, open_memory
from store.agents.client import Home, SessionFile
from store.agents.discovery import open_session, session_files, transcripts_in
from store.agents.files import dashed, files_at
from store.backends.activity import recall_entries, told_to
from store.backends.location import FOLDER
from store.backends.memory.backend import Held, MemoryBackend
from store.errors import Unreadable
from store.sessions.model import SessionDigest
from store.sessions.record import as_bytes
from store.sessions.service import Sessions, _file_of
from store.settings.schema import Settings
from tests.store.agents.test_clients import SAMPLES
from tests.store.capture.transcripts import ClaudeCode
from tests.store.factories import NOW, Clock, Ids, make_memory, observation


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


def _take_in(memory: Memory, path: Path) -> SessionDigest:
    memory.sessions.index(list(files_at([path], "claude-code")))
    (digest,) = memory.sessions.digests()
    return digest


def _keep(folder: Path, digest: SessionDigest) -> None:
    (folder / "sessions").mkdir(parents=True, exist_ok=True)
    (folder / "sessions" / f"{digest.id}.json").write_bytes(as_bytes(digest))


@pytest.mark.parametrize(
    ("client", "place"),
    [
        ("kimi", ".kimi-code/sessions/wd/{}/agents/main/wire.jsonl"),
        ("cursor", ".cursor/projects/shop/agent-transcripts/{0}/{0}.jsonl"),
    ],
)
def test_sessions_whose_files_are_called_alike_stay_apart(
    memory: Memory, tmp_path: Path, client: str, place: str
) -> None:
    for name in ("s-1", "s-2"):
        path = tmp_path / place.format(name)
        path.parent.mkdir(parents=True)
        path.write_bytes((SAMPLES / f"{client}.jsonl").read_bytes())
    files = [it for it in session_files(Home(tmp_path, {})) if it.client == client]
    memory.sessions.index(files)
    assert sorted(it.id for it in memory.sessions.digests()) == ["s-1", "s-2"]
    assert all(it.digest is not None for it in memory.sessions.listing(files))


def test_a_session_that_tells_neither_id_nor_time_has_those_of_its_file(
    memory: Memory, tmp_path: Path
) -> None:
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
    memory.sessions.index(files)
    (digest,) = memory.sessions.digests()
    assert (digest.started, digest.ended) == (None, written)
    assert memory.get("s-1#1").timestamp == written


def test_tasks_of_cline_stay_apart(memory: Memory, tmp_path: Path) -> None:
    paths = [tmp_path / name / "api_conversation_history.json" for name in ("17", "18")]
    for path in paths:
        path.parent.mkdir()
        asked = f"<task>Round the tax of {path.parent.name}</task>"
        path.write_text(
            json.dumps([{"role": "user", "content": [{"type": "text", "text": asked}]}])
        )
    memory.sessions.index(transcripts_in(tmp_path))
    assert sorted(it.id for it in memory.sessions.digests()) == ["17", "18"]


def test_what_a_digest_held_stays_where_its_session_is_read_again(
    memory: Memory, path: Path
) -> None:
    first = _take_in(memory, path)
    kept = first._replace(
        issue=29, memories=("obs-1",), recalls=("0a",), extra={"theirs": 1}, asked=("other",)
    )
    _keep(memory.path, kept)
    _write(path, "Why does the lock hang?", "And the gate?")
    again = _take_in(memory, path)
    assert (again.issue, again.memories, again.recalls) == (29, ("obs-1",), ("0a",))
    assert again.extra == {"theirs": 1}
    assert again.asked == ("Why does the lock hang?", "And the gate?")
    assert (again.path, again.size) == (str(path), path.stat().st_size)


def test_a_session_of_a_branch_without_an_issue_keeps_the_one_it_was_filed_under(
    memory: Memory, path: Path
) -> None:
    path.write_text("\n".join(ClaudeCode(session="s", branch="main").user("Why?").lines))
    first = _take_in(memory, path)
    assert first.issue == 0
    _keep(memory.path, first._replace(issue=7))
    path.write_text("\n".join(ClaudeCode(session="s", branch="main").user("And how?").lines))
    again = _take_in(memory, path)
    assert (again.asked, again.issue) == (("And how?",), 7)


def test_texts_that_the_log_tells_of_are_a_sessions_own(memory: Memory, path: Path) -> None:
    _take_in(memory, path)
    for at, (session, text) in enumerate((("s", "b"), ("t", "x"), ("s", "a"), ("s", "b"))):
        memory.backend.append_activity(
            {"type": "recalled", "timestamp": f"2026-03-01T12:00:0{at}.000Z", "sessionId": session,
             "text": text, "observationIds": []}
        )  # fmt: skip
    memory.backend.append_activity({"type": "recalled", "timestamp": "x", "sessionId": "s"})
    (digest,) = memory.sessions.digests()
    assert digest.recalls == ("b", "a")
    memory.backend.append_activity(
        {"type": "recalled", "timestamp": "2026-03-01T12:00:09.000Z", "sessionId": "s",
         "text": "c", "observationIds": []}
    )  # fmt: skip
    assert memory.sessions.digests()[0].recalls == ("b", "a", "c")


def test_the_files_of_a_session_of_which_only_the_digest_is_there_are_told(
    memory: Memory,
) -> None:
    _keep(
        memory.path,
        SessionDigest(
            "far", agent="codex", ended=NOW, asked=("Mend the flaky gauge test",),
            changed={"src/gauge.py": 3}, last="It waits now.", messages=4,
        ),
    )  # fmt: skip
    found = memory.recall.plan(task="Mend the flaky gauge test", channel="text")
    assert [it.observation.session_id for it in found.candidates] == ["far"]
    assert "src/gauge.py" in found.text


@pytest.mark.parametrize("keeps", [True, False])
def test_messages_are_kept_where_the_settings_say_so(
    tmp_path: Path, path: Path, keeps: bool
) -> None:
    memory = open_memory(
        tmp_path / "m",
        cache=tmp_path / "c",
        clock=Clock(),
        new_id=Ids(),
        settings=replace(Settings(), keep_messages=keeps),
    )
    _take_in(memory, path)
    found = list((tmp_path / "m").rglob("*.gz"))
    assert bool(found) is keeps
    again = open_memory(tmp_path / "m", cache=tmp_path / "new", clock=Clock())
    assert again.search("in:sessions hang").total == (2 if keeps else 0)


class Torn(MemoryBackend):
    """A memory whose log can't be read."""

    def _refuse(self, *_: Any, **__: Any) -> Any:  # noqa: ANN401
        raise Unreadable("activity.jsonl can't be read.")

    activity_lines = activity_backwards = activity_summary = activity_stamp = _refuse


def test_a_log_that_can_not_be_read_tells_of_no_recall() -> None:
    torn = Torn(Held("m"), Clock())
    assert told_to(torn, "s") == []
    assert list(recall_entries(torn)) == list(recall_entries(torn, "s")) == []
    whole = MemoryBackend(Held("m"), Clock())
    entries: list[Mapping[str, object]] = [
        {"type": "recalled", "sessionId": "s", "n": 1},
        {"type": "stored", "sessionId": "s", "n": 2},
        {"type": "recalled", "sessionId": "t", "about": "s", "n": 3},
        {"type": "recalled", "sessionId": "s", "n": 4},
    ]
    for entry in entries:
        whole.append_activity(entry)
    assert [it["n"] for it in recall_entries(whole)] == [4, 3, 1]
    assert [it["n"] for it in recall_entries(whole, "s")] == [4, 1]
    assert [it["n"] for it in recall_entries(whole, "none")] == []


def _part(memory: Memory) -> Sessions:
    part = memory.sessions.index.__self__  # type: ignore[attr-defined]
    assert isinstance(part, Sessions)
    return part


def test_a_session_that_is_not_known_names_no_memories(memory: Memory) -> None:
    assert _part(memory).link_memories("gone", ["a"]) == []
    plan = memory.sessions.plan_passage(observation("The lock waits.", session_id="gone"))
    assert (plan.texts, [it.after is not None for it in plan.changes]) == ((), [True])


def test_what_could_not_be_opened_is_tried_again_and_what_is_no_session_is_not(
    memory: Memory, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [*files_at([path], "claude-code")]
    for cause, left in ((OSError("away"), 1), (None, 0)):

        def unreadable(_: object, cause: Exception | None = cause) -> None:
            raise Unreadable("It can't be read.", "") from cause

        monkeypatch.setattr(_part(memory), "_read", unreadable)
        memory.sessions.index(files)
        assert len(memory.sessions.to_index(files)) == left


def test_the_files_of_a_memory_are_those_of_the_project_that_it_is_in(tmp_path: Path) -> None:
    home, project = tmp_path / "home", tmp_path / "work" / "shop"
    for name, folder in (("mine", project), ("beside", project.parent / "till")):
        made = ClaudeCode(session=name, cwd=str(folder)).user("Why does the lock hang?")
        path = home / ".claude" / "projects" / dashed(folder) / f"{name}.jsonl"
        path.parent.mkdir(parents=True)
        path.write_text("\n".join(made.lines))
    for place in (project / FOLDER, project / "memory"):
        with open_memory(place, cache=tmp_path / "cache") as memory:
            assert [it.path.stem for it in memory.sessions.files(Home(home, {}))] == ["mine"]


def test_a_session_without_a_digest_is_read_from_its_own_file(tmp_path: Path) -> None:
    names = ("other", "s", "named")
    files = [it for name in names for it in files_at([_put(tmp_path / f"{name}.jsonl")], "codex")]
    files[2] = files[2]._replace(session_id="t")
    found = [_file_of(it, None, files, bool) for it in ("s", "t", "none")]
    assert found == [files[1].path, files[2].path, None]


@pytest.mark.parametrize(
    ("named", "found"),
    [
        ("kept.jsonl", "kept.jsonl"),
        ("kept.db#s", "kept.db#s"),
        ("gone.jsonl", "s.jsonl"),
        ("gone.db#s", "s.jsonl"),
        ("", "s.jsonl"),
    ],
)
def test_a_session_is_read_from_where_its_digest_says_while_that_is_there(
    tmp_path: Path, named: str, found: str
) -> None:
    for name in ("kept.jsonl", "kept.db"):
        _put(tmp_path / name)
    files = list(files_at([_put(tmp_path / "other.jsonl"), _put(tmp_path / "s.jsonl")], "codex"))
    digest = SessionDigest("s", path=str(tmp_path / named) if named else "")
    assert _file_of("s", digest, files, bool) == tmp_path / found
    assert _file_of("s", digest._replace(path=""), files[:1], bool) is None


def test_sessions_are_captured_in_the_order_in_which_they_began_as_far_as_that_is_known(
    memory: Memory, tmp_path: Path
) -> None:
    files: list[SessionFile] = []
    for at, name in enumerate(("c", "b", "a", "new")):
        made = ClaudeCode(session=name)
        made.user("Why?", timestamp=f"2026-02-0{9 - at}T10:00:00Z").agent("So.")
        (tmp_path / f"{name}.jsonl").write_text("\n".join(made.lines))
        os.utime(tmp_path / f"{name}.jsonl", (1_770_000_000 + at,) * 2)
        files += files_at([tmp_path / f"{name}.jsonl"], "claude-code")

    def order() -> list[str]:
        return [it.path.stem for it in _part(memory).in_order(files)]

    assert order() == ["c", "b", "a", "new"], "by when they were last written"
    memory.sessions.index(files[:3])
    assert order()[:4] != ["c", "b", "a", "new"]
    known = [it for it in order() if it != "new"]
    assert known == ["a", "b", "c"]


def _put(path: Path) -> Path:
    path.write_text("{}")
    return path
