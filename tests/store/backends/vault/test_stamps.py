"""A vault that is as it was is not read again, and any other is."""

from __future__ import annotations

import os
import time
from pathlib import Path
from unittest import mock

import pytest

from store import open_memory
from store.backends.protocol import Stamps
from store.backends.vault import reader
from store.backends.vault.backend import VaultBackend
from store.errors import Unreadable
from store.model import Location
from tests.store.backends.vault.vaults import make_vault
from tests.store.factories import record

LONG_AGO = 1_700_000_000_000_000_000


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    vault = make_vault(tmp_path / ".memory")
    _age(vault)
    return vault


def _age(vault: Path) -> None:
    for path in vault.rglob("*.md"):
        os.utime(path, ns=(LONG_AGO, LONG_AGO))


def _later(seconds: int = 10) -> mock._patch[object]:
    now = time.time_ns() + seconds * 1_000_000_000
    return mock.patch.object(time, "time_ns", lambda: now)


def _unread(folder: Path, known: Stamps) -> Stamps:
    """The stamps of now, found without a file being read."""
    with mock.patch.object(reader, "read_bytes", side_effect=AssertionError("read")):
        found = VaultBackend(folder).changes_since(known)
    assert not found.issues
    return found.stamps


def test_a_vault_that_is_as_it_was_is_not_read(folder: Path) -> None:
    with _later():
        known = VaultBackend(folder).changes_since({}).stamps
        assert _unread(folder, known) == known


def test_a_memory_behind_what_can_not_be_read_is_not_taken_for_gone(
    folder: Path, tmp_path: Path
) -> None:
    backend = VaultBackend(folder)
    with backend.changing(29) as records:
        records.put(Location.ISSUE, record("obs-1", agent="dev"))
    (folder / "dev/decisions.md").write_bytes(b"\xff")
    found = VaultBackend(folder).read(29).unread(Location.ISSUE)
    assert found is not None and found.path == "dev/decisions.md"
    assert VaultBackend(folder).read(29).unread(Location.ARCHIVE) is None


def test_what_could_not_be_read_once_is_read_by_the_next_look(folder: Path) -> None:
    backend = VaultBackend(folder)
    failed = Unreadable("dev/decisions.md can't be opened: Too many open files.")
    with _later():
        with mock.patch.object(reader, "read_bytes", side_effect=failed):
            assert "dev/decisions.md" in {it.path for it in backend.read(0).problems}
        read = backend.read(0)
    assert not read.problems
    assert read.find(Location.ISSUE, "1773679871839") is not None


def test_a_new_file_that_cant_be_read_is_told_by_an_open_memory(
    folder: Path, tmp_path: Path
) -> None:
    with open_memory(folder, cache=tmp_path / "cache") as memory:
        memory.index.refresh()
        assert not memory.problems
        (folder / "dev/odd.md").write_bytes(b"\xff\xfe")
        memory.index.refresh()
        assert [it.path for it in memory.problems] == ["dev/odd.md"]
