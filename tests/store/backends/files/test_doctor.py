"""What the doctor finds in a folder of files, and what it may move."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from store.backends import open_backend
from store.backends.files import doctor
from store.backends.files.doctor import (
    folder_facts,
    leftovers,
    manifest_facts,
    move,
)
from store.backends.files.layout import MANIFEST
from store.backends.files.locks import StoreLock
from store.backends.vault import doctor as vault_doctor
from store.backends.vault.layout import SIDE
from store.errors import Conflict, InvalidObservation, Unreadable
from tests.store.factories import NOW, Store, make_store, observation, record, write_issue

GONE = 2**22 - 1
"""The number of a process that is not there."""


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = make_store(tmp_path)
    store.store([observation("One"), observation("Two")])
    store.settle([29])
    return store


def _kinds(store: Store, ids: list[str]) -> list[str]:
    return [fact.notice.kind for fact in manifest_facts(store.folder, ids)]


def test_how_a_manifest_is_out_of_step(store: Store) -> None:
    path, ids = store.folder / MANIFEST, ["obs-1", "obs-2"]
    assert _kinds(store, ids) == []
    assert _kinds(store, ["obs-1"]) == ["manifest-behind"]
    assert _kinds(store, ["obs-1", "obs-3"]) == ["manifest-differs"]
    assert _kinds(store, ["obs-1", "obs-1"]) == ["manifest-behind"]
    assert [dict(it.notice.values) for it in manifest_facts(store.folder, ())] == [
        {"file": MANIFEST, "listed": 2, "held": 0}
    ]
    text = path.read_text()
    path.write_text(text.replace('"summary":"One"', '"summary":"Two"').replace("One", "Uno"))
    assert _kinds(store, ids) == ["manifest-altered"]
    path.write_text("{")
    assert _kinds(store, ids) == ["manifest-unreadable"]
    path.unlink()
    assert _kinds(store, ids) == ["manifest-missing"]
    assert _kinds(store, []) == []


def test_an_id_that_stands_twice_is_listed_once_and_so_is_in_step(store: Store) -> None:
    write_issue(store.folder, 30, record("twice"), record("twice", content="Another"))
    store.settle([30])
    assert _kinds(store, ["obs-1", "obs-2", "twice", "twice"]) == []


@pytest.mark.parametrize(
    "place", ["", "archive/", "activity/", "pending/", "issue-7/", "archive/issue-7/"]
)
def test_what_was_left_behind_is_found_wherever_it_is_written(store: Store, place: str) -> None:
    folder = store.folder
    (folder / place).mkdir(parents=True, exist_ok=True)
    names = [f"{place}issue-29.json.lock", f"{place}.issue-29.json.{GONE}-ab12cd34.tmp"]
    for name in names:
        (folder / name).write_text(json.dumps({"pid": GONE, "memtui": 1, "started": "x"}))
    found = {fact.path: fact for fact in leftovers(folder, "now")}
    assert found.keys() == set(names)
    kinds = [found[name].kind for name in names]
    assert kinds == ["orphaned-lock", "temporary-file"]
    for name in names:
        ((source, target),) = found[name].moves
        assert (source, target) == (name, f"quarantine/now-{Path(name).name.lstrip('.')}")
        assert move(folder, source, target)
    assert list(leftovers(folder, "now")) == []


def test_what_is_in_use_was_not_left(store: Store) -> None:
    folder = store.folder
    mine = folder / f".issue-29.json.{os.getpid()}-ab12cd34.tmp"
    mine.write_text("")
    (folder / "issue-29.json.lock").write_text(json.dumps({"agent": "other"}))
    assert list(leftovers(folder, "now")) == []
    os.utime(mine, (0, 0))
    assert [fact.path for fact in leftovers(folder, "now")] == [mine.name]
    left = folder / f".issue-30.json.{GONE}-ab12cd34.tmp"
    left.write_text("")
    with store.locked():
        assert left.name not in [fact.path for fact in leftovers(folder, "now")]
    assert left.name in [fact.path for fact in leftovers(folder, "now")]


def test_who_may_write_here(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def kinds() -> list[tuple[str, str]]:
        return [(fact.kind, fact.notice.kind) for fact in folder_facts(store.folder)]

    store.folder.chmod(0o755)
    assert kinds() == []
    store.folder.chmod(0o757)
    assert kinds() == [("world-writable", "world-writable")]
    store.folder.chmod(0o755)
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert kinds() == [("read-only", "no-permission")]
    monkeypatch.setattr(doctor, "_is_read_only", lambda _: True)
    assert kinds() == [("read-only", "read-only-disk")]
    assert list(folder_facts(store.folder / "gone")) == []


def test_a_move_is_made_once_and_takes_no_place(store: Store) -> None:
    folder, aside = store.folder, "quarantine/now-issue-29.json"
    assert move(folder, "issue-29.json", aside)
    assert not move(folder, "issue-29.json", aside)
    write_issue(folder, 29, record("a"))
    with pytest.raises(Conflict, match="already exists"):
        move(folder, "issue-29.json", aside)
    with pytest.raises(Conflict, match="it is gone"):
        move(folder, "issue-30.json", "quarantine/now-issue-30.json")
    for source, target in (("../x", aside), ("issue-29.json", "/tmp/x"), (".git/x", aside)):
        with pytest.raises((InvalidObservation, Unreadable)):
            move(folder, source, target)


@pytest.mark.parametrize("kind", ["files", "vault"])
def test_a_file_is_moved_while_no_other_program_writes(
    store: Store, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    held: list[bool] = []

    def moved(folder: Path, source: str, target: str) -> bool:
        held.append(StoreLock(gate).is_held())
        return True

    vault = store.folder.with_name("vault")
    gate = vault / SIDE if kind == "vault" else store.folder
    monkeypatch.setattr(doctor, "move", moved)
    monkeypatch.setattr(vault_doctor, "move", moved)
    backend = open_backend(f"vault://{vault}" if kind == "vault" else store.folder, lambda: NOW)
    assert backend.files is not None
    assert backend.files.move("a", "b")
    backend.release()
    assert held == [True]


@pytest.mark.parametrize("name", ["archive", "activity", "operations", "pending", "recalls"])
def test_a_folder_that_is_a_link_is_said(store: Store, name: str, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    store.folder.mkdir(parents=True, exist_ok=True)
    (store.folder / name).symlink_to(tmp_path / "elsewhere")
    facts = [(it.kind, it.path, it.notice.kind) for it in folder_facts(store.folder)]
    assert facts == [("unreadable-file", name, "link")]
