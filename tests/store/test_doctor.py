"""The doctor: each thing that can be wrong is found, said in a sentence, mended, and unmended."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from store import Memory, open_memory
from store.backends.location import FOLDER
from store.doctor.findings import Examination, Finding, FindingKind
from store.notice import notice
from store.records import to_record
from tests.store.factories import Clock, Ids, make_memory, observation, record, write_issue


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    """A memory of two issues, settled."""
    memory = open_memory(tmp_path / "memory", cache=tmp_path / "cache", clock=Clock(), new_id=Ids())
    memory.store([observation("Chose plain files"), observation("Locks go stale", issue_number=30)])
    memory.index.settle()
    return memory


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
