"""Files: written whole, no link followed, seen by their stamps, and only their user's."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from store.errors import ReadOnly, StoreError, Unopened, Unreadable, WriteFailed
from store.platform.file_stamp import FileStamp, is_fresh
from store.platform.links import link_on_way
from store.platform.read import read_bytes
from store.platform.write import (
    append_line,
    make_private,
    move_file,
    remove_file,
    replace_derived,
    replace_durably,
    replace_several,
    secure_name,
)

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


# A file as it was seen, and how long that may deceive.


@pytest.mark.parametrize("part", ["mtime", "ctime"])
@pytest.mark.parametrize(
    ("whole", "fresh_for"),
    [(1_000_000_000, 2_000_000_000), (3_000_000_000, 2_000_000_000), (3_000_000_007, 50_000_000)],
)
def test_for_how_long_a_stat_is_fresh(part: str, whole: int, fresh_for: int) -> None:
    stamp = FileStamp(9, whole, 0, 1)
    if part == "ctime":
        stamp = FileStamp(9, whole - 10**9, whole, 1)
    assert is_fresh(stamp, whole)
    assert is_fresh(stamp, whole + fresh_for)
    assert not is_fresh(stamp, whole + fresh_for + 1)
    assert is_fresh(stamp, whole - 10**12), "a file of the future is never trusted"


# The links that lead to a path of a memory, wherever on the way they stand.


@pytest.mark.parametrize("linked", ["a/b/file", "a/b", "a"])
def test_a_link_is_found_wherever_it_stands_on_the_way(tmp_path: Path, linked: str) -> None:
    root, elsewhere = tmp_path / "memory", tmp_path / "elsewhere"
    (elsewhere / "b").mkdir(parents=True)
    (root / linked).parent.mkdir(parents=True, exist_ok=True)
    (root / linked).symlink_to(elsewhere)
    assert link_on_way(root / "a" / "b" / "file", root) == root / linked


@pytest.mark.parametrize(
    ("linked", "may_be_well"),
    [("archive/a.json", False), ("archive", True), ("", True), ("..", True)],
)
def test_a_link_is_refused_for_good_and_what_stands_behind_one_may_be_well(
    tmp_path: Path, linked: str, may_be_well: bool
) -> None:
    root = tmp_path / "project" / ".agentx" / "memory"
    place = Path(os.path.normpath(root / linked))
    place.parent.mkdir(parents=True)
    elsewhere = tmp_path / "elsewhere"
    held = elsewhere / (root / "archive" / "a.json").relative_to(place)
    held.parent.mkdir(parents=True, exist_ok=True)
    if held != elsewhere:
        held.write_text("{}")
    else:
        held.touch()
    place.symlink_to(elsewhere)
    with pytest.raises(Unreadable, match=f"{place.name} is a symbolic link") as refused:
        read_bytes(root / "archive" / "a.json", root)
    assert isinstance(refused.value, Unopened) is may_be_well


# Whose a written file or folder is, and what is said where the disk does not confirm it.


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


@pytest.mark.parametrize("replace", [replace_derived, replace_durably])
def test_what_is_new_is_its_users_alone_and_what_is_replaced_stays_as_open_as_it_was(
    tmp_path: Path, replace: Callable[[Path, bytes, Path], None]
) -> None:
    new, old = tmp_path / "new", tmp_path / "old"
    old.touch()
    for given in (0o600, 0o644, 0o666):
        old.chmod(given)
        replace(old, b"text", tmp_path)
        assert (mode(old), old.read_bytes()) == (given, b"text")
    replace(new, b"text", tmp_path)
    assert mode(new) == 0o600


@pytest.mark.parametrize("before", [None, 0o700, 0o500, 0o750, 0o755, 0o770, 0o777, 0o701])
def test_a_private_folder_is_its_users_alone(tmp_path: Path, before: int | None) -> None:
    folder = tmp_path / "above" / "cache" / "memory"
    if before is not None:
        folder.mkdir(parents=True)
        folder.chmod(before)
    make_private(folder)
    make_private(folder)
    assert mode(folder) == (0o500 if before == 0o500 else 0o700)
    if before is None:
        assert [mode(place) for place in list(folder.parents)[:2]] == [0o700, 0o700]


@pytest.mark.parametrize("whose", ["memory", "cache", "above"])
def test_a_folder_of_another_user_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whose: str
) -> None:
    """Root may own the one above it, and whoever it is those above that."""
    folder = tmp_path / "above" / "cache" / "memory"
    folder.mkdir(parents=True)
    look = Path.stat
    owner = [54_321]

    def told(path: Path, *, follow_symlinks: bool = True) -> os.stat_result:
        info = look(path, follow_symlinks=follow_symlinks)
        own = owner[0] if path.name == whose else os.geteuid()
        return os.stat_result((*info[:4], own, *info[5:]))

    monkeypatch.setattr(Path, "stat", told)
    if whose == "above":
        make_private(folder)
        return
    with pytest.raises(StoreError, match=f"{whose} belongs to another user"):
        make_private(folder)
    monkeypatch.setattr(os, "geteuid", lambda: 1_000)
    owner[0] = 0
    if whose == "cache":
        make_private(folder)
    else:
        with pytest.raises(StoreError, match="memory belongs to another user"):
            make_private(folder)


@pytest.mark.parametrize("lost", ["first", "gone", "last"])
def test_of_several_files_none_is_changed_once_the_lock_is_lost(tmp_path: Path, lost: str) -> None:
    changes: dict[Path, bytes | None] = {
        tmp_path / "first": b"new", tmp_path / "gone": None, tmp_path / "last": b"new",
    }  # fmt: skip
    for path in changes:
        path.write_bytes(b"old")

    def check(path: Path) -> None:
        if path.name == lost:
            raise WriteFailed("the lock is gone")

    with pytest.raises(WriteFailed, match="the lock is gone"):
        replace_several(changes, tmp_path, check=check)
    done = [*changes][: [path.name for path in changes].index(lost)]
    for path, data in changes.items():
        held = path.read_bytes() if path.exists() else None
        assert held == (data if path in done else b"old")
    assert {path.name for path in tmp_path.iterdir()} <= {"first", "gone", "last"}


# A cache that another user owns is not used.
