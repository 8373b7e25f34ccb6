"""The journal: what operations did, for 30 days."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from store.action import Action, ActionKind
from store.backends.files.backend import FilesBackend
from store.backends.files.layout import OPERATIONS
from store.backends.memory.backend import Held, MemoryBackend
from store.backends.text_kinds import TextKind
from store.errors import NotFound, Unreadable
from store.model import Layout, Location
from store.notice import notice
from store.operations.journal import (
    KEEP,
    forget_old,
    new_operation_id,
    newest_id,
    operation_ids,
    operations,
    read_operation,
    write_operation,
)
from store.operations.operation_record import Operation
from store.operations.outcome import Outcome
from store.operations.plan import Change, ClarificationChange, LayoutChange, Move, Plan, TextChange
from store.operations.texts import change_texts
from tests.store.factories import NOW, Clock, record

PLAN = Plan(
    Action("edit", {"memories": 1}, of="tag"),
    (Change(Location.ARCHIVE, 29, "a\ud800", None, record("a\ud800", huge=10**30), 4),),
    (notice("content-cut", characters=3_000, most=2_000).at("notes.md, line 1"),),
    (Move("issue-7.recovered.json", "quarantine/issue-7.json"),),
    moves_last=True,
    texts=(TextChange(TextKind.SESSIONS, "s", None, {"id": "s"}),),
    layout=LayoutChange(Layout.PER_ISSUE, Layout.EACH),
    clarifications=(ClarificationChange(29, "c", None, {"id": "c"}),),
)


def _forget_old(backend: FilesBackend, now: datetime) -> None:
    forget_old(backend, newest_id(backend), now)


def _write(folder: Path, number: int = 0) -> Operation:
    time = NOW + timedelta(days=number)
    operation = Operation(new_operation_id(time, f"a1b{number % 10}"), PLAN, time)
    write_operation(FilesBackend(folder), operation)
    return operation


def test_what_is_forgotten_is_not_kept(tmp_path: Path) -> None:
    gone = Change(Location.ISSUE, 29, "b", record("b", content="secret"), None, forget=True)
    operation = Operation("20260301T120000000-a1b0", Plan(Action("forget"), (gone,)), NOW)
    write_operation(FilesBackend(tmp_path), operation)
    (read,) = read_operation(FilesBackend(tmp_path), operation.id).plan.changes
    assert (read.before, read.after, read.forget) == (None, None, True)


def test_a_unique_beginning_or_ending_is_enough(tmp_path: Path) -> None:
    first, second = _write(tmp_path, 0), _write(tmp_path, 1)
    assert read_operation(FilesBackend(tmp_path), "20260302") == second
    assert read_operation(FilesBackend(tmp_path), "a1b0") == first
    with pytest.raises(NotFound, match="2 operations match '2026'"):
        read_operation(FilesBackend(tmp_path), "2026")
    for nothing in ("", "zzz", "../../etc/passwd", "*"):
        with pytest.raises(NotFound, match=r"^No operation "):
            read_operation(FilesBackend(tmp_path), nothing)


@pytest.mark.parametrize(
    "change",
    [
        {"changes": 7},
        {"changes": [{}]},
        {"changes": [{"shelf": "attic", "issue": 7, "id": "a", "before": None, "after": None}]},
        {"changes": [{"shelf": "issue", "issue": -7, "id": "a", "before": None, "after": None}]},
        {"timestamp": "soon"},
        {"timestamp": 7},
        {"moves": [["issue-7.json", "../outside.json"]]},
        {"moves": [["/etc/passwd", "quarantine/x"]]},
        {"moves": [["a/../../b", "c"]]},
        {"moves": [["a", "b", "c"]]},
        {"kind": None, "title": None, "notes": 7},
        {"layout": ["one-file-each"]},
        {"layout": ["one-file-each", "other"]},
        {"texts": [{"kind": "songs", "name": "s", "before": None, "after": {}}]},
        {"texts": [{"kind": "sessions", "name": "s", "before": [], "after": {}}]},
        {"clarifications": [{"issue": 29, "id": "c", "before": None, "after": 7}]},
        {"clarifications": [{"issue": None, "id": "c", "before": None, "after": {}}]},
    ],
)
def test_a_damaged_operation_is_said_and_passed_over(
    tmp_path: Path, change: dict[str, object]
) -> None:
    good, bad = _write(tmp_path, 0), _write(tmp_path, 1)
    path = tmp_path / OPERATIONS / f"{bad.id}.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(Unreadable, match="is damaged"):
        read_operation(FilesBackend(tmp_path), bad.id)
    assert list(operations(FilesBackend(tmp_path))) == [good]


def test_other_files_beside_them_are_left_alone(tmp_path: Path) -> None:
    _write(tmp_path)
    (tmp_path / OPERATIONS / "notes.json").write_text("{}")
    (tmp_path / OPERATIONS / "20260301T120000000-a1b0.txt").write_text("")
    assert len(operation_ids(FilesBackend(tmp_path))) == 1
    used = _write(tmp_path, 298).id
    _forget_old(FilesBackend(tmp_path), NOW + 10 * KEEP)
    assert {path.name for path in (tmp_path / OPERATIONS).iterdir()} == {
        "20260301T120000000-a1b0.txt",
        "notes.json",
        f"{used}.json",
    }


# Which names are operations, and texts that an operation changes.

CHANGE = Change(Location.ISSUE, 29, "k1", {"id": "k1"}, {"id": "k1", "pinned": True}, 4)


@pytest.fixture
def backend() -> MemoryBackend:
    return MemoryBackend(Held("m"), Clock())


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        ("20260301T120000000-a1b2", True),
        ("20260228T235959999-0000", True),
        ("20260229T120000000-a1b2", False),
        ("20240229T120000000-a1b2", True),
        ("20260231T120000000-a1b2", False),
        ("20260131T120000000-a1b2", True),
        ("20261301T120000000-a1b2", False),
        ("20260301T240000000-a1b2", False),
        ("20260301T126000000-a1b2", False),
        ("89991231T120000000-a1b2", True),
        ("90000101T120000000-a1b2", False),
        ("00010101T120000000-a1b2", True),
        ("20260301T120000000-A1B2", False),
        ("20260301T120000000-a1b", False),
        ("20260301T120000000-a1b2x", False),
        ("x", False),
    ],
)
def test_which_names_are_operations(backend: MemoryBackend, name: str, is_one: bool) -> None:
    backend.texts.keep(TextKind.OPERATIONS, name, b"{}")
    assert operation_ids(backend) == ([name] if is_one else [])
    assert newest_id(backend) == (name if is_one else "")


Stood = dict[str, object] | str | None
ONE, TWO, OTHER = {"id": "s"}, {"id": "s", "asked": ["x"]}, {"id": "s", "asked": ["y"]}


@pytest.mark.parametrize(
    ("now", "before", "after", "done", "stands"),
    [
        (None, None, ONE, 1, ONE),
        (ONE, None, ONE, 0, ONE),
        (ONE, ONE, TWO, 1, TWO),
        (TWO, ONE, TWO, 0, TWO),
        (OTHER, ONE, TWO, None, OTHER),
        (OTHER, None, ONE, None, OTHER),
        (None, ONE, TWO, None, None),
        (ONE, ONE, None, 1, None),
        (None, ONE, None, 0, None),
        (OTHER, ONE, None, None, OTHER),
        ("{", ONE, TWO, None, "{"),
        ("{", None, TWO, None, "{"),
        ("{", ONE, None, None, "{"),
    ],
)
def test_a_text_is_changed_only_while_it_is_what_was_seen(
    backend: MemoryBackend,
    now: Stood,
    before: dict[str, object] | None,
    after: dict[str, object] | None,
    done: int | None,
    stands: Stood,
) -> None:
    for beside in (False, True):
        for kind in (TextKind.SESSIONS, TextKind.MESSAGES):
            backend.texts.remove(kind, "s")
        if now is not None:
            text = now if isinstance(now, str) else json.dumps(now)
            backend.texts.keep(TextKind.SESSIONS, "s", text.encode())
            backend.texts.keep(TextKind.MESSAGES, "s", b"said")
        change = TextChange(TextKind.SESSIONS, "s", before, after)
        last = TextChange(TextKind.SESSIONS, "t", None, ONE)
        plan = Plan(Action(ActionKind.UNDO, {}), (CHANGE,) if beside else (), texts=(change, last))
        outcome = change_texts(backend, plan)
        assert outcome.changed == (done or 0) + (not beside)
        is_named = not beside and done is None
        assert outcome.left == (notice("changed-since", what=change.path),) * is_named
        try:
            kept = backend.texts.read(TextKind.SESSIONS, "s").decode()
        except NotFound:
            assert stands is None
        else:
            assert (kept if isinstance(stands, str) else json.loads(kept)) == stands
        held = [*backend.texts.names(TextKind.MESSAGES)]
        assert held == (["s"] if now is not None and not (done == 1 and after is None) else [])
        assert change_texts(backend, Plan(Action(ActionKind.UNDO, {}))) == Outcome()
