"""Named texts, a file each: operations, injections and sessions."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from store.backends.expiry import expired_before
from store.backends.files.layout import GITIGNORE, QUARANTINE
from store.backends.text_kinds import TextKind, check_text_name, text_path
from store.errors import NotFound, StoreError, Unreadable
from store.platform.move import remove_file
from store.platform.read import read_bytes
from store.platform.stamp import stamp_of
from store.platform.write import make_folder, replace_derived, replace_durably

_NEWEST = ".newest.json"
_IGNORED = b"# Written by memtui: what is kept here stays on this machine.\n*\n"


def keep(
    folder: Path, kind: TextKind, name: str, data: bytes, *, durable: bool, private: bool
) -> None:
    """Keep a text, in place of one with that name. Raises `ReadOnly`, `WriteFailed`.

    What is `private` goes to a folder that git ignores.
    """
    path = _path(folder, kind, name)
    make_folder(path.parent)
    ignore = path.with_name(GITIGNORE)
    if private and not ignore.exists():
        replace_derived(ignore, _IGNORED, folder)
    replace = replace_durably if durable else replace_derived
    replace(path, data, folder)
    if kind is TextKind.OPERATIONS:
        _note_newest(folder, kind, name)


def kept(folder: Path, kind: TextKind, name: str) -> bytes:
    """A text by its name. Raises `NotFound`, `Unreadable`."""
    try:
        return read_bytes(_path(folder, kind, name), folder)
    except FileNotFoundError as error:
        raise NotFound(f"{name!r} not found in {kind}.", "It may have expired.") from error


def names(folder: Path, kind: TextKind) -> list[str]:
    """The names of all texts of a kind. Raises `Unreadable`."""
    place = folder / kind
    try:
        # Not by pathlib: a journal of thousands is listed at every write.
        files = os.listdir(place)
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise Unreadable(
            f"The folder {place} can't be listed: {error.strerror}.",
            "Check its permissions.",
        ) from error
    ending = text_path(kind, "").removeprefix(f"{kind}/")
    texts = (name for name in files if name.endswith(ending) and not name.startswith("."))
    return [name.removesuffix(ending) for name in texts]


def newest(folder: Path, kind: TextKind) -> str:
    """The greatest name of a kind; from a list of all where that is not noted."""
    try:
        value = json.loads(read_bytes(folder / kind / _NEWEST, folder))
        if isinstance(value, str) and _path(folder, kind, value).exists():
            return value
    except (OSError, StoreError, ValueError, RecursionError):
        pass  # it is only a note of what a list tells as well
    return max(names(folder, kind), default="")


def _note_newest(folder: Path, kind: TextKind, name: str) -> None:
    """Note a name if it is the greatest. Where that fails, all are listed the next time."""
    path = folder / kind / _NEWEST
    greatest = newest(folder, kind)
    if name <= greatest and path.exists():
        return
    with suppress(StoreError, OSError):
        try:
            replace_derived(path, json.dumps(max(name, greatest)).encode("ascii"), folder)
        except StoreError:
            path.unlink(missing_ok=True)


def text_stamps(folder: Path, kind: TextKind) -> dict[str, str]:
    """The names of all texts of a kind, each with its file's size, times and inode."""
    found = {}
    for name in names(folder, kind):
        if (stamp := stamp_of(folder / text_path(kind, name))) is not None:
            found[name] = " ".join(map(str, stamp))
    return found


def forget(folder: Path, kind: TextKind, name: str) -> None:
    """Remove a text, if it is there. Raises `ReadOnly`, `WriteFailed`."""
    remove_file(_path(folder, kind, name), folder)


def expire(
    folder: Path, kind: TextKind, now: datetime, keep: timedelta, most: int, newest: str
) -> None:
    """Remove texts older than `keep` and, the oldest first, those beyond `most` bytes."""
    just_kept = stamp_of(_path(folder, kind, newest)) if newest else None
    most -= just_kept.size if just_kept is not None else 0
    paths = (_path(folder, kind, name) for name in names(folder, kind) if name != newest)
    stamps = [(stamp, path) for path in paths if (stamp := stamp_of(path)) is not None]
    times = (datetime.fromtimestamp(stamp.mtime / 1e9, UTC) for stamp, _ in stamps)
    before = expired_before(now, times, keep)
    limit = before.timestamp() * 1e9 if before is not None else 0
    for stamp, path in sorted(stamps, key=lambda it: -it[0].mtime):
        most -= stamp.size
        if stamp.mtime < limit or most < 0:
            path.unlink(missing_ok=True)


def set_aside(folder: Path) -> Iterator[tuple[str, bytes]]:
    """The names and bytes of the files in quarantine that can be read."""
    try:
        paths = sorted((folder / QUARANTINE).iterdir())
    except OSError:
        return
    for path in paths:
        try:
            yield f"{QUARANTINE}/{path.name}", read_bytes(path, folder)
        except (OSError, Unreadable):
            continue


def _path(folder: Path, kind: TextKind, name: str) -> Path:
    """The file of a text. Raises `NotFound` for a name that would lead elsewhere."""
    check_text_name(kind, name)
    return folder / text_path(kind, name)
