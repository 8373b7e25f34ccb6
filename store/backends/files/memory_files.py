"""The memories of one location of an issue, a file each: read together, written one by one.

What two branches add never conflicts so, whoever merges it. A file's name follows from the id, so
that the same memory has the same name everywhere; the order is that of the times.
"""

from __future__ import annotations

import json
import os
import re
from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from hashlib import blake2b
from itertools import count
from pathlib import Path

import orjson

from store.backends.files.issue_file import decode
from store.backends.files.layout import is_memory
from store.backends.issue_records import IssueRecords, RecordList
from store.backends.pending import FileChanges
from store.errors import Unopened, Unreadable
from store.merge.markers import check_not_fused
from store.model import Problem
from store.platform.links import link_on_way, link_refused
from store.platform.read import read_bytes
from store.records import RawRecord, record_id

_PLAIN = re.compile(r"[a-z0-9][a-z0-9-]{0,199}", re.ASCII)
"""Ids that are names as they are, also where a disk takes capitals for small letters."""
_INDENT = b"\n    "


class MemoryFiles(RecordList):
    __slots__ = ("_files", "_taken", "place")

    def __init__(
        self, place: str, found: Iterable[tuple[str, RawRecord]] = (), taken: Collection[str] = ()
    ) -> None:
        """`found` are records by the names of their files; `taken` are names of other files."""
        pairs = list(found)
        super().__init__([record for _, record in pairs])
        self.before = list(self.records)
        self._files = [name for name, _ in pairs]
        self._taken = {*self._files, *taken}
        self.place = place

    @property
    def files(self) -> list[str]:
        return self._files

    def read_from(self, name: str) -> RawRecord:
        return self.before[self._files.index(name)]

    def counted_places(self) -> Iterable[int]:
        """Places of records that are written anyway: those that changed since they were read."""
        known = set(map(id, self.before))
        return [at for at, record in enumerate(self.records) if id(record) not in known]

    def changes(self) -> dict[str, bytes | None]:
        """The files to write, with their content; those of unchanged memories are left out."""
        stays = set(map(id, self.records))
        free: defaultdict[str | None, deque[tuple[str, RawRecord]]] = defaultdict(deque)
        for name, record in zip(self._files, self.before, strict=True):
            if id(record) not in stays:
                free[record_id(record.value)].append((name, record))
        changes: dict[str, bytes | None] = {}
        taken = set(self._taken)
        numbers: defaultdict[str, Iterator[int]] = defaultdict(lambda: count(2))
        for at in self.counted_places():
            record = self.records[at]
            identifier = record_id(record.value)
            if free[identifier]:
                name, before = free[identifier].popleft()
                if before.text == record.text:
                    continue
            else:
                name = self._new_name(identifier, record, taken, numbers)
                taken.add(name)
            changes[name] = dump_memory(record)
        gone = (name for pairs in free.values() for name, _ in pairs)
        return {**changes, **dict.fromkeys(gone)}

    def _new_name(
        self,
        identifier: str | None,
        record: RawRecord,
        taken: set[str],
        numbers: Mapping[str, Iterator[int]],
    ) -> str:
        """Return a name that is free; those of one stem go on where the last one's number ended."""
        stem = identifier or ""
        if not _PLAIN.fullmatch(stem):
            seed = stem.encode("utf-8", "surrogatepass") or record.text
            stem = f"memory-{blake2b(seed, digest_size=8).hexdigest()}"
        name = f"{self.place}/{stem}.json"
        while name in taken:
            name = f"{self.place}/{stem}.{next(numbers[stem])}.json"
        return name


def read_memories(
    issue: IssueRecords, folder: Path, place: str, pending: FileChanges
) -> MemoryFiles:
    """Read a folder of an issue's memories as it is once the `pending` changes are made.

    What can't be read is noted of the issue, and never raised.
    """
    found: list[tuple[str, RawRecord]] = []
    for name, data in _files(issue, folder, place, pending):
        record = _record_of(issue, folder, name, data)
        if record is not None:
            found.append((name, record))
    found.sort(key=lambda pair: _place_of(pair[1]))
    return MemoryFiles(place, found, issue.unreadable)


def dump_memory(record: RawRecord) -> bytes:
    return record.text.replace(_INDENT, b"\n") + b"\n"


def parse_memory(data: bytes, name: str) -> RawRecord:
    """Read a memory's own file, in any encoding that an issue file may have. Raises `Unreadable`.

    The record's text is laid out as inside an issue file.
    """
    text = data.strip()
    try:
        return RawRecord(text.replace(b"\n", _INDENT), orjson.loads(text))
    except orjson.JSONDecodeError:
        pass  # what another reader of JSON takes: a mark of its encoding, lone surrogates, NaN
    stripped = decode(data, name).strip()
    try:
        value = json.loads(stripped)
    except (ValueError, RecursionError) as error:
        raise Unreadable(
            f"{name} is not valid JSON.", "Run `memtui doctor` for details."
        ) from error
    return RawRecord(stripped.encode("utf-8", "surrogatepass").replace(b"\n", _INDENT), value)


def _files(
    issue: IssueRecords, folder: Path, place: str, pending: FileChanges
) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a folder with their bytes, by name; what can't be read is noted."""
    for name, data in pending.items():
        if data is not None and name.startswith(f"{place}/"):
            yield name, data
    path = folder / place
    try:
        if link := link_on_way(path, folder):
            raise (Unreadable if link == path else Unopened)(*link_refused(link))
        names = sorted(os.listdir(path))
    except FileNotFoundError:
        return
    except OSError as error:
        note_unread(issue, place, Unopened(f"{place} can't be listed: {error.strerror}."))
        return
    except Unreadable as error:
        note_unread(issue, place, error)
        return
    for item in names:
        name = f"{place}/{item}"
        if not is_memory(name) or name in pending:
            continue
        try:
            yield name, read_bytes(path / item, None)
        except FileNotFoundError:
            continue
        except Unreadable as error:
            note_unread(issue, name, error)


def _record_of(issue: IssueRecords, folder: Path, name: str, data: bytes) -> RawRecord | None:
    """The record of a file, of both sides where it is in conflict; what is wrong is noted."""
    try:
        check_not_fused(data, name)
        from store.backends.files.conflicted import restore_memory  # as in `issue_reader`

        restored = restore_memory(folder / name, data)
        if restored is None:
            return parse_memory(data, name)
    except Unreadable as error:
        note_unread(issue, name, error)
        return None
    short = name.rpartition("/")[2]
    message = f"{short} was edited on two branches; both texts are kept."
    issue.problems.append(Problem(name, message, is_restored=True))
    return restored


def note_unread(issue: IssueRecords, name: str, error: Unreadable) -> None:
    """Note that a file of an issue can't be read, and whether a later try may."""
    issue.unreadable.add(name)
    if isinstance(error, Unopened):
        issue.unopened.add(name)
    issue.problems.append(Problem(name, error.message))


def _place_of(record: RawRecord) -> tuple[str, str]:
    value = record.value
    if not isinstance(value, dict):
        return "", ""
    return str(value.get("timestamp", "")), str(value.get("id", ""))
