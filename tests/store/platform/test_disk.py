"""Files that survive: what a reader and a writer promise when the disk does not go along."""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from store.errors import ReadOnly, StoreError, Unreadable, WriteFailed
from store.platform.read import read_bytes
from store.platform.write import append_line, move_file, remove_file, replace_durably, secure_name

Failing = Callable[..., object]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "issue-7.json"
    path.write_bytes(b"old")
    return path


def _fail_with(number: int) -> Failing:
    def fail(*_: object, **__: object) -> object:
        raise OSError(number, os.strerror(number))

    return fail


@pytest.mark.parametrize(
    ("call", "number", "kind", "words"),
    [
        ("write", errno.ENOSPC, WriteFailed, "the disk is full"),
        ("fsync", errno.EIO, WriteFailed, "the disk reports an error"),
        ("replace", errno.EROFS, ReadOnly, "the disk is read-only"),
        ("open", errno.EACCES, ReadOnly, "no permission"),
        ("write", errno.EFBIG, WriteFailed, "larger than the system allows"),
    ],
)
def test_a_failed_write_leaves_the_old_content_and_no_temporary_file(
    file: Path,
    monkeypatch: pytest.MonkeyPatch,
    call: str,
    number: int,
    kind: type[StoreError],
    words: str,
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(os, call, _fail_with(number))
        with pytest.raises(kind, match=rf"issue-7\.json could not be written: .*{words}") as caught:
            replace_durably(file, b"new", file.parent)
    assert caught.value.hint
    assert file.read_bytes() == b"old"
    assert list(file.parent.iterdir()) == [file]


def test_a_lost_lock_stops_the_write_before_the_rename(file: Path) -> None:
    def lost() -> None:
        raise WriteFailed("the lock is gone")

    with pytest.raises(WriteFailed, match="the lock is gone"):
        replace_durably(file, b"new", file.parent, lost)
    assert file.read_bytes() == b"old"
    assert list(file.parent.iterdir()) == [file]


@pytest.mark.parametrize("there", [True, False])
def test_nothing_is_appended_through_a_link_out_of_the_store(tmp_path: Path, there: bool) -> None:
    root, outside = tmp_path / "memory", tmp_path / "profile"
    root.mkdir()
    if there:
        outside.write_bytes(b"export A=1\n")
    (root / "activity.jsonl").symlink_to(outside)
    with pytest.raises(WriteFailed, match="is a symbolic link"):
        append_line(root / "activity.jsonl", b"$(touch x)", root)
    assert outside.exists() is there
    assert not there or outside.read_bytes() == b"export A=1\n"


def test_a_folder_that_is_a_link_out_of_the_store_is_left_alone(tmp_path: Path) -> None:
    root, outside = tmp_path / "memory", tmp_path / "outside"
    root.mkdir()
    outside.mkdir()
    (outside / "kept.json").write_bytes(b"kept")
    (root / "issue-7.json").write_bytes(b"seven")
    (root / "archive").symlink_to(outside)
    held = root / "archive" / "kept.json"
    with pytest.raises(Unreadable, match="archive is a symbolic link"):
        read_bytes(held, root)
    with pytest.raises(FileNotFoundError):
        read_bytes(root / "archive" / "nothing.json", root)
    writing: tuple[Callable[[], object], ...] = (
        lambda: replace_durably(held, b"new", root),
        lambda: replace_durably(root / "archive" / "new.json", b"new", root),
        lambda: append_line(held, b"new", root),
        lambda: remove_file(held, root),
        lambda: move_file(held, root / "issue-8.json", root),
        lambda: move_file(root / "issue-7.json", root / "archive" / "issue-7.json", root),
    )
    for write in writing:
        with pytest.raises(WriteFailed, match="archive is a symbolic link"):
            write()
    assert [(each.name, each.read_bytes()) for each in outside.iterdir()] == [
        ("kept.json", b"kept")
    ]
    assert (root / "issue-7.json").read_bytes() == b"seven"


def test_no_link_within_the_store_is_followed_either(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "archive").symlink_to("elsewhere")
    (tmp_path / "issue-0.json").write_bytes(b"kept")
    (tmp_path / "activity.jsonl").symlink_to("issue-0.json")
    writing: tuple[Callable[[], object], ...] = (
        lambda: replace_durably(tmp_path / "archive" / "new.json", b"new", tmp_path),
        lambda: append_line(tmp_path / "activity.jsonl", b"new", tmp_path),
    )
    for write in writing:
        with pytest.raises(WriteFailed, match="is a symbolic link"):
            write()
    assert (tmp_path / "issue-0.json").read_bytes() == b"kept"
    assert not list((tmp_path / "elsewhere").iterdir())


def test_a_file_that_can_not_be_opened_or_read_is_named(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(os, "open", _fail_with(errno.EACCES))
        with pytest.raises(Unreadable, match=r"issue-7\.json can't be opened: Permission denied"):
            read_bytes(file, file.parent)
    with monkeypatch.context() as patched:
        patched.setattr(os, "read", _fail_with(errno.EIO))
        with pytest.raises(Unreadable, match=r"issue-7\.json can't be read"):
            read_bytes(file, file.parent)


def test_lines_are_appended_whole_and_a_torn_one_is_closed_first(tmp_path: Path) -> None:
    log = tmp_path / "activity.jsonl"
    append_line(log, b"one\n", log.parent)
    with log.open("ab") as torn:
        torn.write(b"tw")
    append_line(log, b"three", log.parent)
    assert log.read_bytes() == b"one\ntw\nthree\n"


def test_what_the_disk_itself_still_holds_is_written_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    synced: list[int] = []
    monkeypatch.setattr(fcntl, "F_FULLFSYNC", 51, raising=False)
    monkeypatch.setattr(fcntl, "fcntl", lambda handle, call: asked.append(call))
    monkeypatch.setattr(os, "fsync", synced.append)
    replace_durably(tmp_path / "file", b"new", tmp_path)
    assert (asked, synced) == ([51, 51], [])


def test_the_names_of_a_folder_and_of_the_one_above_are_made_durable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[Path] = []
    monkeypatch.setattr("store.platform.write.sync_folder", synced.append)
    secure_name(tmp_path / "a" / "b")
    assert synced == [tmp_path, tmp_path / "a"]
    (tmp_path / "file").touch()
    synced.clear()
    (tmp_path / "target").mkdir()
    move_file(tmp_path / "file", tmp_path / "target" / "file", tmp_path)
    assert set(synced) == {tmp_path, tmp_path / "target"}


def test_a_temporary_name_that_somebody_took_is_not_written_to(
    tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "urandom", lambda number: b"\0" * number)
    theirs = tmp_path / f".{file.name}.{os.getpid()}-00000000.tmp"
    (tmp_path / "foreign").write_bytes(b"theirs")
    os.link(tmp_path / "foreign", theirs)
    with pytest.raises(WriteFailed):
        replace_durably(file, b"new", tmp_path)
    assert (file.read_bytes(), (tmp_path / "foreign").read_bytes()) == (b"old", b"theirs")


def test_a_link_that_is_put_there_while_one_looks_is_not_followed(
    tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "link").symlink_to(file)
    for module in ("read", "write"):
        monkeypatch.setattr(f"store.platform.{module}.link_on_way", lambda path, root: None)
    with pytest.raises(Unreadable):
        read_bytes(tmp_path / "link", tmp_path)
    with pytest.raises(StoreError):
        append_line(tmp_path / "link", b"line", tmp_path)
    assert file.read_bytes() == b"old"


def test_a_file_as_large_as_may_be_is_read_and_one_a_byte_larger_is_not(file: Path) -> None:
    assert read_bytes(file, file.parent, most=3) == b"old"
    with pytest.raises(Unreadable, match="too large"):
        read_bytes(file, file.parent, most=2)
