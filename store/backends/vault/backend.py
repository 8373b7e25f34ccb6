"""Memory in a vault of Markdown, as people and other programs write it."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path

from store.backends.activity import RecallLog, note_counted
from store.backends.files.doctor import set_aside
from store.backends.files.layout import GITIGNORE, GITIGNORE_TEXT, size_of
from store.backends.files.locks import StoreLock
from store.backends.files.log import FileLog
from store.backends.files.texts import FileTexts
from store.backends.issue_records import IssueRecords, ListedRecords, Lookup, RecordList
from store.backends.protocol import Changes, Fact, Levels, Stamps
from store.backends.text_kinds import TextKind
from store.backends.tombstones import by_text, name_of, parse_tombstones
from store.backends.vault import doctor
from store.backends.vault.changes import changed_files
from store.backends.vault.items import Item
from store.backends.vault.layout import (
    CONVERSATIONS,
    OBSIDIAN,
    OWN,
    PENDING,
    SIDE,
    SIDECAR,
    location_of_file,
)
from store.backends.vault.listing import list_vault
from store.backends.vault.pending import complete, make_changes
from store.backends.vault.reader import Vault, read_vault
from store.errors import InvalidObservation, NotFound, StoreError, Unreadable
from store.model import Layout, Location, Problem, check_issue
from store.platform.json_fields import is_count
from store.platform.links import real_path
from store.platform.read import read_bytes
from store.platform.write import make_folder, replace_durably, secure_name
from store.records import RawRecord, format_time, new_record

_UNSHARED = ("checkpoints/", "index.json", "compact-log.json", "processed-conversations.json")
_LEFT_OUT = {
    "": "\n".join([f"{CONVERSATIONS}/", *(f"{OWN}/{name}" for name in _UNSHARED), ""]),
    CONVERSATIONS: "*\n",
    OWN: "\n".join([*_UNSHARED, ""]),
}
"""What git is to leave out of a folder of the vault: from its root on, as the vault's own program
may make the others later, and in these, as a person may keep such a file at the root.
"""
_IGNORED = (*GITIGNORE_TEXT.splitlines(), "activity/", "trash/")
"""What git is to leave out of memtui's own folder in a vault."""
_AND = "/"
"""The sign between the two halves of a stamp."""


@dataclass(slots=True)
class VaultRecords(ListedRecords):
    """The records of one issue; `hidden` is what can't be read of the vault."""

    hidden: Sequence[Problem] = ()

    def unread(self, location: Location) -> Problem | None:
        """Return the unreadable part of the vault: a memory of any issue may be in it."""
        return next((item for item in self.hidden if _can_hide(item.path, location)), None)


@dataclass(slots=True)
class _ByIssue:
    """A vault's records by issue and location; `items` has what each is of, by its `id()`."""

    vault: Vault
    issues: dict[int, dict[str, list[RawRecord]]] = field(default_factory=dict)
    items: dict[int, Item] = field(default_factory=dict)
    removed: dict[int, bytes] = field(default_factory=dict)
    """The tombstones of an issue, as they are kept."""

    def all_issues(self) -> set[int]:
        """The issues with memories; with problems 0, too, which reports them."""
        return {*self.issues, *([0] if self.vault.problems else [])}

    def records(self, issue: int) -> VaultRecords:
        locations = self.issues.get(issue, {})
        order = [str(location) for location in Location if str(location) in locations]
        parts = {name: RecordList(list(locations[name])).as_read() for name in order}
        problems = list(self.vault.problems) if issue == 0 else []
        unreadable = {problem.path for problem in problems}
        removed = by_text(parse_tombstones(self.removed.get(issue, b"")))
        return VaultRecords(
            issue, parts, problems, unreadable, tombstones=removed, hidden=self.vault.hidden
        )

    def stamp(self, issue: int) -> str:
        """Return a text that differs once the issue's records do."""
        digest = blake2b(digest_size=16)
        for name, records in self.issues.get(issue, {}).items():
            digest.update(name.encode())
            for record in records:
                digest.update(record.text)
        digest.update(self.removed.get(issue, b""))
        if issue == 0:
            digest.update(repr(self.vault.problems).encode("utf-8", "surrogatepass"))
        return digest.hexdigest()

    def size(self, issue: int) -> int:
        parts = self.issues.get(issue, {}).values()
        return sum(len(record.text) for part in parts for record in part)


class VaultBackend:
    """A folder of Markdown; what that can't hold is in its `.vault/memtui`."""

    finds_ids = False
    levels = Levels()

    def __init__(self, folder: Path, clock: Callable[[], datetime] | None = None) -> None:
        self._vault_folder = folder
        self._folder = folder / SIDE
        self._clock = clock or (lambda: datetime.now(UTC))
        self._lock = StoreLock(self._folder)
        # git is to leave the log out from its first line on
        self.log = FileLog(self._folder, clock, self._make_vault)
        self.texts = FileTexts(self._folder, self._make_vault)
        self._recalls = RecallLog(self.log)
        self._guard = threading.Lock()
        self._last: _ByIssue | None = None

    @property
    def files(self) -> VaultBackend:
        return self

    def dates(self, issues: Iterable[int]) -> dict[str, str]:
        return {}

    @property
    def identity(self) -> str:
        return f"vault://{real_path(self._vault_folder)}"

    @property
    def folder(self) -> Path:
        return self._vault_folder

    def issues(self) -> set[int]:
        return self._by_issue().all_issues()

    def read(self, issue: int) -> IssueRecords:
        return self._by_issue().records(check_issue(issue))

    def read_each(self, issues: Sequence[int]) -> Iterator[IssueRecords]:
        return map(self.read, issues)

    @contextmanager
    def changing(self, issue: int, lookup: Lookup | None = None) -> Iterator[IssueRecords]:
        """Hold the vault, and write the files of the memories that changed at the end.

        Several files change in one instant. What was edited meanwhile stays.
        """
        check_issue(issue)
        self._make_vault()
        with self._lock.hold():
            complete(self._vault_folder)
            self._recalls.read_on()
            found = self._by_issue()
            records = found.records(issue)
            yield records
            counted = self._recalls.fold(records.changed_parts().values())
            self._write(found.vault, changed_files(found.vault, records.parts, found.items))
            note_counted(self.log, counted, format_time(self._clock()))

    def _write(self, vault: Vault, changes: dict[str, bytes | None]) -> None:
        """Write files durably, all in one instant. Raises `ReadOnly`, `WriteFailed`.

        What was edited since the vault was read stays: the change is made to it.
        """
        if not changes:
            return
        read = {path: _read_text(vault, path) for path in changes if path != SIDECAR}
        make_changes(self._vault_folder, changes, read, self._lock.check)

    @property
    def layout(self) -> Layout:
        return Layout.PER_ISSUE

    def set_layout(self, layout: Layout) -> None:
        if layout is not self.layout:
            raise InvalidObservation("A vault has its own files: one for each category.", "")

    def other_layout(self) -> set[int]:
        return set()

    def changes_since(self, known: Stamps) -> Changes:
        """Return which issues have other memories than those of `known`.

        A stamp is of an issue's records, then of all files: where that of the files still holds,
        none of them is read.
        """
        files = {stamp.partition(_AND)[2] for stamp in known.values()}
        if files == {list_vault(self._vault_folder).digest(known)}:
            return Changes(frozenset(), known, {})
        found = self._by_issue()
        issues = found.all_issues()
        records = {issue: found.stamp(issue) for issue in issues}
        before = {issue: stamp.partition(_AND)[0] for issue, stamp in known.items()}
        changed = {issue for issue in issues if records[issue] != before.get(issue)}
        sizes = {issue: found.size(issue) for issue in sorted(changed, reverse=True)}
        of_files = found.vault.stamp(issues)
        stamps = {
            issue: f"{stamp}{_AND}{of_files}" if of_files else stamp
            for issue, stamp in records.items()
        }
        return Changes(frozenset(changed | (known.keys() - stamps.keys())), stamps, sizes)

    @contextmanager
    def locked(self) -> Iterator[None]:
        self._make_vault()
        with self._lock.hold():
            with suppress(StoreError):  # it holds all the same, and may be what is to be mended
                complete(self._vault_folder)
            yield

    def together(self) -> AbstractContextManager[None]:
        return nullcontext()

    def settle(self, issues: Collection[int]) -> bool:
        return False

    def write_merged(self, issue: int) -> list[tuple[str, str]]:
        return []

    def size(self) -> int:
        listing = list_vault(self._vault_folder)
        texts = sum(listing.stamps[path].size for path in listing.notes)
        return texts + size_of(self._folder)

    def release(self) -> None:
        """The system holds nothing for it."""

    def is_writable(self) -> bool:
        folder = self._vault_folder
        place = folder if folder.is_dir() else folder.parent
        return os.access(place, os.W_OK) or not place.exists()

    def examine(self, ids: Iterable[str], stamp: str) -> Iterator[Fact]:
        yield from doctor.vault_facts(
            self._vault_folder, self._by_issue().vault.problems, self.log, stamp
        )

    def examine_issue(self, records: IssueRecords, stamp: str) -> Iterator[Fact]:
        return iter(())

    def move(self, source: str, target: str) -> bool:
        with self.locked():
            return doctor.move(self._vault_folder, source, target)

    def issue_of(self, part: str) -> int | None:
        return None

    def set_aside(self) -> Iterator[tuple[str, bytes]]:
        return set_aside(self._folder)

    def _by_issue(self) -> _ByIssue:
        """The vault as it is; what did not change since the last look is not read again."""
        with self._guard:
            last = self._last
            vault = read_vault(self._vault_folder, None if last is None else last.vault)
            if last is None or vault is not last.vault:
                last = self._last = _sort_by_issue(vault)
                for issue in vault.listing.removed.values():
                    with suppress(NotFound, Unreadable):
                        last.removed[issue] = self.texts.read(TextKind.REMOVED, name_of(issue))
            return last

    def _make_vault(self) -> None:
        """Make the folder of what is not memory itself, and have git leave out what is none: the
        log, checkpoints, sessions, reports, and conversations, which nobody wrote for a team.
        """
        ignore = self._folder / GITIGNORE
        try:
            before = read_bytes(ignore, self._vault_folder).decode("utf-8", "replace")
        except FileNotFoundError:
            make_folder(self._folder)
            secure_name(self._folder)
            before = ""
        is_ours = not before or before.startswith(_IGNORED[0])
        missing = [line for line in _IGNORED if line not in before.splitlines()]
        if is_ours and missing:
            text = before if before.endswith("\n") or not before else f"{before}\n"
            text += "".join(f"{line}\n" for line in missing)
            replace_durably(ignore, text.encode(), self._vault_folder)
        for name, left_out in _LEFT_OUT.items():
            place = self._vault_folder / name
            if not name and (place / OBSIDIAN).exists():
                continue  # its notes are nobody's conversations
            if place.is_dir() and not place.is_symlink() and not (place / GITIGNORE).exists():
                replace_durably(place / GITIGNORE, left_out.encode(), self._vault_folder)


def _read_text(vault: Vault, path: str) -> bytes | None:
    """Return the bytes of a file when the vault was read; None where there was none."""
    file = vault.files.get(path)
    return None if file is None else file.text.encode("utf-8")


def _sort_by_issue(vault: Vault) -> _ByIssue:
    found = _ByIssue(vault)
    for item in sorted(vault.items, key=_order):
        record = new_record(item.value)
        number = item.value.get("issueNumber")
        locations = found.issues.setdefault(number if is_count(number) else 0, {})
        locations.setdefault(str(item.location), []).append(record)
        found.items[id(record)] = item
    return found


def _order(item: Item) -> tuple[str, int]:
    return str(item.value.get("timestamp", "")), int(item.key) if item.key.isdecimal() else 0


def _can_hide(path: str, location: Location) -> bool:
    in_archive = location_of_file(path) is Location.ARCHIVE
    return in_archive is (location is Location.ARCHIVE) or path in ("", PENDING, SIDECAR)
