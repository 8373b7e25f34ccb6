"""The doctor: what it finds, and what its repairs move."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from store import Memory, open_memory
from store.backends.location import FOLDER
from store.backends.memory.backend import Held, MemoryBackend
from store.backends.protocol import Backend
from store.backends.text_kinds import TextKind, text_path
from store.doctor import issues, service
from store.doctor.examine import index_findings
from store.doctor.findings import Examination, Finding, FindingKind, IndexHealth
from store.doctor.issues import record_findings
from store.doctor.traces import clean_trace, trace_findings
from store.merge.versions import CONFLICT, REMOVED
from store.model import Level
from store.notice import notice
from store.records import to_record
from store.redaction.sanitizer import clean_record
from tests.store.backends.files.test_conflicted import merged_by_lines
from tests.store.exchange.keys import made_up_key
from tests.store.factories import (
    NOW,
    Clock,
    logged,
    make_memory,
    make_store,
    observation,
    record,
    write_issue,
)
from tests.store.repositories import Repository, tracked_project


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    memory = make_memory(tmp_path)
    memory.store([observation("Chose plain files"), observation("Locks go", issue_number=30)])
    memory.index.settle()
    return memory


def _number(examination: Examination, kind: FindingKind) -> int:
    return sum(it.kind is kind for it in examination.findings)


def _in_conflict(memory: Memory, issue: int) -> bytes:
    """Leave a file of an issue as git's merge of lines does."""
    path = memory.path / f"issue-{issue}.json"
    base = path.read_bytes()
    memory.store([observation("Held by the kernel", issue_number=issue)])
    theirs = path.read_bytes()
    path.write_bytes(base)
    memory.store([observation("A marker stands beside it", issue_number=issue)])
    path.write_bytes(merged_by_lines(memory.path.parent, base, path.read_bytes(), theirs))
    return path.read_bytes()


def test_a_repair_that_merges_is_two_operations(memory: Memory) -> None:
    conflicts = [_in_conflict(memory, issue) for issue in (29, 30)]
    copies = [to_record(observation(f"It {at}", id=f"copy-{at}", timestamp=NOW)) for at in range(2)]
    write_issue(memory.path, 31, *copies)
    write_issue(memory.path, 31, *copies, archived=True)
    write_issue(memory.path, 33, record("flag", archived=True))
    write_issue(memory.path, 33, record("flag", archived=True), archived=True)
    write_issue(memory.path, 34, record("twice"), record("twice"), record("odd", content=7))
    examination = memory.doctor.examine()
    assert examination.merges == ("issue-29.json", "issue-30.json")
    assert len(examination.plan.changes) == 3
    applied = memory.doctor.repair(examination)
    assert applied.operation_id == memory.history.last_operation().id
    mended, merged = memory.history.operations()[:2]
    assert (mended.kind, mended.action.figures) == ("repair", {"records": 3})
    assert (merged.kind, merged.action.figures) == ("merge", {"files": 2})
    assert not examination.rebuild_index, "it has each of two copies"
    assert applied.changed == 2 + 3 + examination.rebuild_manifest
    assert (applied.action.figures["merged"], applied.action.figures["records"]) == (2, 3)
    assert [it["type"] for it in logged(memory.path)][-2:] == ["merge", "repair"]
    assert _number(memory.doctor.examine(), FindingKind.DUPLICATE) == 1
    assert memory.search("kernel").total == 2
    memory.undo(applied.operation_id)
    assert _number(memory.doctor.examine(), FindingKind.DUPLICATE) == 4
    memory.undo()
    assert [(memory.path / f"issue-{it}.json").read_bytes() for it in (29, 30)] == conflicts


def test_a_memory_that_nobody_searched_is_examined_without_an_index(tmp_path: Path) -> None:
    write_issue(tmp_path / "memory", 29, record("a"), record("b"))
    with open_memory(tmp_path / "memory", cache=tmp_path / "cache") as memory:
        found = memory.doctor.examine().findings
        assert not memory.index.open_existing()
        assert FindingKind.INDEX not in {finding.kind for finding in found}
        assert memory.search("").total == 2


def test_secrets_in_records_and_beside_them(memory: Memory) -> None:
    secret = made_up_key()
    held = record("mine", content=f"The key is {secret}", summary="The key")
    write_issue(memory.path, 32, held)
    sessions = memory.path / "sessions"
    sessions.mkdir()
    for name in ("one", "two"):
        (sessions / f"{name}.json").write_text(f'{{"id": "{name}", "asked": ["Use {secret}"]}}')
    (sessions / "three.json").write_text('{"id": "three", "asked": ["Use none"]}')
    memory.index.refresh()
    examination = memory.doctor.examine()
    assert examination.traces == ("sessions/one.json", "sessions/two.json")
    applied = memory.doctor.repair(examination)
    assert applied.changed == 1 + 2 + examination.rebuild_index + examination.rebuild_manifest
    assert applied.action.figures["traces"] == 2
    kept = [it for it in memory.path.rglob("*") if it.is_file() and ".lock" not in it.name]
    cached = [it for it in (memory._store.cache).rglob("*") if it.is_file()]
    assert not [it for it in (*kept, *cached) if secret.encode() in it.read_bytes()]
    assert not memory.doctor.examine().is_repairable


def test_no_secret_is_looked_for_twice(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_through = []

    def looked(value: Mapping[str, Any]) -> tuple[Mapping[str, Any], tuple[str, ...]]:
        looked_through.append(value["id"])
        return clean_record(value)

    monkeypatch.setattr(issues, "clean_record", looked)
    write_issue(memory.path, 32, record("plain"))
    assert _number(memory.doctor.examine(), FindingKind.SECRET) == 0
    assert looked_through == ["plain"], "what was stored by the door is known"

    with make_memory(tmp_path) as other:
        write_issue(memory.path, 33, record("odd", summary={"key": made_up_key()}))
        write_issue(memory.path, 34, record("held", content=f"Use {made_up_key()}"))
        looked_through.clear()
        assert _number(other.doctor.examine(), FindingKind.SECRET) == 2
        assert set(looked_through) == {"odd", "held"}
        write_issue(memory.path, 32, record("plain", content=f"Now {made_up_key()}"))
        assert _number(other.doctor.examine(), FindingKind.SECRET) == 3


def test_what_is_clean_is_known_where_no_index_was_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with make_memory(tmp_path) as first:
        write_issue(first.path, 32, record("plain"))
        first.doctor.examine()
    looked_through: list[Mapping[str, Any]] = []
    monkeypatch.setattr(issues, "clean_record", looked_through.append)
    with make_memory(tmp_path) as second:
        second.doctor.examine()
    assert not looked_through


# A secret that was repaired in the record may stand beside it: the doctor looks there too.

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def test_traces_are_taken_out_under_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    held: list[bool] = []
    with make_memory(tmp_path) as memory:
        memory.store([observation("One")])
        path = memory.path / "recalls" / "0123.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"Deploy with {TOKEN}.\n")
        locked, is_held = memory.backend.locked, False

        @contextmanager
        def noted() -> Iterator[None]:
            nonlocal is_held
            with locked():
                is_held = True
                yield
            is_held = False

        def clean(backend: Backend, name: str) -> bool:
            held.append(is_held)
            return clean_trace(backend, name)

        monkeypatch.setattr(memory.backend, "locked", noted)
        monkeypatch.setattr(service, "clean_trace", clean)
        memory.doctor.repair(memory.doctor.examine())
        assert TOKEN not in path.read_text()
    assert held == [True]


# The doctor: each thing that can be wrong is found, said in a sentence, mended, and unmended.


def found(examination: Examination, kind: FindingKind) -> list[Finding]:
    return [finding for finding in examination.findings if finding.kind is kind]


def write_records(memory: Memory, issue: int, records: list[object]) -> None:
    value = {"version": 1, "issueNumber": issue, "observations": records}
    (memory.path / f"issue-{issue}.json").write_text(json.dumps(value, indent=2))


def test_an_examination_changes_no_file(memory: Memory) -> None:
    (memory.path / "issue-29.json").write_text("{")
    before = {path: path.read_bytes() for path in memory.path.rglob("*") if path.is_file()}
    assert not memory.doctor.examine().is_healthy
    assert {path: path.read_bytes() for path in memory.path.rglob("*") if path.is_file()} == before


def test_an_unreadable_file_is_set_aside(memory: Memory) -> None:
    broken = memory.path / "issue-29.json"
    broken.write_bytes(b'{"observations": [\x00')
    examination = memory.doctor.examine()
    [finding] = found(examination, FindingKind.UNREADABLE)
    assert finding.path == "issue-29.json"
    assert finding.repair is not None and finding.repair.kind == "move-file"
    memory.doctor.repair(examination)
    [aside] = (memory.path / "quarantine").iterdir()
    assert aside.read_bytes() == b'{"observations": [\x00'
    assert not broken.exists()
    assert memory.doctor.examine().is_healthy
    memory.undo()
    assert broken.read_bytes() == b'{"observations": [\x00'


def test_recovered_observations_join_a_mended_issue(memory: Memory) -> None:
    path = memory.path / "issue-29.json"
    good = path.read_bytes()
    path.write_text("{")
    memory.store([observation("Stored beside it")])
    path.write_bytes(good)
    examination = memory.doctor.examine()
    [finding] = found(examination, FindingKind.RECOVERED)
    assert finding.repair == notice("adopt", memories=1, file="issue-29.json")
    memory.doctor.repair(examination)
    contents = [item["content"] for item in json.loads(path.read_text())["observations"]]
    assert contents == ["Chose plain files", "Stored beside it"]
    assert memory.doctor.examine().is_healthy
    memory.undo()
    assert (memory.path / "issue-29.recovered.json").exists()
    assert json.loads(path.read_text())["observations"] == json.loads(good)["observations"]


def test_a_secret_is_found_wherever_a_record_can_hold_one(memory: Memory) -> None:
    token = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
    one = to_record(memory.by_issue(29)[0])
    holding = {
        "tags": [token, "kept"],
        "sources": [f"https://{token}@example.org"],
        "sessionId": token,
        "note": {"by": [token], "kept": 7},
        token: "a key",
    }
    records = [
        {**one, "id": f"obs-{at}", key: held} for at, (key, held) in enumerate(holding.items())
    ]
    write_records(memory, 29, [*records, one])
    examination = memory.doctor.examine()
    assert len(found(examination, FindingKind.SECRET)) == len(holding)
    memory.doctor.repair(examination)
    text = (memory.path / "issue-29.json").read_text()
    assert token not in text
    repaired = json.loads(text)["observations"]
    assert [it["id"] for it in repaired] == [it["id"] for it in [*records, one]]
    assert repaired[0]["tags"][1] == "kept"
    assert repaired[3]["note"]["kept"] == 7
    assert not found(memory.doctor.examine(), FindingKind.SECRET)


def test_a_memory_that_is_archived_otherwise_keeps_both_versions(tmp_path: Path) -> None:
    write_issue(tmp_path / FOLDER, 29, record("b", content="Wait five seconds"))
    newer = record("b", content="Wait ten", editedAt="2026-02-28T10:00:00.000Z", archived=True)
    write_issue(tmp_path / FOLDER, 29, newer, archived=True)
    with make_memory(tmp_path) as memory:
        [finding] = found(memory.doctor.examine(), FindingKind.DUPLICATE)
        assert finding.repair is not None
        memory.doctor.repair(memory.doctor.examine())
        [kept] = memory.by_issue(29)
        assert (kept.content, kept.archived) == ("Wait ten", False)
        assert not found(memory.doctor.examine(), FindingKind.DUPLICATE)
        memory.apply(memory.plan.resolve("b", 1))
        assert memory.get("b").content == "Wait five seconds"


# What the doctor says at each limit: size, index, times ahead, copies, secrets beside them.


SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def _told(found: Finding) -> str:
    repair = found.repair.kind if found.repair else "none"
    return f"{found.kind} {found.path} {found.notice.kind} {dict(found.notice.values)} {repair}"


@pytest.mark.parametrize(
    ("documents", "segments", "said"),
    [
        (5, 60, []),
        (5, 61, ["index  index-in-pieces {'segments': 61} rebuild-index"]),
        (4, 1, ["index  index-behind {'documents': 4, 'files': 5} rebuild-index"]),
        (6, 99, ["index  index-behind {'documents': 6, 'files': 5} rebuild-index"]),
    ],
)
def test_whether_the_index_is_in_step(documents: int, segments: int, said: list[str]) -> None:
    found = index_findings(IndexHealth(documents, segments), 5)
    assert [*map(_told, found)] == said


def _texts() -> dict[TextKind, bytes]:
    said = json.dumps({"id": "s", "asked": [f"Use {SECRET}"]}).encode()
    plain = f"Use {SECRET}\ud800".encode("utf-8", "surrogatepass")
    packed = gzip.compress(json.dumps({"line": 1, "text": f"Use {SECRET}"}).encode())
    return {
        TextKind.OPERATIONS: said,
        TextKind.RECALLS: plain,
        TextKind.SESSIONS: said,
        TextKind.MESSAGES: packed,
        TextKind.CHECKPOINTS: said,
    }


def test_secrets_beside_the_record_are_found_and_taken_out_of_each_kind() -> None:
    backend = MemoryBackend(Held("m"), Clock())
    for kind, data in _texts().items():
        backend.texts.keep(kind, "x", data)
        backend.texts.keep(kind, "y", b"{")
        backend.texts.keep(kind, "z", b'{"asked": ["<private>mine</private>"]}')
    found = list(trace_findings(backend))
    paths = [text_path(kind, "x") for kind in _texts()]
    assert [it.path for it in found] == paths
    assert len({it.notice.values["rules"] for it in found}) == 1
    assert {it.repair and it.repair.kind for it in found} == {"redact"}
    assert [clean_trace(backend, path) for path in paths] == [True] * 5
    assert [clean_trace(backend, path) for path in paths] == [False] * 5
    assert list(trace_findings(backend)) == []
    for kind in _texts():
        held = backend.texts.read(kind, "x")
        text = gzip.decompress(held) if kind is TextKind.MESSAGES else held
        assert SECRET.encode() not in text
        assert text.decode("utf-8", "surrogatepass").count("Use ") == 1
        assert (backend.texts.read(kind, "y"), clean_trace(backend, text_path(kind, "z"))) == (
            b"{",
            False,
        )
    assert not clean_trace(backend, text_path(TextKind.SESSIONS, "none"))


@pytest.mark.parametrize(
    ("others", "kind"),
    [
        ([{"content": "Theirs"}], "edited-twice"),
        ([{REMOVED: True}], "edited-and-deleted"),
        ([{"content": "Theirs"}, {REMOVED: True}], "edited-and-deleted"),
    ],
)
def test_edited_on_branches(tmp_path: Path, others: list[dict[str, object]], kind: str) -> None:
    store = make_store(tmp_path)
    write_issue(store.folder, 29, record("a", **{CONFLICT: others}), record("b"))
    records = store.read(29)
    (found,) = record_findings(records, [*records.held()], NOW)
    assert (found.notice.kind, dict(found.notice.values)) == (kind, {"id": "a"})


def test_all_levels_are_examined_and_each_is_repaired_in_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    root = tracked_project(tmp_path / "shop")
    location, secret = f"levels://{root}", made_up_key()
    with open_memory(location, cache=tmp_path / "cache") as memory:
        memory.store([observation(f"It is {level}'s", level=level) for level in Level])
        folders = {level: memory.backend.levels[level].folder for level in Level}
    Repository(root)("add", ".agentx")
    for level, folder in folders.items():
        (folder / "issue-7.json").write_text(f"broken {level}")
        (folder / "manifest.json").unlink()
        (folder / "sessions").mkdir(exist_ok=True)
        (folder / "sessions" / "one.json").write_text(f'{{"asked": ["Use {secret}"]}}')
    before = {level: _files_in(folder) for level, folder in folders.items()}
    with open_memory(location, cache=tmp_path / "cache") as memory:
        memory.index.refresh()
        examination = memory.doctor.examine()
        for kind in (FindingKind.UNREADABLE, FindingKind.MANIFEST, FindingKind.TRACE):
            found = [one.level for one in examination.findings if one.kind is kind]
            assert sorted(found) == sorted(Level), kind
        tracked = [one for one in examination.findings if one.notice.kind == "git-tracks"]
        assert [one.level for one in tracked] == [Level.TEAM]
        applied = memory.doctor.repair(examination)
        again = memory.doctor.examine()
        assert [one for one in again.findings if one.is_problem] == []
        for level, folder in folders.items():
            (aside,) = (folder / "quarantine").glob("*issue-7.json")
            assert aside.read_text() == f"broken {level}"
            assert (folder / "manifest.json").exists()
            assert secret not in (folder / "sessions" / "one.json").read_text()
        memory.undo(applied.operation_id)
    for level, folder in folders.items():
        assert _files_in(folder)["issue-7.json"] == before[level]["issue-7.json"]


def _files_in(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.glob("*.json")}


def test_what_was_recovered_of_a_level_is_adopted_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    root = tracked_project(tmp_path / "shop")
    team = root / FOLDER
    write_issue(team, 29, record("a"))
    write_issue(team, 30, record("b", issueNumber=29))
    (team / "issue-30.json").rename(team / "issue-29.recovered.json")
    with open_memory(f"levels://{root}", cache=tmp_path / "cache") as memory:
        memory.store([observation("Private")])
        memory.doctor.repair(memory.doctor.examine())
    with open_memory(team, cache=tmp_path / "cache") as alone:
        assert {one.id for one in alone.by_issue(29)} == {"a", "b"}
