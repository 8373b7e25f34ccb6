"""The crash-point harness itself: it finds each step of a write that the store might forget."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.faults.disk import SimulatedDisk
from tests.faults.harness import explore
from tests.faults.modes import Fault, Forbidden, Killed, Mode
from tests.faults.scenarios import SCENARIOS


def _in_one_write(handle: int, data: bytes) -> None:
    os.write(handle, data)


def _in_place(path: Path, data: bytes, *_: object, **__: object) -> None:
    _left_open(path, data, flags=os.O_TRUNC)


def _left_open(path: Path, data: bytes, *_: object, flags: int = os.O_EXCL, **__: object) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | flags, 0o600)
    os.write(handle, data)
    os.fsync(handle)
    os.close(handle)


MISTAKES: dict[str, tuple[Callable[..., object], set[Mode]]] = {
    "sync_file": (lambda handle: None, {Mode.DATA_LOST}),
    "sync_folder": (lambda folder: None, {Mode.NAMES_LOST}),
    "write_all": (_in_one_write, {Mode.SHORT_WRITE}),
    "_discard": (lambda path: None, {Mode.DISK_FULL, Mode.IO_ERROR}),
    "_replace": (_in_place, {Mode.KILLED, Mode.TORN_WRITE, Mode.KILLED_TWICE}),
    "_write_new": (_left_open, {Mode.DISK_FULL, Mode.IO_ERROR}),
}
"""What a function of `store.platform.write` might do in its place, and how that is noticed."""


@pytest.mark.parametrize("name", MISTAKES)
def test_a_wrong_writer_is_caught(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    mistaken, modes = MISTAKES[name]
    scenario = next(it for it in SCENARIOS if it.name == "store two")
    monkeypatch.setattr(f"store.platform.write.{name}", mistaken)
    report = explore(scenario, tmp_path, modes=modes)
    assert {failure.mode for failure in report.failures} == modes


def test_the_dead_write_nothing_more_even_while_they_clean_up(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("old")
    disk = SimulatedDisk(tmp_path, Fault(0, Mode.KILLED))
    with disk.mounted():
        try:
            with pytest.raises(Killed):
                file.unlink()
        finally:
            with pytest.raises(Killed):
                file.rename(tmp_path / "elsewhere")
    assert file.read_text() == "old"


def test_a_full_disk_takes_half_a_write_and_refuses_the_next(tmp_path: Path) -> None:
    disk = SimulatedDisk(tmp_path, Fault(1, Mode.DISK_FULL))
    with disk.mounted():
        descriptor = os.open(tmp_path / "file", os.O_WRONLY | os.O_CREAT, 0o644)
        assert os.write(descriptor, b"0123456789") == 5
        with pytest.raises(OSError, match="No space left"):
            os.write(descriptor, b"56789")
        os.close(descriptor)


def test_a_failed_fsync_can_not_be_made_good_by_another(tmp_path: Path) -> None:
    disk = SimulatedDisk(tmp_path, Fault(2, Mode.IO_ERROR))
    with disk.mounted():
        descriptor = os.open(tmp_path / "file", os.O_WRONLY | os.O_CREAT, 0o644)
        os.write(descriptor, b"content")
        with pytest.raises(OSError, match="Input/output"):
            os.fsync(descriptor)
        os.fsync(descriptor)
        os.close(descriptor)
    disk.cut_power(Mode.DATA_LOST)
    assert (tmp_path / "file").read_bytes() == b""


def test_a_new_folder_is_lost_with_its_files_until_its_parent_is_synced(tmp_path: Path) -> None:
    disk = SimulatedDisk(tmp_path)
    with disk.mounted():
        (tmp_path / "folder").mkdir()
        descriptor = os.open(tmp_path / "folder" / "file", os.O_WRONLY | os.O_CREAT, 0o644)
        os.fsync(descriptor)
        os.close(descriptor)
        descriptor = os.open(tmp_path / "folder", os.O_RDONLY)
        os.fsync(descriptor)
        os.close(descriptor)
    disk.cut_power(Mode.NAMES_LOST)
    assert list(tmp_path.iterdir()) == []


def test_a_move_between_folders_is_one_step_of_the_journal(tmp_path: Path) -> None:
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
    (tmp_path / "here" / "file").write_text("kept")
    disk = SimulatedDisk(tmp_path)
    with disk.mounted():
        (tmp_path / "here" / "file").rename(tmp_path / "there" / "file")
        descriptor = os.open(tmp_path / "here", os.O_RDONLY)
        os.fsync(descriptor)
        os.close(descriptor)
    disk.cut_power(Mode.NAMES_LOST)
    assert (tmp_path / "there" / "file").read_text() == "kept"
    assert list((tmp_path / "here").iterdir()) == []


@pytest.mark.parametrize("mode", ["w", "ab", "r+"])
def test_writing_around_the_watched_calls_is_refused(tmp_path: Path, mode: str) -> None:
    (tmp_path / "file").write_text("old")
    with (
        SimulatedDisk(tmp_path).mounted(),
        pytest.raises(Forbidden),
        (tmp_path / "file").open(mode),
    ):
        pass
