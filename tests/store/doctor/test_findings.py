"""What the doctor says at each limit: size, index, times ahead, copies, secrets beside them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from store.backends.memory.backend import Held, MemoryBackend
from store.backends.text_kinds import TextKind, text_path
from store.doctor.examine import index_findings
from store.doctor.findings import Finding, IndexHealth
from store.doctor.issues import record_findings, secret_findings
from store.doctor.traces import clean_trace, trace_findings
from store.merge.versions import CONFLICT, REMOVED
from store.redaction.outgoing import Outgoing
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
    found = index_findings(IndexHealth(documents, segments), 5)
    assert [*map(_told, found)] == said


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
    found = list(secret_findings(29, [*store.read(29).held()], Outgoing(None)))
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
