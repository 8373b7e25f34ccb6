"""What the doctor says at each limit: size, index, times ahead, copies, secrets beside them."""

from __future__ import annotations

import gzip
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from store.action import Action
from store.backends.memory.backend import Held, MemoryBackend
from store.backends.text_kinds import TextKind, text_path
from store.doctor import memory
from store.doctor.findings import Examination, Finding, IndexHealth
from store.doctor.index import index_findings
from store.doctor.issues import duplicate_findings, record_findings, secret_findings
from store.doctor.memory import capture_findings, size_findings
from store.doctor.traces import clean_trace, trace_findings
from store.errors import Unreadable
from store.merge.record import CONFLICT, REMOVED
from store.model import Location
from store.operations.plan import Change, Plan
from tests.store.factories import NOW, Clock, make_store, record, write_issue

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
    found = index_findings(IndexHealth(documents, segments, in_memory=False), 5)
    assert [*map(_told, found)] == said


@pytest.mark.parametrize(
    ("size", "count", "megabytes"),
    [
        (40_000_000, 40_000, None),
        (40_000_001, 1, 40),
        (41_600_000, 1, 42),
        (7_400_000, 40_001, 7),
    ],
)
def test_from_when_a_memory_is_large(
    monkeypatch: pytest.MonkeyPatch, size: int, count: int, megabytes: int | None
) -> None:
    monkeypatch.setattr(MemoryBackend, "size", lambda _: size)
    said = f"large-store  large {{'memories': {count}, 'megabytes': {megabytes}}} none"
    found = size_findings(MemoryBackend(Held("m"), Clock()), count)
    assert [*map(_told, found)] == ([] if megabytes is None else [said])


def test_how_capture_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    backend = MemoryBackend(Held("m"), Clock())
    assert [*capture_findings(backend, NOW)] == []
    at = "2026-02-28T10:00:00.000Z"
    backend.append_activity({"type": "captured", "timestamp": at})
    now = "2026-03-01T12:00:00.000Z"
    last = f"last-capture activity.jsonl last-capture {{'at': '{at}', 'now': '{now}'}} none"
    assert [*map(_told, capture_findings(backend, NOW))] == [last]
    later = at.replace("T10", "T11")
    failed = {"type": "failed", "kind": "capture-failed", "message": "No room."}
    backend.append_activity({**failed, "timestamp": later})
    values = {"since": later, "now": now, "text": "No room."}
    fails = f"failing-capture activity.jsonl capture-fails {values} none"
    assert [*map(_told, capture_findings(backend, NOW))] == [fails]

    def refused(*_: object) -> None:
        raise Unreadable("It can't be read.")

    monkeypatch.setattr(memory, "read_log", refused)
    unread = "unreadable-file activity.jsonl quoted {'text': \"It can't be read.\"} none"
    assert [*map(_told, capture_findings(backend, NOW))] == [unread]


def test_times_from_the_future_are_told_by_the_first(tmp_path: Path) -> None:
    store = make_store(tmp_path)

    def at(hours: float) -> str:
        return (NOW + timedelta(hours=hours)).strftime("%Y-%m-%dT%H:%M:%S.000Z")

    times = {"k1": 0, "k2": 24, "k3": 24.01, "k4": 99}
    write_issue(store.folder, 29, *(record(it, timestamp=at(h)) for it, h in times.items()))
    records = store.read(29)
    found = record_findings(records, [*records.held()], NOW)
    said = "future-timestamp issue-29.json future {'memories': 2, 'issue': 29, 'first': 'k3'} none"
    assert [*map(_told, found)] == [said]


def test_copies_and_ids_that_stand_twice(tmp_path: Path) -> None:
    store = make_store(tmp_path)
    write_issue(store.folder, 29, record("k1"), record("k2"), record("k3"), record("k3"), {}, {})
    write_issue(
        store.folder, 29, record("k1", archived=True), record("k2", content="Old"), record("k4"),
        archived=True,
    )  # fmt: skip
    found = list(duplicate_findings(store.read(29)))
    archive = "archive/issue-29-archived.json"
    values = {"file": "issue-29.json", "records": 2, "id": "k3"}
    assert [_told(it) for it, _ in found] == [
        f"duplicate-id issue-29.json same-id {values} none",
        f"duplicate-id {archive} archived-too {{'id': 'k1', 'issue': 29}} delete-copy",
        f"duplicate-id {archive} archived-otherwise {{'id': 'k2', 'issue': 29}} keep-versions",
    ]
    change, both, copy = [it for _, changes in found for it in changes]
    assert (change.location, change.issue, change.id, change.after) == ("archive", 29, "k1", None)
    assert change.before == record("k1", archived=True)
    assert (both.location, both.id, copy.location, copy.after) == ("issue", "k2", "archive", None)
    assert both.after is not None
    assert {str(both.after["content"]), str(both.after["conflict"][0]["content"])} == {
        "Old",
        str(record()["content"]),
    }


def test_records_that_hold_secrets_are_told_with_their_rules(tmp_path: Path) -> None:
    store = make_store(tmp_path)
    write_issue(
        store.folder,
        29,
        record("k1", content=f"Token {SECRET}"),
        record("k2", content="<private>mine</private> plain"),
        record("k3", theirs={"a": [SECRET]}),
        record(f"id-{SECRET}"),
        {"content": SECRET},
        7,
        record("k5"),
    )
    found = list(secret_findings(29, [*store.read(29).held()]))
    told = [
        (it.notice.values["what"], it.repair is not None, bool(changes)) for it, changes in found
    ]
    assert [it[1:] for it in told] == [(True, True)] * 3 + [(False, False)]
    assert [it[0] for it in told][:2] == ["k1", "k3"]
    assert told[3][0] == "issue-29.json"
    assert SECRET not in str(
        [(it.notice, [change.after for change in changes]) for it, changes in found]
    )
    rules = " ".join(str(it.notice.values["rules"]) for it, _ in found)
    assert rules.count("[redacted ") == 4


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
        backend.keep(kind, "x", data)
        backend.keep(kind, "y", b"{")
        backend.keep(kind, "z", b'{"asked": ["<private>mine</private>"]}')
    found = list(trace_findings(backend))
    paths = [text_path(kind, "x") for kind in _texts()]
    assert [it.path for it in found] == paths
    assert len({it.notice.values["rules"] for it in found}) == 1
    assert {it.repair and it.repair.kind for it in found} == {"redact"}
    assert [clean_trace(backend, path) for path in paths] == [True] * 5
    assert [clean_trace(backend, path) for path in paths] == [False] * 5
    assert list(trace_findings(backend)) == []
    for kind in _texts():
        held = backend.kept(kind, "x")
        text = gzip.decompress(held) if kind is TextKind.MESSAGES else held
        assert SECRET.encode() not in text
        assert text.decode("utf-8", "surrogatepass").count("Use ") == 1
        assert (backend.kept(kind, "y"), clean_trace(backend, text_path(kind, "z"))) == (
            b"{",
            False,
        )
    assert not clean_trace(backend, text_path(TextKind.SESSIONS, "none"))


@pytest.mark.parametrize(
    ("fields", "is_repairable"),
    [
        ({}, False),
        ({"rebuild_manifest": True}, True),
        ({"rebuild_index": True}, True),
        ({"merges": ("issue-29.json",)}, True),
        ({"traces": ("recalls/a.md",)}, True),
        ({"plan": Plan(Action("repair"), (Change(Location.ISSUE, 29, "a", None, {}),))}, True),
    ],
)
def test_whatever_can_be_repaired_is_offered(fields: dict[str, Any], is_repairable: bool) -> None:
    found = Examination(**{"findings": (), "plan": Plan(Action("repair")), **fields})
    assert found.repairable is is_repairable


@pytest.mark.parametrize(
    ("others", "kind"),
    [
        ([{"content": "Theirs"}], "edited-twice"),
        ([{REMOVED: True}], "edited-and-deleted"),
        ([{"content": "Theirs"}, {REMOVED: True}], "edited-and-deleted"),
    ],
)
def test_what_branches_made_of_one_memory(
    tmp_path: Path, others: list[dict[str, object]], kind: str
) -> None:
    store = make_store(tmp_path)
    write_issue(store.folder, 29, record("a", **{CONFLICT: others}), record("b"))
    records = store.read(29)
    (found,) = record_findings(records, [*records.held()], NOW)
    assert (found.notice.kind, dict(found.notice.values)) == (kind, {"id": "a"})
