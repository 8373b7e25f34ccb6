"""The crash-point harness itself: it accepts the right writer and catches each wrong one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.faults.disk import SimulatedDisk
from tests.faults.harness import explore
from tests.faults.modes import Fault, Forbidden, Killed, Mode
from tests.faults.reference import TakesErrorsForEmpty, TwoFilesAtOnce, Writer, scenario

MINIMUM_POINTS = 22
"""File-system calls in the reference scenario; fewer would mean that calls go unseen."""

WRONG: list[tuple[str, Writer, set[Mode]]] = [
    ("no temporary file", Writer(temporary=False), {Mode.KILLED, Mode.TORN_WRITE, Mode.DISK_FULL}),
    ("no fsync", Writer(syncs_file=False), {Mode.DATA_LOST}),
    ("no folder fsync", Writer(syncs_folder=False), {Mode.NAMES_LOST}),
    ("short write ignored", Writer(continues_short_writes=False), {Mode.SHORT_WRITE}),
    ("manifest before record", Writer(record_first=False), {Mode.KILLED, Mode.KILLED_TWICE}),
    ("temporary file left", Writer(cleans_up=False), {Mode.DISK_FULL, Mode.IO_ERROR}),
    ("descriptor leaked", Writer(closes=False), {Mode.DISK_FULL, Mode.IO_ERROR}),
    ("two steps for one change", TwoFilesAtOnce(), {Mode.KILLED}),
    ("an error taken for nothing", TakesErrorsForEmpty(), {Mode.IO_ERROR, Mode.NO_PERMISSION}),
]


def test_the_right_writer_survives_every_fault_at_every_call(tmp_path: Path) -> None:
    report = explore(scenario("right", Writer()), tmp_path)
    assert not report.failures, "\n".join(map(str, report.failures))
    assert len(report.calls) >= MINIMUM_POINTS
    assert report.runs >= 5 * len(report.calls)


@pytest.mark.parametrize(("name", "writer", "modes"), WRONG, ids=[name for name, _, _ in WRONG])
def test_a_wrong_writer_is_caught(
    tmp_path: Path, name: str, writer: Writer, modes: set[Mode]
) -> None:
    report = explore(scenario(name, writer), tmp_path, modes=modes)
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
