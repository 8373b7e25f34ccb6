"""Disks that know less: no hard links, no modes, no locks, no sync of folders."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from store import Observation, open_memory
from store.backends.files import markers
from store.errors import ReadOnly, WriteFailed


def _fact(number: int = 1) -> Observation:
    return Observation(
        agent="engineer", issue_number=3, category="decision", content=f"Lock {number} holds."
    )


def test_a_marker_that_could_not_be_written_does_not_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EACCES, os.strerror(errno.EACCES))

    def full(handle: int, data: bytes) -> None:
        os.write(handle, data[:1])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "link", refuse)
    with open_memory(tmp_path / "memory", cache=tmp_path / "cache") as memory:
        memory.store([_fact()])  # a telephone refuses links by "permission denied"
        with monkeypatch.context() as broken:
            broken.setattr(markers, "write_all", full)
            with pytest.raises(WriteFailed, match="the disk is full"):
                memory.store([_fact(2)])
        memory.store([_fact(3)])
        assert memory.search("").total == 2


def test_a_disk_without_locks_is_read_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_memory(tmp_path / "memory", cache=tmp_path / "cache") as memory:
        memory.store([_fact()])

    def unknown(*_: object) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr("fcntl.flock", unknown)
    with open_memory(tmp_path / "memory", cache=tmp_path / "other") as memory:
        assert memory.search("lock").total == 1
        with pytest.raises(ReadOnly, match="no file locks"):
            memory.store([_fact(2)])


def test_a_disk_without_modes_or_syncs_of_folders_can_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sync = os.fsync

    def unknown(*_: object) -> None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))

    def only_files(handle: int) -> None:
        if os.path.isdir(f"/proc/self/fd/{handle}"):  # noqa: PTH112 - a descriptor
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        sync(handle)

    monkeypatch.setattr(os, "fchmod", unknown)
    monkeypatch.setattr(os, "fsync", only_files)
    with open_memory(tmp_path / "memory", cache=tmp_path / "cache") as memory:
        memory.store([_fact()])
        memory.store([_fact(2)])
        assert memory.search("").total == 2
