"""The files of a vault by their names and stamps: no file is read."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path

from store.backends.files.layout import list_removed
from store.backends.vault.layout import ARCHIVE, NOT_AGENTS, PENDING, SIDE, SIDECAR
from store.errors import Unreadable
from store.model import Problem
from store.platform.file_stamp import FileStamp, is_fresh, stamp_of

_MOST_FILES = 100_000


@dataclass(slots=True)
class Listing:
    """The files that are in a vault at one moment, `taken` in nanoseconds.

    `stamps` are those of its Markdown, of the sidecar, of tombstones and of a change that is still
    pending; `removed` has the issue of each file of tombstones. `problems` are of what is left out:
    links, odd names, and the folders of `unlisted`, which can't be listed now.
    """

    taken: int = 0
    stamps: dict[str, FileStamp] = field(default_factory=dict)
    removed: dict[str, int] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    unlisted: list[Problem] = field(default_factory=list)

    @property
    def notes(self) -> list[str]:
        """The paths of its Markdown."""
        return [path for path in self.stamps if is_markdown(path)]

    @property
    def is_pending(self) -> bool:
        """A change of several files is not written to all of them yet."""
        return PENDING in self.stamps

    def is_fresh(self, path: str) -> bool:
        """Return whether a file may change once more and keep its stamp."""
        stamp = self.stamps.get(path)
        return stamp is None or is_fresh(stamp, self.taken)

    def add(self, folder: Path, path: str) -> None:
        """Add the stamp of a file, if it is there."""
        if (stamp := stamp_of(folder / path)) is not None:
            self.stamps[path] = stamp

    def digest(self, issues: Iterable[int]) -> str:
        """Return a text that differs once any file does, or another issue is there."""
        both = repr((sorted(self.stamps.items()), sorted(issues)))
        return blake2b(both.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def is_markdown(path: str) -> bool:
    """Return whether a file of a listing is Markdown, not one of memtui's own."""
    return not path.startswith(f"{SIDE}/")


def list_vault(folder: Path) -> Listing:
    listing = Listing(time.time_ns())
    # Before the files: until it is gone, a pending change is read over whatever they hold.
    listing.add(folder, PENDING)
    listing.stamps |= _markdown_files(folder, listing)
    listing.add(folder, SIDECAR)
    listing.removed = list_removed(folder / SIDE)
    for name in listing.removed:
        listing.add(folder, f"{SIDE}/{name}")
    return listing


def _markdown_files(folder: Path, listing: Listing) -> Iterator[tuple[str, FileStamp]]:
    found, places = 0, ["", f"{ARCHIVE}/"]
    while places:
        place = places.pop()
        try:
            entries = sorted(os.scandir(folder / place), key=lambda entry: entry.name)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            message = f"{place or folder} can't be listed: {error.strerror}."
            listing.unlisted.append(Problem(place, message))
            listing.problems.append(listing.unlisted[-1])
            continue
        for entry in entries:
            path = place + entry.name
            if entry.name.startswith(".") or (not place and entry.name in NOT_AGENTS):
                continue
            is_note = entry.name.endswith(".md")
            if entry.is_symlink():
                if is_note or entry.is_dir():
                    message = f"{path} is a symbolic link, which is not followed."
                    listing.problems.append(Problem(path, message))
            elif entry.is_dir():
                places.append(f"{path}/")
            elif is_note and not _is_text(path):
                message = f"{path!r} has a name that is not UTF-8."
                listing.problems.append(Problem(ascii(path), message))
            elif is_note:
                found += 1
                if found > _MOST_FILES:
                    message = f"The vault has more than {_MOST_FILES:,} notes; these are the first."
                    listing.problems.append(Problem(place or ".", message))
                    return
                info = entry.stat(follow_symlinks=False)
                yield path, FileStamp(info.st_size, info.st_mtime_ns, info.st_ctime_ns, info.st_ino)


def _is_text(path: str) -> bool:
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def json_files(folder: Path, place: str) -> Sequence[str]:
    """Return the JSON files of a folder of the vault, which is reached through no link."""
    path = folder / place
    if path.is_symlink() or path.parent.is_symlink() or not path.is_dir():
        return ()
    names = (name for name in listed(path) if name.endswith(".json") and name[0] != ".")
    return [f"{place}/{name}" for name in names if not (path / name).is_symlink()]


def listed(folder: Path) -> list[str]:
    """Return the names in a folder, sorted. Raises `Unreadable`."""
    try:
        return sorted(path.name for path in folder.iterdir())
    except OSError as error:
        raise Unreadable(f"{folder} can't be listed: {error.strerror}.") from error
