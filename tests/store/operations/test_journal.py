"""The journal: what operations did, for 30 days."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from store.action import Action
from store.backends.files.backend import FilesBackend
from store.backends.files.layout import OPERATIONS
from store.errors import NotFound, Unreadable
from store.model import Location
from store.notice import notice
from store.operations.journal import (
    KEEP,
    Operation,
    forget_old,
    mark_undone,
    new_operation_id,
    newest_id,
    next_operation_id,
    operation_ids,
    operations,
    read_operation,
    write_operation,
)
from store.operations.plan import Change, Move, Plan
from tests.store.factories import NOW, record

PLAN = Plan(
    Action("edit"),
    (Change(Location.ARCHIVE, 29, "a\ud800", None, record("a\ud800", huge=10**30)),),
    (notice("content-cut", characters=3_000, most=2_000).at("notes.md, line 1"),),
    (Move("issue-7.recovered.json", "quarantine/issue-7.json"),),
)


def _forget_old(backend: FilesBackend, now: datetime) -> None:
    forget_old(backend, newest_id(backend), now)


def _write(folder: Path, number: int = 0) -> Operation:
    time = NOW + timedelta(days=number)
    operation = Operation(new_operation_id(time, f"a1b{number % 10}"), PLAN, time)
    write_operation(FilesBackend(folder), operation)
    return operation


def test_an_operation_comes_back_as_it_was(tmp_path: Path) -> None:
    operation = _write(tmp_path)
    assert operation.id == "20260301T120000000-a1b0"
    assert read_operation(FilesBackend(tmp_path), operation.id) == operation
    mark_undone(FilesBackend(tmp_path), operation, "another")
    assert read_operation(FilesBackend(tmp_path), operation.id).undone_by == "another"


def test_the_newest_comes_first(tmp_path: Path) -> None:
    assert operation_ids(FilesBackend(tmp_path)) == []
    written = [_write(tmp_path, number).id for number in range(3)]
    assert operation_ids(FilesBackend(tmp_path)) == written[::-1]
    assert [operation.id for operation in operations(FilesBackend(tmp_path))] == written[::-1]


def test_a_unique_beginning_or_ending_is_enough(tmp_path: Path) -> None:
    first, second = _write(tmp_path, 0), _write(tmp_path, 1)
    assert read_operation(FilesBackend(tmp_path), "20260302") == second
    assert read_operation(FilesBackend(tmp_path), "a1b0") == first
    with pytest.raises(NotFound, match="2 operations match '2026'"):
        read_operation(FilesBackend(tmp_path), "2026")
    for nothing in ("", "zzz", "../../etc/passwd", "*"):
        with pytest.raises(NotFound, match=r"^No operation "):
            read_operation(FilesBackend(tmp_path), nothing)


def test_the_only_operation_is_named_too(tmp_path: Path) -> None:
    _write(tmp_path)
    with pytest.raises(NotFound, match=r"^No operation ''"):
        read_operation(FilesBackend(tmp_path), "")


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
        {"kind": None, "title": None, "notes": 7},
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


@pytest.mark.parametrize("data", [b"", b"[]", b"\xff", b"7", b"[" * 100_000])
def test_what_is_no_operation_at_all_is_said(tmp_path: Path, data: bytes) -> None:
    bad = _write(tmp_path)
    (tmp_path / OPERATIONS / f"{bad.id}.json").write_bytes(data)
    with pytest.raises(Unreadable, match="is damaged"):
        read_operation(FilesBackend(tmp_path), bad.id)


def test_other_files_beside_them_are_left_alone(tmp_path: Path) -> None:
    _write(tmp_path)
    (tmp_path / OPERATIONS / "notes.json").write_text("{}")
    (tmp_path / OPERATIONS / "20260301T120000000-a1b0.txt").write_text("")
    assert len(operation_ids(FilesBackend(tmp_path))) == 1
    used = _write(tmp_path, 298).id
    _forget_old(FilesBackend(tmp_path), NOW + 10 * KEEP)
    assert {path.name for path in (tmp_path / OPERATIONS).iterdir()} == {
        ".newest.json",
        "20260301T120000000-a1b0.txt",
        "notes.json",
        f"{used}.json",
    }


def test_operations_are_forgotten_after_30_days(tmp_path: Path) -> None:
    kept = [_write(tmp_path, number).id for number in range(3)]
    _forget_old(FilesBackend(tmp_path), NOW + KEEP)
    assert operation_ids(FilesBackend(tmp_path)) == kept[::-1]
    kept.append(_write(tmp_path, 32).id)
    _forget_old(FilesBackend(tmp_path), NOW + timedelta(days=34))
    assert operation_ids(FilesBackend(tmp_path)) == kept[:1:-1]


def test_ids_of_one_moment_differ() -> None:
    assert len({new_operation_id(NOW) for _ in range(20)}) > 1


def test_a_write_lists_no_journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    backend = FilesBackend(tmp_path)
    ids = [next_operation_id(newest_id(backend), NOW)]
    first = Operation(ids[0], Plan(Action("edit")), NOW)
    write_operation(backend, first)
    monkeypatch.setattr(FilesBackend, "names", lambda *_: pytest.fail("the journal was listed"))
    for _ in range(3):
        _forget_old(backend, NOW)
        ids.append(next_operation_id(newest_id(backend), NOW))
        write_operation(backend, Operation(ids[-1], Plan(Action("edit")), NOW))
        write_operation(backend, first)
    assert ids == sorted(set(ids))


@pytest.mark.parametrize("data", [b"", b"7", b'"../x"', b'"20269999T120000000-a1b0"', b"[" * 9_000])
def test_a_damaged_note_of_the_newest_is_found_out_again(tmp_path: Path, data: bytes) -> None:
    backend = FilesBackend(tmp_path)
    kept = _write(tmp_path)
    (tmp_path / OPERATIONS / ".newest.json").write_bytes(data)
    assert newest_id(backend) == kept.id
    assert next_operation_id(newest_id(backend), NOW - KEEP) > kept.id


def test_another_file_in_the_folder_is_no_operation(tmp_path: Path) -> None:
    folder = tmp_path / OPERATIONS
    folder.mkdir()
    own = ["20260227T100000123-a1b2", "20260227T100000124-a1b2"]
    others = [
        "20260227T100000125",
        "20260227T100000126-A1B2",
        "20260227T100000127-a1b2-copy",
        "x20260227T100000128-a1b2",
        "20261327T100000129-a1b2",
        "20260231T100000129-a1b2",
        "notes",
    ]
    for name in (*own, *others):
        (folder / f"{name}.json").write_text("{}")
    assert operation_ids(FilesBackend(tmp_path)) == own[::-1]
