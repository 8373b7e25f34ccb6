"""The files of sessions kept beside the index: as they were, and never those of another state."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store import open_memory
from store.agents.files import files_at
from store.recall.file_names import files_of_sessions
from store.recall.session_files import SessionFiles
from store.sessions.known_files import NAME, as_json, load
from tests.store.capture.transcripts import ClaudeCode

ENDED = datetime(2026, 3, 1, 12, 0, 0, 250_000, UTC)
PATHS = st.dictionaries(st.text(min_size=1, max_size=20), st.integers(1, 9), max_size=4)
NONE, SETS = st.just(frozenset[str]()), st.frozensets(st.text(min_size=1), max_size=2)
SESSIONS = st.lists(
    st.builds(SessionFiles, st.text(), st.just(ENDED), PATHS, PATHS, NONE, SETS),
    max_size=4,
)


@given(sessions=SESSIONS)
def test_they_are_read_as_they_were_written(
    tmp_path_factory: pytest.TempPathFactory, sessions: list[SessionFiles]
) -> None:
    known = files_of_sessions(sessions)
    path = tmp_path_factory.mktemp("files") / NAME
    path.write_bytes(as_json(known, "one"))
    read = load(path, "one")
    assert read is not None
    assert (read.sessions, dict(read.by_word)) == (known.sessions, dict(known.by_word))
    assert load(path, "another") is None


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b'{"state": "one"}', b"\xff"])
def test_what_can_t_be_read_is_none(tmp_path: Path, data: bytes) -> None:
    (tmp_path / NAME).write_bytes(data)
    assert load(tmp_path / NAME, "one") is None


def test_a_session_that_changed_nothing_names_what_it_read(tmp_path: Path) -> None:
    path, cache = tmp_path / "s.jsonl", tmp_path / "cache"
    made = ClaudeCode().user("Look how the lock waits.")
    made.call("Read", {"file_path": f"{made.cwd}/store/lock.py"}, "class Lock: ...")
    made.call("Read", {"file_path": f"{made.cwd}/store/lock.py"}, "class Lock: ...")
    path.write_text("\n".join(made.agent("It tries again.").lines))
    with open_memory(tmp_path / "memory", cache=cache) as memory:
        memory.sessions.index(list(files_at([path], "claude-code")))
        found = memory.recall.plan(task="look how the lock waits", budget=500).files
    assert [it.path for it in found] == ["store/lock.py"]


def test_a_session_that_went_on_names_its_new_files(tmp_path: Path) -> None:
    path, cache = tmp_path / "s.jsonl", tmp_path / "cache"
    made = ClaudeCode().user("Make the lock wait.").edit("store/lock.py")
    for name in ("store/lock.py", "store/journal.py"):
        path.write_text("\n".join(made.edit(name).agent("Done.").lines))
        with open_memory(tmp_path / "memory", cache=cache) as memory:
            memory.sessions.index(list(files_at([path], "claude-code")))
        kept = next(cache.glob("*-sessions")) / NAME
        before = kept.stat().st_mtime_ns
        with open_memory(tmp_path / "memory", cache=cache) as memory:
            found = memory.recall.plan(task="make the lock wait for the journal", budget=500).files
        assert name in [it.path for it in found]
        assert kept.stat().st_mtime_ns == before, "it was worked out again to be read"


def test_what_a_session_removed_or_moved_is_no_file_of_a_task(tmp_path: Path) -> None:
    wrote = ClaudeCode().user("Make the lock wait.").edit("lib/lock.py").edit("old_lock.py")
    tidied = ClaudeCode(session="tidied").user("Tidy up the lock.")
    tidied.call("Bash", {"command": "git mv lib src && git rm old_lock.py"})
    went_on = ClaudeCode(session="went-on").user("Log the lock.").edit("src/lock.py")
    paths = [tmp_path / f"{name}.jsonl" for name in "abc"]
    for day, (path, made) in enumerate(zip(paths, (wrote, tidied, went_on), strict=True), 1):
        lines = "\n".join(made.agent("Done.").lines)
        path.write_text(lines.replace("2026-03-01T", f"2026-03-0{day}T"))
    with open_memory(tmp_path / "memory", cache=tmp_path / "cache") as memory:
        memory.sessions.index(list(files_at(paths, "claude-code")))
        found = memory.recall.plan(task="log the lock that hangs", budget=500).files
    assert [it.path for it in found] == ["src/lock.py"]


def test_what_each_session_makes_anew_is_touched_less_than_what_they_come_back_to(
    tmp_path: Path,
) -> None:
    made = ClaudeCode().user("Sum the prices.").edit("shop/prices.py")
    path, answer = f"{made.cwd}/sum_prices.py", "File created successfully"
    made.call("Write", {"file_path": path, "content": "print(1)"}, answer)
    made.call("Edit", {"file_path": path, "old_string": "1", "new_string": "2"})
    (tmp_path / "s.jsonl").write_text("\n".join(made.agent("Summed.").lines))
    with open_memory(tmp_path / "memory", cache=tmp_path / "cache") as memory:
        memory.sessions.index(list(files_at([tmp_path / "s.jsonl"], "claude-code")))
        found = memory.recall.plan(task="sum the prices", budget=500).files
    assert [it.path for it in found] == ["shop/prices.py"]
