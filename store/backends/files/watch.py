"""A watch on a memory's folders: the kernel's word for which records were written since.

A stat of every file is the only way to tell for a program that begins; one that goes on asking has
the kernel note each write, also one in place. What it does not note (writes through a mapping, and
those of other machines) is found by the stats, which are looked at every few seconds all the same.
"""

from __future__ import annotations

import os
import struct
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from store.backends.files.layout import ARCHIVE, PENDING, issue_of, issue_of_folder

if TYPE_CHECKING:
    import ctypes

_MODIFY, _ATTRIB, _CLOSE_WRITE, _MOVED_FROM, _MOVED_TO = 0x2, 0x4, 0x8, 0x40, 0x80
_CREATE, _DELETE, _DELETE_SELF, _MOVE_SELF = 0x100, 0x200, 0x400, 0x800
_ONLY_FOLDERS = 0x1000000
_WRITTEN = (
    *(_MODIFY, _ATTRIB, _CLOSE_WRITE, _MOVED_FROM, _MOVED_TO),
    *(_CREATE, _DELETE, _DELETE_SELF, _MOVE_SELF),
)
_LOST = 0x2000 | 0x4000 | 0x8000 | _DELETE_SELF | _MOVE_SELF
"""Unmounted, overflown, ended: what was noted is not all there is."""
_EVENT = struct.Struct("iIII")
_BLOCK = 64 * 1024
_MOST_FOLDERS = 2_000
"""Folders that are watched: a user's programs share some 8,000 watches where little is set up."""
_LOCAL = frozenset({"ext2", "ext3", "ext4", "xfs", "btrfs", "f2fs", "tmpfs", "overlay", "zfs"})
"""File systems that no other machine writes to behind the kernel's back."""


class Watch:
    """The kernel's notes about one memory. Not thread-safe by itself."""

    def __init__(self, folder: Path, handle: int) -> None:
        self._folder = folder
        self._handle = handle
        self._owner = os.getpid()
        self._places = _places(folder)
        self._prefixes: dict[int, str] = {}

    def written(self) -> set[int] | None:
        """The issues whose files were written since this was asked last; None where that is not
        known: the watch has ended.
        """
        if os.getpid() != self._owner or _places(self._folder) != self._places:
            return None
        found: set[int] = set()
        while True:
            try:
                data = _notes(self._handle)
            except BlockingIOError:
                return found
            except OSError:
                return None
            at = 0
            while at < len(data):
                place, mask, _, length = _EVENT.unpack_from(data, at)
                at += _EVENT.size + length
                if mask & _LOST:
                    return None
                name = data[at - length : at].rstrip(b"\0").decode("utf-8", "surrogateescape")
                if name in (ARCHIVE, PENDING) or issue_of_folder(name) is not None:
                    return None  # a folder that is new, and not watched
                issue = issue_of(self._prefixes.get(place, "") + name)
                if issue is not None:
                    found.add(issue)

    def close(self) -> None:
        """End it."""
        if os.getpid() == self._owner and self._handle >= 0:
            os.close(self._handle)
        self._handle = -1

    __del__ = close

    def _add(self, libc: ctypes.CDLL) -> bool:
        prefixes = _prefixes(self._folder)
        if len(prefixes) > _MOST_FOLDERS:
            return False
        for prefix in prefixes:
            place = self._folder / prefix
            if place.is_dir():
                mask = sum(_WRITTEN) | _ONLY_FOLDERS
                number = libc.inotify_add_watch(self._handle, os.fsencode(place), mask)
                if number < 0:
                    return False
                self._prefixes[number] = prefix
        return True


def _prefixes(folder: Path) -> list[str]:
    """The folders of a memory that records stand in, as their names begin."""
    locations = ("", f"{ARCHIVE}/")
    issues = [
        f"{location}{name}/"
        for location in locations
        if (folder / location).is_dir()
        for name in os.listdir(folder / location)
        if name[-5:] != ".json" and issue_of_folder(name) is not None
    ]
    return [*locations, f"{PENDING}/", *issues]


def watch(folder: Path) -> Watch | None:
    """A watch on a memory's folders; None where the system has none, or it would miss writes."""
    if sys.platform != "linux" or not folder.is_dir() or not is_local(folder):
        return None
    import ctypes  # 2 ms, which no command has a use for

    try:
        libc = ctypes.CDLL(None, use_errno=True)
        handle = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, AttributeError):
        return None
    if handle < 0:
        return None
    made = Watch(folder, handle)
    if not made._add(libc):
        made.close()
        return None
    return made


def is_local(folder: Path) -> bool:
    """Whether a folder's file system is one that only this machine writes."""
    device = os.stat(folder).st_dev
    wanted = f"{os.major(device)}:{os.minor(device)}"
    try:
        lines = Path("/proc/self/mountinfo").read_text(errors="replace").splitlines()
    except OSError:
        return False
    kinds = {
        line.partition(" - ")[2].split(" ", 1)[0]
        for line in lines
        if len(fields := line.split(" ", 3)) > 2 and fields[2] == wanted
    }
    return bool(kinds) and kinds <= _LOCAL


def _notes(handle: int) -> bytes:
    return os.read(handle, _BLOCK)


def _places(folder: Path) -> tuple[tuple[int, int], ...]:
    """Which folders stand there now."""
    found: list[tuple[int, int]] = []
    for place in (folder, f"{folder}/{ARCHIVE}"):
        with suppress(OSError):
            info = os.stat(place)
            found.append((info.st_dev, info.st_ino))
    return tuple(found)
