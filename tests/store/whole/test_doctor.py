"""A memory with everything wrong in it: what the doctor says, mends, leaves, and takes back."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from memtui.words.notices import sentence
from memtui.words.sentences import done
from store import Memory
from store.backends.files.issue_file import IssueFile, dump_issue_file
from store.git.setup import apply_git_plan, plan_git_install
from store.records import format_time, new_record
from tests.store.backends.files.test_conflicted import merged_by_lines
from tests.store.factories import NOW, make_memory, observation, record, write_issue
from tests.store.repositories import repository
from tests.store.whole.plain import as_text

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
DAY = timedelta(days=1)
LABELS = ("-L", "HEAD", "-L", "base", "-L", "feature")


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    """A memory of which each issue has a trouble of its own."""
    memory = make_memory(tmp_path)
    memory.store([observation("Chose plain files", issue_number=1)])
    memory.index.settle()
    folder = memory.path
    write_issue(folder, 2, record("a"), record("a", content="Another"), record("b"))
    write_issue(folder, 2, record("b", archived=True), record("a", archived=True), archived=True)
    later = [format_time(NOW + DAY), format_time(NOW + DAY + timedelta(seconds=1))]
    write_issue(folder, 3, *(record(f"t{at}", timestamp=it) for at, it in enumerate(later)))
    write_issue(folder, 4, record("s", content=f"Deploy with {TOKEN}.", tags=[TOKEN]), 7, {"id": 1})
    write_issue(folder, 5, record("c", conflict=[{"content": "Or so"}]))
    write_issue(folder, 6, record("d", conflict=[{"removed": True}]))
    (folder / "issue-7.json").write_text('{"observations": [')
    memory.store([observation("Told beside it", issue_number=7)])
    write_issue(folder, 8, record("e"))
    (folder / "issue-8.recovered.json").write_text(
        json.dumps({"version": 1, "issueNumber": 8, "observations": [record("f"), record("e")]})
    )
    (folder / "issue-9.json").write_text("<<<<<<< HEAD\nneither JSON\n>>>>>>> other\n")
    (folder / ".issue-1.json.1-00000000.tmp").write_text("half")
    (folder / "issue-1.json.lock").write_text('{"agent": "engineer", "created": 0}')
    (folder / "notes.txt").write_text("mine")
    (folder / "sessions").mkdir(exist_ok=True)
    (folder / "sessions" / "s1.json").write_text(f'{{"decided": ["Deploy with {TOKEN}."]}}')
    return memory


def _told(memory: Memory) -> list[object]:
    """What the doctor finds, without the times and processes of this run."""
    found = memory.doctor.examine()
    lines = []
    for it in found.findings:
        repair = sentence(it.repair) if it.repair else "-"
        kind = it.kind if it.is_problem else f"({it.kind})"
        lines.append(f"{kind} {it.path} | {sentence(it.notice)} | {repair}")
    return [done(found.action), found.healthy, found.repairable, sorted(map(_still, lines))]


def _still(line: str) -> str:
    line = re.sub(r"issue-(\d+)-\d{8}T\d{6}", r"issue-\1-(time)", line)
    return re.sub(r"\d[\d,.]* (s|seconds|days) (old|ago)", r"(age) \2", line)


def _files(folder: Path) -> dict[str, list[str]]:
    """The files of memory that hold records or what was set aside, with what is in them."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_file() and not name.startswith((".lock", "operations", "activity", "manifest")):
            text = re.sub(r'"updatedAt": "[^"]*"', '"updatedAt": …', path.read_text())
            found[_still(name)] = text.splitlines()
    return found


def test_what_the_doctor_says_and_mends(memory: Memory, snapshot: SnapshotAssertion) -> None:
    assert as_text(_told(memory)) == snapshot(name="found")
    before = _files(memory.path)
    applied = memory.doctor.repair(memory.doctor.examine())
    left = [_still(sentence(it)) for it in applied.left]
    assert as_text([done(applied.action), applied.changed, left]) == snapshot(name="mended")
    assert as_text(_told(memory)) == snapshot(name="left")
    after = _files(memory.path)
    changed = {name: text for name, text in after.items() if before.get(name) != text}
    assert as_text([changed, sorted(before.keys() - after.keys())]) == snapshot(name="files")
    assert TOKEN not in str(after)
    undone = memory.undo()
    said = [_still(sentence(it)) for it in undone.left]
    assert as_text([done(undone.action), undone.changed, said]) == snapshot(name="undone")
    again = _files(memory.path)
    assert as_text(sorted(again.keys() ^ before.keys())) == snapshot(name="differs after undo")


def _written(day: int, *records: dict[str, Any]) -> bytes:
    header = {"version": 1, "issueNumber": 29, "updatedAt": f"2026-02-0{day}T10:00:00.000Z"}
    return dump_issue_file(IssueFile(header, [new_record(it) for it in records]))


@pytest.mark.parametrize("how", [(), ("--diff3",)], ids=["usual", "diff3"])
def test_a_merge_by_lines_is_written_merged(
    tmp_path: Path, how: tuple[str, ...], snapshot: SnapshotAssertion
) -> None:
    a, b = record("a", content="Locks end after 5 s."), record("b", tags=["x"])
    gone, new = record("gone", content="No longer so."), record("o", content="Rows are read late.")
    base = _written(1, a, b, gone)
    ours = _written(2, {**a, "content": "Locks end after 9 s.", "recallCount": 3}, b, gone, new)
    new = record("t", agent="tester", content="The gateway closes at 41.", tokens=6)
    theirs = _written(3, a, {**b, "tags": ["x", "z"]}, new)
    memory = make_memory(tmp_path)
    memory.path.mkdir(parents=True)
    merged = merged_by_lines(tmp_path, base, ours, theirs, (*LABELS, *how))
    (memory.path / "issue-29.json").write_bytes(merged)
    assert as_text(_told(memory)) == snapshot(name="found")
    memory.doctor.repair(memory.doctor.examine())
    assert as_text(_files(memory.path)) == snapshot(name="files")


def test_what_the_doctor_says_of_git(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    told: list[list[object]] = []
    memory = make_memory(tmp_path)
    memory.store([observation("Chose git")])
    memory.index.settle()
    repo = repository(tmp_path)

    def look() -> None:
        found = memory.doctor.examine().findings
        told.append([(it.kind, it.path, sentence(it.notice), it.repair) for it in found])

    look()
    repo.commit("All")
    look()
    repo("add", "-f", ".agentx/memory/manifest.json").commit("What is derived")
    look()
    apply_git_plan(plan_git_install(memory.path, "memtui"))
    look()
    (tmp_path / ".gitignore").write_text(".agentx/\n")
    repo("rm", "-rq", "--cached", ".agentx").commit("No more")
    look()
    assert as_text(told) == snapshot
