"""Sessions at the door: listed, read, and told by recall."""

from __future__ import annotations

import json
import os
from datetime import timedelta
from pathlib import Path

import pytest

from store import Memory, Observation, open_memory
from store.agents.client import Home, SessionFile
from store.agents.discovery import open_session, session_files
from store.agents.files import files_at
from store.errors import Unreadable
from store.search.query import parse_query
from store.sessions.conversation import Entry, EntryKind, Outcome, session_named
from store.sessions.list_filter import narrowed
from store.sessions.listing import list_sessions
from store.sessions.model import SessionDigest
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


# A session opened: what was said, done, told and captured, in order, without secrets.


SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture
def later(tmp_path: Path) -> Memory:
    return open_memory(
        tmp_path / "later", cache=tmp_path / "cache", clock=lambda: NOW + timedelta(seconds=2.5)
    )


@pytest.fixture
def session(tmp_path: Path) -> Path:
    made = ClaudeCode(session="s-lock").user("Why does the lock hang?")
    made.call("Bash", {"command": "pytest -q"}, "1 passed\nAssertionError: it hangs", failed=True)
    made.edit("store/lock.py").agent(f"It waited for the manifest. The key was {SECRET}.")
    return made.write(tmp_path / "s-lock.jsonl")


def take_in(later: Memory, session: Path) -> None:
    later.session_indexing.index(list(files_at([session], "claude-code")))


def _captured(source: str, minute: int) -> Observation:
    return Observation(
        "claude-code",
        29,
        "error",
        f"What {source} taught.",
        session_id="s-lock",
        sources=(source,),
        timestamp=NOW - timedelta(hours=1) + timedelta(minutes=minute),
    )


def kinds(entries: tuple[Entry, ...]) -> list[str]:
    return [str(entry.kind) for entry in entries]


def test_it_tells_what_was_said_and_done_with_each_outcome(later: Memory, session: Path) -> None:
    found = later.sessions.open("s-lock", list(files_at([session], "claude-code")))
    assert kinds(found.entries) == ["request", "tool", "tool", "answer"]
    request, ran, edited, answer = found.entries
    assert (request.text, request.line) == ("Why does the lock hang?", 1)
    assert (ran.name, ran.text, ran.outcome) == ("Bash", "pytest -q", Outcome.FAILED)
    assert ran.result == "AssertionError: it hangs"
    assert (edited.text, edited.files, edited.outcome) == (
        "store/lock.py",
        ("store/lock.py",),
        Outcome.DONE,
    )
    assert SECRET not in answer.text
    assert (found.whole, found.folder) == (True, "/home/someone/shop")
    assert later.sessions.digests() == []  # looking keeps nothing


def test_memories_stand_after_what_they_were_taken_from(later: Memory, session: Path) -> None:
    take_in(later, session)
    sources = ("tool:toolu_s-lock_1", "session:s-lock#6", "session:x#1")
    ids = later.store([_captured(source, minute) for minute, source in enumerate(sources)])
    found = later.sessions.open("s-lock")
    assert kinds(found.entries) == [
        *("request", "tool", "captured", "tool", "answer", "captured", "captured")
    ]
    assert [it.id for it in found.entries if it.kind is EntryKind.CAPTURED] == ids
    assert session_named(later.get(ids[1])) == "s-lock"


def test_what_memory_told_stands_where_it_was_told(later: Memory, session: Path) -> None:
    take_in(later, session)
    later.store([Observation("claude-code", 29, "decision", "Locks time out after 5 s.")])
    recall = later.recall.plan(task="when locks time out", budget=500)
    later.recall.inject(recall, "claude-code", 29, session_id="s-lock")
    found = later.sessions.open("s-lock")
    told = next(it for it in found.entries if it.kind is EntryKind.TOLD)
    assert "Locks time out after 5 s." in told.text
    assert (told.injected, told.tokens) == (recall.counts, recall.tokens)
    assert recall.counts.memories == 1
    assert kinds(found.entries) == ["request", "tool", "told", "tool", "answer"]


@pytest.mark.parametrize(
    ("query", "total"),
    [
        ("file:store/lock.py", 2),
        ("file:lock.py hangs", 1),
        ("file:lock.py,none.py", 2),
        ("file:lock.py branch:feature/29-locks", 2),
        ("file:other.py", 0),
        ("-file:lock.py", 0),
        ("branch:feature/29-locks", 2),
        ("branch:main", 0),
    ],
)
def test_found_by_file_and_branch(later: Memory, session: Path, query: str, total: int) -> None:
    take_in(later, session)
    assert later.search(f"in:sessions {query}").total == total


def test_a_digest_of_a_clone_names_no_file_of_the_users(later: Memory, tmp_path: Path) -> None:
    diary = ClaudeCode(session="s-evil").user("Dear diary, nobody knows.")
    private = diary.write(tmp_path / "private.jsonl")
    sessions = later.path / "sessions"
    sessions.mkdir(parents=True)
    digest = {"id": "s-evil", "agent": "claude-code", "session": str(private), "asked": ["Look"]}
    (sessions / "s-evil.json").write_text(json.dumps(digest))
    found = later.sessions.open("s-evil")
    assert not found.whole
    assert "diary" not in str(found.entries)


# The list of sessions: one row for each, newest first, narrowed by a query's filters.


KEPT = [
    SessionDigest(
        f"s-{number}",
        agent="codex" if number else "claude-code",
        branch="main" if number else "fix/lock",
        issue=29 + number,
        ended=NOW - timedelta(days=number),
        changed={"src/store/lock.py": 1} if number else {},
        read={} if number else {"README.md": 2},
    )
    for number in range(3)
]


def waiting(name: str, days: float, session_id: str = "") -> SessionFile:
    return SessionFile(Path(name), "codex", NOW - timedelta(days=days), 10, session_id=session_id)


def test_a_file_to_be_read_stands_for_what_was_kept_of_it() -> None:
    kept = [KEPT[0]._replace(path="/a.jsonl"), KEPT[1], KEPT[2]]
    files = [waiting("/a.jsonl", 5), waiting("/b.jsonl", 6, "s-1"), waiting("/c.jsonl", 1.5)]
    rows = list_sessions(kept, files)
    assert [(row.id, row.file) for row in rows] == [
        ("s-0", files[0]), ("s-1", files[1]), ("c", files[2]), ("s-2", None),
    ]  # fmt: skip
    assert [row.digest is None for row in rows] == [False, False, True, False]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", "012"),
        ("issue:30", "1"),
        ("issue:29,31", "02"),
        ("-issue:30", "02"),
        ("agent:codex", "12"),
        ("branch:fix/lock", "0"),
        ("file:lock.py", "12"),
        ("file:readme.md", "0"),
        ("id:s-2", "2"),
        ("id:s-2,s-0", "02"),
        ("file:lock.py,readme.md", "012"),
        ("after:36h", "01"),
        ("before:36h", "2"),
        ("category:decision", ""),
        ("agent:codex -issue:30", "2"),
    ],
)
def test_a_query_names_sessions_by_its_filters(query: str, found: str) -> None:
    rows = narrowed(list_sessions(KEPT, [waiting("/c.jsonl", 1.5)]), parse_query(query, NOW))
    assert "".join(row.id[2:] for row in rows) == found


# Sessions in a recall: what was decided there, and their files.


@pytest.fixture
def captured(tmp_path: Path) -> Memory:
    captured = open_memory(tmp_path / "captured", cache=tmp_path / "cache")
    one = ClaudeCode(session="s-lock").user("Mend the lock that hangs on Windows.")
    one.agent("The lock hangs as it waits for the manifest, so five retries are the limit.")
    one.edit("store/lock.py")
    two = ClaudeCode(session="s-parse").user("Rename the parser of pages.").edit("store/parse.py")
    for made in (one, two.agent("Renamed.")):
        (tmp_path / f"{made.session}.jsonl").write_text("\n".join(made.lines))
    captured.session_indexing.index(list(files_at(sorted(tmp_path.glob("*.jsonl")), "claude-code")))
    return captured


def test_files_are_told_for_a_task_and_not_for_a_question(captured: Memory) -> None:
    recall = captured.recall.plan(task="mend the lock that hangs", budget=2_000)
    assert [it.path for it in recall.files] == ["store/lock.py"]
    assert "store/lock.py 1 Mar" in recall.text
    for task in ("why does the lock hang on Windows?", "mend store/lock.py: the lock hangs"):
        assert not captured.recall.plan(task=task, budget=2_000).files


def test_files_that_are_gone(captured: Memory, tmp_path: Path) -> None:
    def told(captured: Memory) -> list[str]:
        tasks = ("mend the lock that hangs", "rename the parser of pages")
        return [
            it.path for task in tasks for it in captured.recall.plan(task=task, budget=2_000).files
        ]

    assert sorted(told(captured)) == ["store/lock.py", "store/parse.py"]
    (tmp_path / ".git").mkdir()
    there = open_memory(tmp_path / "captured", cache=tmp_path / "cache")
    assert len(told(there)) == 2, "nothing of these paths is here: they are of another place"
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / "parse.py").touch()
    assert told(there) == ["store/parse.py"]


def test_of_a_branch_the_last_session_is_told(tmp_path: Path) -> None:
    with open_memory(tmp_path / "captured", cache=tmp_path / "cache") as captured:
        for day in range(1, 15):
            branch = "locks" if day < 9 else "till"
            made = ClaudeCode(session=f"s-{day:02}", branch=branch).user(
                f"Mend the lock of till {day}."
            )
            path = tmp_path / f"s-{day:02}.jsonl"
            text = "\n".join(made.agent("Mended.").lines)
            path.write_text(text.replace("2026-03-01", f"2026-03-{day:02}"))
        paths = sorted(tmp_path.glob("s-*.jsonl"))
        captured.session_indexing.index(list(files_at(paths, "claude-code")))

        def told(branch: str) -> list[str]:
            return [it.observation.id for it in captured.recall.plan(branch=branch).included]

        assert told("locks") == ["s-08"]
        assert told("till") == ["s-14"]
        assert told("other") == []
        found = captured.recall.plan(task="continue", branch="locks", budget=500)
        assert "asked: Mend the lock of till 8." in found.text


def test_a_session_is_not_told_what_it_said_itself(captured: Memory) -> None:
    recall = captured.recall.plan(task="the lock hangs", budget=2_000, session_id="s-lock")
    assert "s-lock" not in {it.observation.session_id for it in recall.candidates}
    assert "store/lock.py" not in recall.text
