"""Writing files: replaced atomically and durably, moved, removed, appended to."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path

from store.errors import NotSynced, ReadOnly, StoreError, WriteFailed
from store.platform.home import check_home
from store.platform.links import link_on_way

NOT_KNOWN = frozenset({errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EINVAL})
"""How a disk reports that it does not know a call: locks, rights, syncs of folders."""
OWN_FILE, OWN_FOLDER = 0o600, 0o700
"""The modes of what is new: memory is for its user alone."""
_READ_ONLY = {errno.EROFS, errno.EACCES, errno.EPERM}
_REASONS = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EFBIG: "the file would be larger than the system allows",
    errno.EIO: "the disk reports an error",
    errno.EROFS: "the disk is read-only",
    errno.EACCES: "no permission to write",
    errno.EPERM: "no permission to write",
}


def sync_file(handle: int) -> None:
    """Make what was written to a file durable. Raises `OSError`.

    macOS leaves it in the disk's own cache after an fsync, and has a call of its own to empty that.
    """
    full = getattr(fcntl, "F_FULLFSYNC", None)
    if full is not None:
        try:
            fcntl.fcntl(handle, full)
        except OSError as error:
            if error.errno not in NOT_KNOWN | {errno.ENOTTY}:
                raise
        else:
            return
    os.fsync(handle)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable, where its disk knows how. Raises `OSError`."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        sync_file(handle)
    except OSError as error:
        if error.errno not in NOT_KNOWN:
            raise
    finally:
        os.close(handle)


def replace_durably(
    path: Path, data: bytes, root: Path, still_ours: Callable[[], None] = lambda: None
) -> None:
    """Replace a file so that neither a crash nor a power cut loses the old or the new content.

    Exclusive temporary file next to it with the old file's mode, fsync, `still_ours` (which raises
    where the lock was lost), rename, fsync of the folder. Raises `ReadOnly` or `WriteFailed`;
    then the old content is intact and no temporary file is left. Raises `NotSynced` where the new
    content is there and only the last step failed.
    """
    _replace(path, data, root, still_ours, durable=True)


def replace_derived(path: Path, data: bytes, root: Path) -> None:
    """Replace a derived file atomically, without waiting for the disk. Raises as above."""
    _replace(path, data, root, lambda: None, durable=False)


def replace_several(
    changes: Mapping[Path, bytes | None],
    root: Path,
    written: Iterable[Path] = (),
    check: Callable[[Path], None] = lambda path: None,
) -> None:
    """Replace files, and remove those without content: each atomically, all durable in the end.

    The names of their folders too, which a crash may have left unsynced, and those of files that
    were `written` before it. Raises as `replace_durably`, and what `check` raises right before a
    file is changed; then some may be changed.
    """
    for path, data in changes.items():
        if data is None:
            check(path)
            unlink(path, root)
        else:
            _replace(path, data, root, partial(check, path), durable=True, confirmed=False)
    ways = ([path.parent, *path.parent.parents] for path in (*changes, *written))
    near = (folder for way in ways for folder in way if folder.is_relative_to(root))
    folders = [fromkey for fromkey in dict.fromkeys(near) if fromkey.is_dir()]
    for folder in sorted(folders, key=lambda folder: -len(folder.parts)):
        confirm(folder, folder)


def _replace(
    path: Path,
    data: bytes,
    root: Path,
    still_ours: Callable[[], None],
    *,
    durable: bool,
    confirmed: bool = True,
) -> None:
    # A derived file takes the place of a link; what the link leads to stays as it is.
    refuse_link(path if durable else path.parent, root)
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{os.urandom(4).hex()}.tmp")
    try:
        _write_new(temporary, data, _replaced(path), durable=durable)
        try:
            still_ours()
            os.replace(temporary, path)
        except BaseException:  # Ctrl+C too must leave no stray file; it is raised again
            _discard(temporary)
            raise
    except OSError as error:
        raise write_error(path, error) from error
    if durable and confirmed:
        confirm(path, path.parent)


def confirm(path: Path, *folders: Path) -> None:
    """Make durable what became of a name in some folders. Raises `NotSynced`: it is done by now."""
    try:
        for folder in folders:
            sync_folder(folder)
    except OSError as error:
        raise NotSynced(
            f"{path.name} was changed, but the disk did not confirm the write"
            f" ({error.strerror or 'it failed'}). A power cut may revert it.",
            "Check the disk. The change can be undone.",
        ) from error


def refuse_link(path: Path, root: Path) -> None:
    """Raise `WriteFailed` where a path is a link or leads through one.

    Whoever wrote the files of a checkout must not choose what is written elsewhere, nor which of
    two files of memory is written.
    """
    if link := link_on_way(path, root):
        raise WriteFailed(
            f"{link.name} is a symbolic link; nothing was written.",
            "Replace it with a regular file or folder.",
        )


def _replaced(path: Path) -> os.stat_result | None:
    """Stat of a file that is to be replaced; None where there is none, or a link."""
    try:
        info = os.lstat(path)
    except FileNotFoundError:
        return None
    return None if stat.S_ISLNK(info.st_mode) else info


def _write_new(path: Path, data: bytes, like: os.stat_result | None, *, durable: bool) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, OWN_FILE)
    try:
        try:
            if like is not None:
                _take_after(handle, like)
            write_all(handle, data)
            if durable:
                sync_file(handle)
        finally:
            os.close(handle)
    except BaseException:  # Ctrl+C too must leave no half file; it is raised again
        _discard(path)
        raise


def _take_after(handle: int, like: os.stat_result) -> None:
    """Give a new file the owner and the mode of the one it replaces, where its disk has them.

    What root writes in somebody's project stays theirs to read.
    """
    try:
        if like.st_uid != os.geteuid() == 0:
            os.fchown(handle, like.st_uid, like.st_gid)
        os.fchmod(handle, stat.S_IMODE(like.st_mode))
    except OSError as error:
        if error.errno not in NOT_KNOWN | {errno.EPERM}:
            raise


def write_all(handle: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        written = os.write(handle, view)
        view = view[written:]


def make_folder(folder: Path) -> None:
    """Make a folder and those above it, each name durable. Raises `ReadOnly`, `WriteFailed`."""
    if folder.is_dir():
        return
    make_folder(folder.parent)
    try:
        os.mkdir(folder, OWN_FOLDER)
        sync_folder(folder.parent)
    except FileExistsError:
        return
    except OSError as error:
        raise write_error(folder, error) from error


def secure_name(folder: Path) -> None:
    """Make durable the names of a folder and of the one above it, where a crash left them unsynced.

    Raises `ReadOnly`, `WriteFailed`.
    """
    try:
        for parent in (folder.parent.parent, folder.parent):
            sync_folder(parent)
    except OSError as error:
        raise write_error(folder, error) from error


def unlink(path: Path, root: Path) -> bool:
    """Remove a file; whether it was there."""
    refuse_link(path.parent, root)
    try:
        os.unlink(path)
    except FileNotFoundError:
        return False
    except OSError as error:
        raise write_error(path, error) from error
    return True


def _discard(path: Path) -> None:
    try:
        os.unlink(path)
    except OSError:
        # The error that led here is the one to report; `doctor` finds what is left.
        return


def write_error(path: Path, error: OSError) -> StoreError:
    reason = _REASONS.get(error.errno or 0, error.strerror or "the system refused")
    message = f"{path.name} could not be written: {reason}. The old content is unchanged."
    if error.errno in _READ_ONLY:
        return ReadOnly(message, f"Check the permissions of {path.parent}.")
    return WriteFailed(message, "Free some space, then try again.")


def move_file(source: Path, target: Path, root: Path) -> None:
    """Move a file within the store, durably; anything that can have a name. Raises as above."""
    for folder in (source.parent, target.parent):
        refuse_link(folder, root)
    make_folder(target.parent)
    try:
        os.rename(source, target)
    except OSError as error:
        raise write_error(source, error) from error
    confirm(source, *dict.fromkeys((target.parent, source.parent)))


def remove_file(path: Path, root: Path) -> None:
    """Remove a file, its absence durable. Raises `ReadOnly`, `WriteFailed`."""
    if unlink(path, root):
        confirm(path, path.parent)


def make_private(folder: Path) -> None:
    """Make a folder of derived data and those above it, for this user alone, not durably.

    Raises `StoreError` where one of another user is there, or for a user without a home, and
    `OSError`.
    """
    check_home(folder)
    for place in (*reversed(folder.parents), folder):
        with suppress(FileExistsError):
            if not place.is_dir():
                place.mkdir(OWN_FOLDER)
    for place, owners in ((folder, {os.geteuid()}), (folder.parent, {os.geteuid(), 0})):
        if place.stat().st_uid not in owners:
            raise StoreError(f"{place} belongs to another user.", "It was not used.")
    if stat.S_IMODE(folder.stat().st_mode) & ~OWN_FOLDER:
        folder.chmod(OWN_FOLDER)


def append_line(path: Path, line: bytes, root: Path) -> int:
    """Append one line in one write, so that lines of several programs don't mix; the file's size.

    A line that a crash left without its end is closed first; a file that another program sets
    aside meanwhile is closed, and the line goes to the one in its place. Raises `ReadOnly`,
    `WriteFailed`.
    """
    refuse_link(path, root)
    try:
        handle = _open_to_append(path)
        try:
            size = os.fstat(handle).st_size
            torn = size > 0 and os.pread(handle, 1, size - 1) != b"\n"
            data = (b"\n" if torn else b"") + line.rstrip(b"\n") + b"\n"
            write_all(handle, data)
            return size + len(data)
        finally:
            os.close(handle)
    except OSError as error:
        raise write_error(path, error) from error


def _open_to_append(path: Path) -> int:
    """Return a file held so that it is not set aside before it is closed."""
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
    while True:
        with ExitStack() as opened:
            handle = os.open(path, flags, OWN_FILE)
            opened.callback(os.close, handle)
            with suppress(OSError):  # a disk without locks: the line is only in the file before
                fcntl.flock(handle, fcntl.LOCK_SH)
            if _is_at(path, handle):
                opened.pop_all()
                return handle


def _is_at(path: Path, handle: int) -> bool:
    """Compare an open file with the one at a path: it may have been replaced."""
    try:
        return os.path.samestat(os.fstat(handle), os.lstat(path))
    except FileNotFoundError:
        return False
