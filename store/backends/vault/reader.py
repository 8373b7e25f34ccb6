"""A vault as it is: the memories of its files, completed by the sidecar."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from store.backends.vault.items import Item, items_of
from store.backends.vault.layout import PENDING, SIDECAR
from store.backends.vault.listing import Listing, is_markdown, list_vault
from store.backends.vault.pending import read_pending
from store.backends.vault.sidecar import Fields, completed, read_sidecar, side_key
from store.errors import Unreadable
from store.model import Location, Problem
from store.platform.bounds import MAX_BYTES, MAX_TEXT_FILE
from store.platform.file_stamp import FileStamp, stamp_of
from store.platform.read import read_bytes

_TRIES = 5
_NO_STAMP = FileStamp(0, 0, 0, 0)


class VaultFile(NamedTuple):
    """A Markdown file: its text, and the memories in it, not completed.

    `is_settled`: whatever is written to it later shows in its stamp.
    """

    stamp: FileStamp
    is_settled: bool
    text: str
    items: tuple[Item, ...]


@dataclass(slots=True)
class Vault:
    """A vault that was read.

    `hidden` are those of the problems that memories may be behind; `is_partial`: the next look may
    read some of them.
    """

    listing: Listing = field(default_factory=Listing)
    files: dict[str, VaultFile] = field(default_factory=dict)
    sidecar: dict[str, Fields] = field(default_factory=dict)
    items: list[Item] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    hidden: list[Problem] = field(default_factory=list)
    is_partial: bool = False

    @property
    def is_settled(self) -> bool:
        """It is as it was read for as long as no stamp differs."""
        stamps = self.listing.stamps
        is_whole = not (self.is_partial or self.listing.is_pending)
        return is_whole and not any(map(self.listing.is_fresh, stamps))

    def hide(self, path: str, message: str, *, now: bool = False) -> None:
        """Note that what is at a path can't be read; `now`: the next look may read it."""
        self.problems.append(Problem(path, message))
        self.hidden.append(self.problems[-1])
        self.is_partial = self.is_partial or now

    def hides(self, path: str) -> Problem | None:
        """Reason why a path is unknown: it, or a folder above it, could not be read."""
        places = {path, "", *(path[: at + 1] for at, sign in enumerate(path) if sign == "/")}
        return next((problem for problem in self.problems if problem.path in places), None)

    def stamp(self, issues: Iterable[int]) -> str:
        """Return a stamp of all files, of a vault with some issues.

        Empty where it may not differ from later ones, or would hide a problem from who asks next.
        """
        unreadable = {problem.path for problem in self.problems} & self.listing.stamps.keys()
        return self.listing.digest(issues) if self.is_settled and not unreadable else ""


def read_vault(folder: Path, before: Vault | None = None) -> Vault:
    """Read a vault, and of that only what changed since `before`. Never raises for its content."""
    for _ in range(_TRIES):
        listing = list_vault(folder)
        if before is not None and before.is_settled and before.listing.stamps == listing.stamps:
            return before
        vault = _read(folder, listing, {} if before is None else before.files)
        if stamp_of(folder / PENDING) == listing.stamps.get(PENDING):
            break
    return vault


def _read(folder: Path, listing: Listing, known: Mapping[str, VaultFile]) -> Vault:
    vault = Vault(listing, problems=[*listing.problems], hidden=[*listing.unlisted])
    vault.is_partial = bool(listing.unlisted)
    pending: Mapping[str, bytes | None] = {}
    try:
        pending = read_pending(folder) if listing.is_pending else {}
    except Unreadable as error:
        vault.hide(PENDING, error.message)
    for path in sorted({*listing.notes, *filter(is_markdown, pending)}):
        stamp, file = listing.stamps.get(path, _NO_STAMP), known.get(path)
        if path in pending or file is None or not file.is_settled or file.stamp != stamp:
            text = _text(path, _data(folder, path, pending, vault), vault)
            if text is None:
                continue
            changed = datetime.fromtimestamp(stamp.mtime // 1_000_000 / 1000, UTC)
            is_settled = path not in pending and not listing.is_fresh(path)
            file = VaultFile(stamp, is_settled, text, tuple(items_of(path, text, changed)))
        vault.files[path] = file
    side = _data(folder, SIDECAR, pending, vault)
    try:
        vault.sidecar = {} if side is None else read_sidecar(side)
    except Unreadable as error:
        vault.hide(SIDECAR, error.message)
    vault.items = _with_own_ids(list(_completed(vault)))
    return vault


def _data(
    folder: Path, path: str, pending: Mapping[str, bytes | None], vault: Vault
) -> bytes | None:
    """Return what a file holds once the pending change is made; None where there is none."""
    try:
        return pending[path] if path in pending else read_file(folder, path)
    except FileNotFoundError:
        return None
    except Unreadable as error:
        vault.hide(path, error.message, now=True)
        return None


def read_file(folder: Path, path: str) -> bytes:
    """The bytes of a vault's file. Raises `FileNotFoundError`, `Unreadable`; follows no link."""
    return read_bytes(folder / path, folder, most=MAX_BYTES if path == SIDECAR else MAX_TEXT_FILE)


def _text(path: str, data: bytes | None, vault: Vault) -> str | None:
    try:
        return None if data is None else data.decode("utf-8")
    except UnicodeDecodeError as error:
        vault.hide(path, f"{path} is not a text file: byte {error.start:,} is not UTF-8.")
        return None


def _completed(vault: Vault) -> Iterator[Item]:
    """Yield the memories with what the sidecar adds; one key twice in a location becomes two."""
    seen: Counter[str] = Counter()
    for file in vault.files.values():
        for item in file.items:
            name = side_key(item.location, item.key)
            seen[name] += 1
            if seen[name] > 1:
                key = f"{item.key}~{seen[name]}"
                item = item._replace(key=key, record={**item.record, "id": key})
                name = side_key(item.location, key)
            fields = vault.sidecar.get(name, {})
            yield item._replace(value=completed(item.record, fields, is_dated=item.is_dated))


def _with_own_ids(items: list[Item]) -> list[Item]:
    """Return the memories, with another id for each that is known by its path where that is not its
    own: a note at the place of one that was archived has another text, and both are to be found.
    """
    contents = {
        str(item.value.get("id")): item.value.get("content")
        for item in items
        if not _is_by_path(item)
    }
    for at, item in sorted(enumerate(items), key=lambda pair: pair[1].location is Location.ARCHIVE):
        if not _is_by_path(item):
            continue
        identifier, content, number = item.key, item.value.get("content"), 1
        while identifier in contents and contents[identifier] != content:
            number += 1
            identifier = f"{item.key}~{number}"
        contents[identifier] = content
        items[at] = item._replace(value={**item.value, "id": identifier})
    return items


def _is_by_path(item: Item) -> bool:
    """True if a memory's id follows from its place: neither its text nor the sidecar has one."""
    is_number = item.key.partition("~")[0].isdecimal()
    return not is_number and item.value.get("id") == item.key
