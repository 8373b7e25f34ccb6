"""A disk that fails on command: the `os` functions that writers use, watched and broken at will.

The calls run for real on a temporary folder, except `fsync`, which is only noted in a model of
what a power cut would leave.
"""

from __future__ import annotations

import builtins
import errno
import fcntl
import io
import os
import shutil
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import pytest

from tests.faults.durable import File, Folder, Link, Node, materialise, scan, sync_folder
from tests.faults.modes import Call, Fault, Forbidden, Killed, Kind, Mode


@dataclass(slots=True)
class _Handle:
    """An open descriptor: its node in the model, its path below the root, and if it can write."""

    node: Node
    path: str
    writes: bool


class SimulatedDisk:
    """The disk below `root`, for as long as it is entered; `calls` lists what reached it."""

    def __init__(
        self,
        root: Path,
        fault: Fault | None = None,
        after: SimulatedDisk | None = None,
        *,
        is_derived: bool = False,
    ) -> None:
        """Start from a disk at rest, or from what the processes on the disk `after` left on it.

        Where all `is_derived`, files may be written by Python's own too: each is one call.
        """
        self.root = root.resolve()
        self._above = f"{self.root}{os.sep}"
        self.fault = fault
        self._is_derived = is_derived
        self.calls: list[Call] = []
        self.struck: Call | None = None
        self.dead = False
        self.left_open: list[str] = []
        self._full = False
        self._lock = threading.RLock()
        self._paused = threading.local()
        self._handles: dict[int, _Handle] = {}
        self._tree: Folder = after._tree if after else scan(self.root)

    # Entering and leaving

    @contextmanager
    def mounted(self) -> Iterator[SimulatedDisk]:
        """Put the disk between the process and `os` while the block runs."""
        try:
            with pytest.MonkeyPatch.context() as patch:
                for name, call in self._calls().items():
                    patch.setattr(os, name, call)
                patch.setattr(fcntl, "flock", self._lock_file(fcntl.flock))
                patch.setattr(io, "open", self._open_file)
                patch.setattr(builtins, "open", self._open_file)
                yield self
        finally:
            for descriptor, handle in self._handles.items():
                self.left_open.append(handle.path)
                os.close(descriptor)
            self._handles.clear()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Let this thread look at the files without being seen."""
        self._paused.on = True
        try:
            yield
        finally:
            self._paused.on = False

    def cut_power(self, mode: Mode) -> None:
        """Leave on the real disk what a power cut leaves: names or data that were synced."""
        use_durable_names = mode is not Mode.DATA_LOST
        with os.scandir(self.root) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    shutil.rmtree(entry.path)
                else:
                    Path(entry.path).unlink()
        materialise(self._tree, self.root, use_durable_names)

    # Where a call goes

    def _locate(self, path: Any, dir_fd: int | None = None) -> tuple[Folder, str, str] | None:  # noqa: ANN401
        """The folder in the model, the name in it, and the path below the root, if it is ours."""
        if getattr(self._paused, "on", False) or isinstance(path, int):
            return None
        text = os.fsdecode(path)
        if dir_fd is not None and dir_fd in self._handles:
            text = os.path.join(self.root, self._handles[dir_fd].path, text)  # noqa: PTH118
        parent, name = os.path.split(os.path.abspath(text))  # noqa: PTH100 - links stay links
        folder = self._folder(parent)
        if folder is None:  # perhaps by a link
            parent = os.path.realpath(parent)
            folder = self._folder(parent)
        if folder is None:
            return None
        return folder, name, os.path.join(parent, name)[len(self._above) :]  # noqa: PTH118

    def _folder(self, path: str) -> Folder | None:
        """The folder in the model that a path without links names, if it is ours."""
        if not f"{path}{os.sep}".startswith(self._above):
            return None
        folder: Node | None = self._tree
        parts = path[len(self._above) :].split(os.sep)  # noqa: PTH206 - half of what a call takes
        for part in filter(None, parts):
            folder = folder.names.get(part) if isinstance(folder, Folder) else None
        return folder if isinstance(folder, Folder) else None

    def _handle(self, descriptor: Any) -> _Handle | None:  # noqa: ANN401 - os takes anything
        if getattr(self._paused, "on", False) or not isinstance(descriptor, int):
            return None
        return self._handles.get(descriptor)

    # Failing

    def _reach(self, name: str, path: str, kind: Kind) -> bool:
        """Note a call and fail as ordered; True where the call itself must be cut in half."""
        with self._lock:
            if self.dead:
                raise Killed
            call = Call(name, path, kind)
            self.calls.append(call)
            fault = self.fault
            if fault is None or len(self.calls) - 1 != fault.point:
                if self._full and kind in (Kind.CREATE, Kind.WRITE):
                    _fail(errno.ENOSPC, path)
                return False
            if not fault.mode.applies_to(kind):
                return False
            self.struck = call
            if fault.mode in (Mode.TORN_WRITE, Mode.SHORT_WRITE):
                return True
            if fault.mode is Mode.DISK_FULL:
                self._full = True
                if kind is Kind.WRITE:
                    return True
                _fail(errno.ENOSPC, path)
            if fault.mode is Mode.IO_ERROR:
                _fail(errno.EIO, path)
            if fault.mode is Mode.NO_PERMISSION:
                _fail(errno.EACCES, path)
            self.dead = True
            raise Killed

    # The calls

    def _calls(self) -> dict[str, Callable[..., Any]]:
        return {
            "open": self._open,
            "close": self._close,
            "write": self._write,
            "pwrite": self._refuse_descriptor("pwrite"),
            "writev": self._refuse_descriptor("writev"),
            "sendfile": self._refuse_descriptor("sendfile"),
            "dup": self._refuse_descriptor("dup"),
            "ftruncate": self._truncate,
            "truncate": self._refuse_path("truncate"),
            "fsync": self._sync("fsync"),
            "fdatasync": self._sync("fdatasync"),
            "fchmod": self._attribute("fchmod"),
            "chmod": self._attribute("chmod"),
            "utime": self._attribute("utime"),
            "replace": self._move("replace"),
            "rename": self._move("rename"),
            "link": self._link,
            "symlink": self._symlink,
            "unlink": self._unlink("unlink"),
            "remove": self._unlink("remove"),
            "rmdir": self._unlink("rmdir"),
            "mkdir": self._mkdir,
            "scandir": self._list("scandir"),
            "listdir": self._list("listdir"),
        }

    def _open(self, path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:  # noqa: ANN401
        if self._is_root(path):
            descriptor = _OPEN(path, flags, mode)
            self._handles[descriptor] = _Handle(self._tree, "", writes=False)
            return descriptor
        place = self._locate(path, dir_fd)
        if place is None:
            return _OPEN(path, flags, mode, dir_fd=dir_fd)
        folder, name, below = place
        node = folder.names.get(name)
        creates = node is None and bool(flags & os.O_CREAT)
        self._reach("open", below, Kind.CREATE if creates else Kind.READ)
        with self._lock:
            descriptor = _OPEN(path, flags, mode, dir_fd=dir_fd)
            if node is None:
                node = folder.names[name] = File()
            writes = flags & (os.O_WRONLY | os.O_RDWR) != 0
            self._handles[descriptor] = _Handle(node, below, writes)
        return descriptor

    def _close(self, descriptor: int) -> None:
        handle = self._handle(descriptor)
        if handle is None:
            _CLOSE(descriptor)
            return
        with self._lock:
            self._handles.pop(descriptor, None)
            _CLOSE(descriptor)
        if handle.writes and not self.dead:
            self._reach("close", handle.path, Kind.CLOSE)

    def _write(self, descriptor: int, data: Any) -> int:  # noqa: ANN401 - any buffer
        handle = self._handle(descriptor)
        if handle is None:
            return _WRITE(descriptor, data)
        if self._reach("write", handle.path, Kind.WRITE):
            half = bytes(data)[: max(1, len(data) // 2)]
            written = _WRITE(descriptor, half)
            if self.fault is not None and self.fault.mode is Mode.TORN_WRITE:
                self.dead = True
                raise Killed
            return written
        return _WRITE(descriptor, data)

    def _truncate(self, descriptor: int, length: int) -> None:
        if handle := self._handle(descriptor):
            self._reach("ftruncate", handle.path, Kind.WRITE)
        _FTRUNCATE(descriptor, length)

    def _sync(self, name: str) -> Callable[[int], None]:
        def sync(descriptor: int) -> None:
            handle = self._handle(descriptor)
            if handle is None:
                _FSYNC(descriptor)
                return
            node = handle.node
            try:
                self._reach(name, handle.path, Kind.SYNC)
            except OSError:
                if isinstance(node, File):
                    node.doomed = True
                raise
            with self._lock:
                if isinstance(node, Folder):
                    sync_folder(node)
                elif isinstance(node, File) and not node.doomed:
                    with self.paused():
                        node.durable = Path(f"/proc/self/fd/{descriptor}").read_bytes()
                        node.changed = os.fstat(descriptor).st_mtime_ns

        return sync

    def _attribute(self, name: str) -> Callable[..., None]:
        real = getattr(os, name)

        def change(target: Any, *args: Any, **options: Any) -> None:  # noqa: ANN401
            if handle := self._handle(target):
                self._reach(name, handle.path, Kind.NAME)
            elif place := self._locate(target):
                self._reach(name, place[2], Kind.NAME)
            real(target, *args, **options)

        return change

    def _move(self, name: str) -> Callable[..., None]:
        real = getattr(os, name)

        def move(
            source: Any,  # noqa: ANN401
            target: Any,  # noqa: ANN401
            *,
            src_dir_fd: int | None = None,
            dst_dir_fd: int | None = None,
        ) -> None:
            here, there = self._locate(source, src_dir_fd), self._locate(target, dst_dir_fd)
            if here and there:
                self._reach(name, there[2], Kind.NAME)
            elif here or there:
                raise Forbidden(f"{name} across the store's border: {source} to {target}")
            with self._lock:
                real(source, target, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd)
                if here and there:
                    there[0].names[there[1]] = here[0].names.pop(here[1])
                    if here[0] is not there[0]:
                        here[0].moved.append((here[0], here[1], there[0], there[1]))
                        there[0].moved.append((here[0], here[1], there[0], there[1]))

        return move

    def _link(self, source: Any, target: Any, **options: Any) -> None:  # noqa: ANN401
        here, there = self._locate(source), self._locate(target)
        if here and there:
            self._reach("link", there[2], Kind.CREATE)
        with self._lock:
            _LINK(source, target, **options)
            if here and there:
                there[0].names[there[1]] = here[0].names[here[1]]

    def _symlink(self, source: Any, target: Any, *args: Any, **options: Any) -> None:  # noqa: ANN401
        place = self._locate(target)
        if place:
            self._reach("symlink", place[2], Kind.CREATE)
        _SYMLINK(source, target, *args, **options)
        if place:
            place[0].names[place[1]] = Link(os.fsdecode(source))

    def _unlink(self, name: str) -> Callable[..., None]:
        real = getattr(os, name)

        def unlink(path: Any, *, dir_fd: int | None = None) -> None:  # noqa: ANN401
            place = self._locate(path, dir_fd)
            if place and place[1] in place[0].names:
                self._reach(name, place[2], Kind.NAME)
            with self._lock:
                real(path, dir_fd=dir_fd)
                if place:
                    place[0].names.pop(place[1], None)

        return unlink

    def _mkdir(self, path: Any, mode: int = 0o777, *, dir_fd: int | None = None) -> None:  # noqa: ANN401
        place = self._locate(path, dir_fd)
        if place and place[1] not in place[0].names:
            self._reach("mkdir", place[2], Kind.CREATE)
        with self._lock:
            _MKDIR(path, mode, dir_fd=dir_fd)
            if place:
                place[0].names[place[1]] = Folder()

    def _list(self, name: str) -> Callable[..., Any]:
        real = getattr(os, name)

        def entries(path: Any = ".") -> Any:  # noqa: ANN401
            if place := self._locate(path):
                self._reach(name, place[2], Kind.READ)
            found = real(path)
            if place is None:
                return found
            if name == "listdir":
                return sorted(found)
            with found:
                return _Entries(found)

        return entries

    def _lock_file(self, real: Callable[[Any, int], None]) -> Callable[[Any, int], None]:
        """`flock`, seen as "lock", "share" or "unlock"; the kernel unlocks what the dead held."""

        def flock(descriptor: Any, how: int) -> None:  # noqa: ANN401 - a number, or a file
            handle = self._handle(descriptor)
            if handle and not (self.dead and how & fcntl.LOCK_UN):
                shares = "share" if how & fcntl.LOCK_SH else "lock"
                self._reach("unlock" if how & fcntl.LOCK_UN else shares, handle.path, Kind.LOCK)
            real(descriptor, how)

        return flock

    def _open_file(self, file: Any, mode: str = "r", *args: Any, **options: Any) -> Any:  # noqa: ANN401
        handle, place = self._handle(file), self._locate(file)
        if handle or place:
            below = handle.path if handle else place[2] if place else ""
            writes = bool(set(mode) & set("wax+"))
            if writes and not self._is_derived:
                raise Forbidden(f"open({below}, {mode!r}) writes around os.open and os.write")
            self._reach("write" if writes else "open", below, Kind.WRITE if writes else Kind.READ)
            if writes and place:
                place[0].names.setdefault(place[1], File())
        if handle:
            self._handles.pop(file)  # it is the file's by now, which closes it out of our sight
        return _OPEN_FILE(file, mode, *args, **options)

    def _refuse_descriptor(self, name: str) -> Callable[..., Any]:
        real = getattr(os, name)

        def refuse(descriptor: Any, *args: Any, **options: Any) -> Any:  # noqa: ANN401
            if handle := self._handle(descriptor):
                raise Forbidden(f"os.{name}({handle.path}) is a call the harness can't break")
            return real(descriptor, *args, **options)

        return refuse

    def _refuse_path(self, name: str) -> Callable[..., Any]:
        real = getattr(os, name)

        def refuse(path: Any, *args: Any) -> Any:  # noqa: ANN401
            if place := self._locate(path):
                raise Forbidden(f"os.{name}({place[2]}) is a call the harness can't break")
            return real(path, *args)

        return refuse

    def _is_root(self, path: Any) -> bool:  # noqa: ANN401
        return (
            not isinstance(path, int)
            and f"{os.path.abspath(os.fsdecode(path))}{os.sep}" == self._above  # noqa: PTH100
        )


class _Entries:
    """What `scandir` answers, in the order of the names: the same on each file system."""

    def __init__(self, found: Iterable[os.DirEntry[Any]]) -> None:
        self._found = iter(sorted(found, key=lambda it: it.name))

    def __iter__(self) -> Iterator[os.DirEntry[Any]]:
        return self._found

    def __next__(self) -> os.DirEntry[Any]:
        return next(self._found)

    def __enter__(self) -> _Entries:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def close(self) -> None:
        """Nothing is held."""


_OPEN, _CLOSE, _WRITE, _FSYNC, _FTRUNCATE = os.open, os.close, os.write, os.fsync, os.ftruncate
_LINK, _SYMLINK, _MKDIR, _OPEN_FILE = os.link, os.symlink, os.mkdir, io.open


def _fail(code: int, path: str) -> NoReturn:
    raise OSError(code, os.strerror(code), path)
