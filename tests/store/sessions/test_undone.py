"""Taking in is an operation: undone, done again; a capture's undo takes its digest back too."""

from __future__ import annotations

from pathlib import Path

import pytest

from store import Memory, Observation
from store.agents.client import SessionFile
from store.backends.files.layout import SESSIONS
from tests.store.capture.transcripts import ClaudeCode
from tests.store.sessions.talks import written


def session(folder: Path, name: str, *more: str) -> SessionFile:
    made = ClaudeCode(session=name).user("Make the lock wait.").edit("store/lock.py")
    made.agent("I decided to use a kernel lock: it goes with its process.")
    for text in more:
        made.user(text).agent("Yes.")
    return written(folder, made)


def digests(folder: Path) -> set[str]:
    return {path.stem for path in (folder / "memory" / SESSIONS).glob("*.json")}


def test_taking_in_is_undone_and_done_again(memory: Memory, tmp_path: Path) -> None:
    files = [session(tmp_path, "one"), session(tmp_path, "two")]
    memory.session_indexing.index(files)
    [operation] = memory.history.operations()
    assert (operation.kind, operation.action.figures) == ("take-in", {"sessions": 2})
    memory.undo()
    assert not memory.recall.plan(None, None, "make the lock wait", fresh=False).candidates
    assert digests(tmp_path) == set()
    assert memory.search("in:sessions lock").total == 0
    assert len(memory.session_indexing.to_index(files)) == 2
    memory.redo()
    # Who has memory open for long asks the index alone.
    assert memory.recall.plan(None, None, "make the lock wait", fresh=False).candidates
    assert digests(tmp_path) == {"one", "two"}
    assert [it.id for it in memory.sessions.digests()]


def test_what_was_kept_before_comes_back(memory: Memory, tmp_path: Path) -> None:
    memory.session_indexing.index([session(tmp_path, "one")])
    memory.session_indexing.index([session(tmp_path, "one", "And test it.")])
    assert memory.sessions.digests()[0].messages == 4
    memory.undo()
    assert memory.sessions.digests()[0].messages == 2


def test_the_undo_of_a_capture_takes_its_digest_back(memory: Memory, tmp_path: Path) -> None:
    file = session(tmp_path, "one")
    with file.path.open("rb") as lines:
        report = memory.capture.apply(memory.capture.plan(lines))
    assert report.stored
    assert memory.sessions.digests()[0].memories == tuple(it.id for it in report.stored)
    assert memory.search("in:sessions kernel").total == 1
    memory.undo()
    assert digests(tmp_path) == set()
    assert memory.search("").total == 0


@pytest.mark.parametrize("data", [b"", b"{", b"\xff\x00"])
def test_the_doctor_sets_aside_what_is_no_digest(
    memory: Memory, tmp_path: Path, data: bytes
) -> None:
    file = session(tmp_path, "one")
    memory.session_indexing.index([file])
    path = tmp_path / "memory" / SESSIONS / "one.json"
    path.write_bytes(data)
    found = memory.doctor.examine()
    assert [it.path for it in found.findings if it.is_problem] == ["sessions/one.json"]
    memory.doctor.repair(found)
    [aside] = (tmp_path / "memory" / "quarantine").iterdir()
    assert aside.read_bytes() == data
    assert not [it for it in memory.doctor.examine().findings if it.is_problem]
    assert memory.session_indexing.index([file]).taken == 1


def test_what_is_forgotten_leaves_the_journal_of_taking_in(memory: Memory, tmp_path: Path) -> None:
    secret = "The gate code of the northern warehouse is four zero nine two seven."
    memory.session_indexing.index([session(tmp_path, "one", secret)])
    [identifier] = memory.store([Observation("dev", 1, "key-fact", secret)])
    memory.forget(memory.plan.forget([identifier]))
    kept = (tmp_path / "memory").rglob("*.json")
    assert not [path for path in kept if "northern" in path.read_text()]
