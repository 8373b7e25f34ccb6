"""All of a vault as it stands: its files, the memories in them, and what can't be read.

The stamp of an issue is a hash of its records, then one of the stamps of all files and of the
issues there are: none while a file is so fresh that it may change again and look the same.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

from store.backends.files.layout import list_removed
from store.backends.protocol import Stamps
from store.backends.vault.items import Item, items_of
from store.backends.vault.layout import ARCHIVE, NOT_AGENTS, SIDE, location_of_file
from store.backends.vault.pending import NAME, read_pending
from store.backends.vault.sidecar import NAME as SIDECAR
from store.backends.vault.sidecar import Fields, completed, read_sidecar, side_key
from store.errors import Unreadable
from store.model import Location, Problem
from store.platform.bounds import MAX_TEXT_FILE
from store.platform.read import FileStamp, is_fresh, read_bytes, stamp_of

_MOST_FILES = 100_000
_TRIES = 5


class VaultFile(NamedTuple):
    """A Markdown file: its stamp, its text, and the memories in it, not completed."""

    stamp: FileStamp
    is_settled: bool
    text: str
    items: tuple[Item, ...]


class Kept(NamedTuple):
    """A memory of the vault: where it stands, and its whole record."""

    item: Item
    location: Location
    value: dict[str, Any]


@dataclass(slots=True)
class Vault:
    """A vault that was read. `stamps` are those of all files, the sidecar included; `removed` has
    the issue of each memory that was removed, by its key.

    `hidden` are those of the problems that memories may be behind. `may_change`: a file may change
    again and keep its stamp.
    """

    stamps: dict[str, FileStamp] = field(default_factory=dict)
    files: dict[str, VaultFile] = field(default_factory=dict)
    sidecar: dict[str, Fields] = field(default_factory=dict)
    removed: dict[str, int] = field(default_factory=dict)
    memories: list[Kept] = field(default_factory=list)
    may_change: bool = False
    problems: list[Problem] = field(default_factory=list)
    hidden: list[Problem] = field(default_factory=list)
    is_partial: bool = False
    is_settled: bool = False

    def hide(self, path: str, message: str, *, now: bool = False) -> None:
        """Note that what stands at a path can't be read; `now`: the next look may read it."""
        self.problems.append(Problem(path, message))
        self.hidden.append(self.problems[-1])
        self.is_partial = self.is_partial or now

    def unreadable(self) -> set[str]:
        return {problem.path for problem in self.problems}

    def hides(self, path: str) -> Problem | None:
        """Reason why a path is unknown: it, or a folder above it, could not be read."""
        places = {path, "", *(path[: at + 1] for at, sign in enumerate(path) if sign == "/")}
        return next((problem for problem in self.problems if problem.path in places), None)


def read_vault(folder: Path, before: Vault | None = None) -> Vault:
    """Read a vault, and of that only what changed since `before`. Never raises for its content."""
    for _ in range(_TRIES):
        vault = _read_once(folder, before)
        if _pending_stamp(folder) == vault.stamps.get(""):
            break
    return vault


def _pending_stamp(folder: Path) -> FileStamp | None:
    return stamp_of(folder / NAME)


def look_at(folder: Path) -> Vault:
    """Return a vault's stamps, and what can't be listed; no file is read."""
    vault = Vault()
    if (stamp := _pending_stamp(folder)) is not None:
        vault.stamps[""] = stamp
    for path, stat in _markdown_files(folder, vault):
        vault.stamps[path] = stat
    if (side := stamp_of(folder / SIDECAR)) is not None:
        vault.stamps[SIDECAR] = side
    for name, issue in list_removed(folder / SIDE).items():
        if (stamp := stamp_of(folder / SIDE / name)) is not None:
            vault.stamps[f"{SIDE}/{name}"] = stamp
            vault.removed[name] = issue
    return vault


def is_note(path: str) -> bool:
    """Return whether a path is of Markdown, not of what is kept beside it."""
    return path != "" and not path.startswith(f"{SIDE}/")


def _read_once(folder: Path, before: Vault | None) -> Vault:
    vault = look_at(folder)
    if before is not None and before.is_settled and before.stamps == vault.stamps:
        return before
    overlay = _overlay(folder, vault)
    old = before.files if before is not None else {}
    for path in sorted(filter(is_note, {*vault.stamps, *overlay})):
        file = _read_file(folder, path, vault, overlay, old.get(path))
        if file is not None:
            vault.files[path] = file
    vault.sidecar = _read_sidecar(folder, vault, overlay)
    vault.memories = _divided(list(_complete(vault)))
    now = time.time_ns()
    is_whole = not overlay and not vault.is_partial
    vault.is_settled = is_whole and not any(is_fresh(stamp, now) for stamp in vault.stamps.values())
    return vault


def _overlay(folder: Path, vault: Vault) -> Mapping[str, bytes | None]:
    if "" not in vault.stamps:
        return {}
    try:
        return read_pending(folder)
    except Unreadable as error:
        vault.hide("pending", error.message)
        return {}


def _read_file(
    folder: Path,
    path: str,
    vault: Vault,
    overlay: Mapping[str, bytes | None],
    old: VaultFile | None,
) -> VaultFile | None:
    stamp = vault.stamps.get(path) or FileStamp(0, 0, 0, 0)
    if path not in overlay and old is not None and old.is_settled and old.stamp == stamp:
        return old
    now = time.time_ns()
    try:
        data = overlay.get(path) if path in overlay else read_file(folder, path)
        if data is None:
            return None
        text = data.decode("utf-8")
    except FileNotFoundError:
        return None
    except Unreadable as error:
        vault.hide(path, error.message, now=True)
        return None
    except UnicodeDecodeError as error:
        said = f"{path} is not a text file: byte {error.start:,} is not UTF-8."
        vault.hide(path, said)
        return None
    mtime = datetime.fromtimestamp(stamp.mtime // 1_000_000 / 1000, UTC)
    settled = path not in overlay and not is_fresh(stamp, now)
    vault.may_change = vault.may_change or not settled
    return VaultFile(stamp, settled, text, tuple(items_of(path, text, mtime)))


def read_file(folder: Path, path: str) -> bytes:
    """The bytes of a vault's file. Raises `FileNotFoundError`, `Unreadable`; follows no link."""
    return read_bytes(folder / path, folder, most=MAX_TEXT_FILE)


def _read_sidecar(
    folder: Path, vault: Vault, overlay: Mapping[str, bytes | None]
) -> dict[str, Fields]:
    stamp, now = vault.stamps.get(SIDECAR), time.time_ns()
    try:
        whole = SIDECAR not in overlay
        data = read_bytes(folder / SIDECAR, folder) if whole else overlay[SIDECAR]
        if data is not None and stamp is not None and is_fresh(stamp, now):
            vault.may_change = True
        return {} if data is None else read_sidecar(data)
    except FileNotFoundError:
        return {}
    except Unreadable as error:
        vault.hide(SIDECAR, error.message, now=True)
        return {}


def _complete(vault: Vault) -> Iterator[Kept]:
    """Yield the memories with what the sidecar adds; one key twice in a location becomes two."""
    seen: Counter[str] = Counter()
    for path, file in vault.files.items():
        location = location_of_file(path)
        for item in file.items:
            name = side_key(location, item.key)
            seen[name] += 1
            if seen[name] > 1:
                key = f"{item.key}~{seen[name]}"
                item = item._replace(key=key, record={**item.record, "id": key})
                name = side_key(location, key)
            fields = vault.sidecar.get(name, {})
            yield Kept(item, location, completed(item.record, fields, is_dated=item.is_dated))


def _divided(found: list[Kept]) -> list[Kept]:
    """Return the memories, with another id for each that is known by its path where that is not its
    own: a note at the place of one that was archived says something else, and both are to be found.
    """
    said = {
        str(one.value.get("id")): one.value.get("content") for one in found if not _is_by_path(one)
    }
    for at, kept in sorted(enumerate(found), key=lambda item: item[1].location is Location.ARCHIVE):
        if not _is_by_path(kept):
            continue
        identifier, content, number = kept.item.key, kept.value.get("content"), 1
        while identifier in said and said[identifier] != content:
            number += 1
            identifier = f"{kept.item.key}~{number}"
        said[identifier] = content
        if number > 1:
            found[at] = kept._replace(value={**kept.value, "id": identifier})
    return found


def _is_by_path(kept: Kept) -> bool:
    """True if a memory's id follows from its place: neither its text nor the sidecar says it."""
    key = kept.item.key
    return not key.partition("~")[0].isdecimal() and kept.value.get("id") == key


def _markdown_files(folder: Path, vault: Vault) -> Iterator[tuple[str, FileStamp]]:
    """The Markdown files of a vault and of its archive, with their stamps; links are named."""
    found, problems = 0, vault.problems
    places = ["", f"{ARCHIVE}/"]
    while places:
        place = places.pop()
        try:
            entries = sorted(os.scandir(folder / place), key=lambda item: item.name)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            said = f"{place or folder} can't be listed: {error.strerror}."
            vault.hide(place, said, now=True)
            continue
        for entry in entries:
            name, path = entry.name, place + entry.name
            if name.startswith(".") or (not place and name in NOT_AGENTS):
                continue
            is_note = name.endswith(".md")
            if entry.is_symlink():
                if is_note or entry.is_dir():
                    said = f"{path} is a symbolic link, which is not followed."
                    problems.append(Problem(path, said))
            elif entry.is_dir():
                places.append(f"{path}/")
            elif is_note and _is_plain(path, problems):
                found += 1
                if found > _MOST_FILES:
                    said = f"The vault has more than {_MOST_FILES:,} notes; these are the first."
                    problems.append(Problem(place or ".", said))
                    return
                info = entry.stat(follow_symlinks=False)
                yield path, FileStamp(info.st_size, info.st_mtime_ns, info.st_ctime_ns, info.st_ino)


def _is_plain(path: str, problems: list[Problem]) -> bool:
    """Return whether a name is text: a file of another name is left alone, and named."""
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        said = f"{path!r} has a name that is not UTF-8."
        problems.append(Problem(ascii(path), said))
        return False
    return True


_SEPARATOR = "/"


def stamp_with(records: str, files: str) -> str:
    """Return the stamp of an issue: of its records, and of all files."""
    return f"{records}{_SEPARATOR}{files}" if files else records


def has_same_records(stamp: str, other: str) -> bool:
    return stamp.partition(_SEPARATOR)[0] == other.partition(_SEPARATOR)[0]


def stamp_of_files(vault: Vault, issues: Iterable[int]) -> str:
    """The stamp of all files as they were read; empty where that would not tell later ones."""
    is_partial = "" in vault.stamps or vault.unreadable() & vault.stamps.keys()
    if is_partial or vault.may_change:
        return ""
    return _hash(vault.stamps, issues)


def is_unchanged(folder: Path, known: Stamps) -> bool:
    """Return whether no file differs since the stamps were given."""
    files = {stamp.partition(_SEPARATOR)[2] for stamp in known.values()}
    return files == {_hash(look_at(folder).stamps, known)}


def _hash(stamps: Mapping[str, FileStamp], issues: Iterable[int]) -> str:
    said = repr((sorted(stamps.items()), sorted(issues))).encode("utf-8", "surrogatepass")
    return blake2b(said, digest_size=16).hexdigest()
