"""A vault that others change between a look and a write, and what is there before the first."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from store.backends.vault import pending
from store.backends.vault.backend import VaultBackend
from store.backends.vault.pending import complete, make_changes
from store.model import Location
from tests.store.backends.vault.vaults import make_vault
from tests.store.factories import NOW, record

ARCHIVE = ".vault/archive"
PATH = "dev/lessons.md"


def _entry(key: int, said: str) -> str:
    return f"<!-- id:{key} -->\n## 2026-03-16T16:51\n\n{said}\n\n---\n"


def _open(folder: Path) -> VaultBackend:
    return VaultBackend(folder, lambda: NOW)


def _said(backend: VaultBackend) -> set[str]:
    return {it.content for it in backend.read(0).observations()}


def test_of_a_file_that_was_removed_meanwhile_only_what_was_edited_comes_back(
    tmp_path: Path,
) -> None:
    files = {PATH: f"{_entry(200, 'Two')}\n{_entry(100, 'One')}"}
    folder = make_vault(tmp_path / ".memory", files)
    with _open(folder).changing(0) as records:
        value = records.find(Location.ISSUE, "100")
        assert value is not None
        said = {"content": "Uno", "summary": "Uno", "tokens": 1}
        records.put(Location.ISSUE, {**value, **said})
        (folder / PATH).unlink()
    assert (folder / PATH).read_text() == _entry(100, "Uno")
    assert _said(_open(folder)) == {"Uno"}


def test_what_is_put_into_a_file_that_appeared_meanwhile_stands_beside_what_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(pending, "_write", lambda *_: None)
        make_changes(tmp_path, {PATH: _entry(200, "Ours").encode()})
    make_vault(tmp_path, {PATH: _entry(300, "Theirs")})
    complete(tmp_path)
    text = (tmp_path / PATH).read_text()
    assert text.split() == f"{_entry(300, 'Theirs')}{_entry(200, 'Ours')}".split()


def test_a_change_that_waits_is_seen_by_who_had_read_the_file_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make_vault(tmp_path / ".memory", {PATH: _entry(100, "One"), "a.md": "A\n"})
    for path in folder.rglob("*.md"):
        os.utime(path, (1_700_000_000, 1_700_000_000))
    later = time.time_ns() + 10**10
    monkeypatch.setattr(time, "time_ns", lambda: later)
    backend = _open(folder)
    assert _said(backend) == {"One", "A"}
    with monkeypatch.context() as patched:
        patched.setattr(pending, "_write", lambda *_: None)
        make_changes(folder, {PATH: _entry(100, "Uno").encode(), "b.md": b"B\n", "a.md": None})
    assert _said(backend) == {"Uno", "B"}


def test_a_memory_behind_an_archive_that_cannot_be_read_shares_its_key_with_no_other(
    tmp_path: Path,
) -> None:
    folder = make_vault(tmp_path / ".memory", {"_project.md": ""})
    with _open(folder).changing(29) as records:
        records.put(Location.ARCHIVE, record("a", agent="dev"))
    away = (folder / ARCHIVE).rename(tmp_path / "archive")
    with _open(folder).changing(29) as records:
        records.put(Location.ISSUE, record("b", agent="dev"))
    away.rename(folder / ARCHIVE)
    read = _open(folder).read(29)
    keys = [
        line
        for path in folder.rglob("decisions.md")
        for line in path.read_text().splitlines()
        if line.startswith("<!-- id:")
    ]
    assert len(set(keys)) == len(keys) == 2
    assert [it.id for it in read.observations(Location.ARCHIVE)] == ["a"]
