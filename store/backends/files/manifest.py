"""The manifest: the compact listing that AgentX reads. Derived, and kept in step after writes.

We write one entry to a line, so that those of an issue are exchanged without reading the others:
a manifest that is still laid out so is ours. Any other is read as JSON, and `doctor` reads all.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from itertools import repeat
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from store.backends.files.issue_reader import read_issue
from store.backends.files.large_manifest import CHECKSUM, FEW, ISSUES, LARGE, checksum, spliced
from store.backends.files.layout import MANIFEST
from store.backends.files.listing import list_issues
from store.backends.issue_records import IssueRecords, location_of
from store.bounds import MAX_BYTES
from store.disk.read import read_bytes
from store.disk.write import replace_derived, write_error
from store.errors import Unreadable
from store.model import Location
from store.raw_record import as_json, compact_json
from store.records import entry_record

_KEYS = ("id", "agent", "issueNumber", "category", "summary", "tokens", "timestamp")
_TEXTS = ("id", "agent", "category", "summary", "timestamp")
_PLAIN_TIME = re.compile(
    r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z",
    re.ASCII,
)
"""A timestamp as AgentX writes it, of a day that every month has."""
_MOST = 4 * MAX_BYTES
_ENTRIES = b',\n  "entries": ['
_OPEN = _ENTRIES + b"\n"
_BETWEEN = b",\n"
_CLOSE = b"\n  ]\n}\n"
_FIRST = b'{"id":"'
_ISSUE = re.compile(rb',"issueNumber":(\d{1,9}),')

_Line = tuple[int | None, bytes]
"""The issue that an entry names, if any, and the entry as it is written."""


class _Listing(NamedTuple):
    """A manifest's header and entries; `plain` where all of them have our keys and no others."""

    header: dict[str, Any]
    lines: list[_Line]
    plain: bool


def settle_manifest(folder: Path, issues: Iterable[int], updated: str) -> bool:
    """Bring the manifest in step; whether it had to be rebuilt because it could not be read.

    Looks at the issues named and at those whose files are newer than the manifest. Entries keep
    their order; new ones are appended; those of an issue that can't be read stay. `updated` is the
    timestamp to write. Must be called under the manifest's lock. Raises `ReadOnly`, `WriteFailed`.
    """
    path = folder / MANIFEST
    named = list_issues(folder).items()
    files = {name: issue for name, issue in named if location_of(name) is Location.ISSUE}
    present = set(files.values())
    if _exchange_lines(folder, path, files, set(issues) & present, updated):
        return False
    old, rebuilt = _read(path, folder)
    stale = present if old is None else (set(issues) | _newer(folder, files, path)) & present
    fresh: dict[object, tuple[int, bytes]] = {}
    unread: set[int] = set()
    for number in sorted(stale):  # one at a time: all of memory's texts at once are gigabytes
        records = read_issue(folder, number)
        if records.unread(Location.ISSUE):
            unread.add(number)
        fresh |= {entry["id"]: (number, _compact(entry)) for entry in _entries(records)}
    kept = present - stale | unread
    before = _Listing({}, [], plain=True) if old is None else old
    lines: list[_Line] = []
    for line in before.lines:
        issue, text = line
        if issue in stale and (told := fresh.pop(_id_of(text), None)):
            lines.append(told)
        elif issue in kept:
            lines.append(line)
    lines += fresh.values()
    if old is None or lines != old.lines:
        header = {**before.header, "version": before.header.get("version", 1), "updatedAt": updated}
        header.pop(ISSUES, None)
        header[CHECKSUM] = checksum(text for _, text in lines)
        if sum(len(text) for _, text in lines) > LARGE:
            header[ISSUES] = len(present)
        replace_derived(path, _dump(_Listing(header, lines, before.plain)), folder)
        _date_back(path, [folder / name for name, issue in files.items() if issue in unread])
    return rebuilt


def _exchange_lines(
    folder: Path, path: Path, files: dict[str, int], issues: set[int], updated: str
) -> bool:
    """Bring a large manifest in step by the lines of few issues; whether that could be done."""
    try:
        if path.stat().st_size < LARGE:
            return False
        stale = issues | _newer(folder, files, path)
        if len(stale) > FEW:
            return False
        data = read_bytes(path, folder, most=_MOST)
    except (OSError, Unreadable):
        return False
    fresh: dict[int, dict[str, bytes]] = {}
    for issue in sorted(stale):
        records = read_issue(folder, issue)
        if records.unread(Location.ISSUE):
            return False
        fresh[issue] = {entry["id"]: _compact(entry) for entry in _entries(records)}
    present = set(files.values())
    new = spliced(data, _OPEN, _CLOSE, present, fresh, _id_of, updated)
    if new is not None and new is not data:
        replace_derived(path, new, folder)
    return new is not None


def _entries(records: IssueRecords) -> Iterator[dict[str, Any]]:
    for name, record in records.standing():
        if location_of(name) is Location.ISSUE:
            entry = _plain_entry(record.value, records.issue)
            if entry is None and (observation := records.observation(name, record)):
                entry = entry_record(observation)
            if entry is not None:
                yield entry


def _plain_entry(value: object, issue: int) -> dict[str, Any] | None:
    """The entry of a record that has all of it as it should be, without taking it apart."""
    if not isinstance(value, dict):
        return None
    entry = {key: value.get(key) for key in _KEYS}
    texts = all(isinstance(entry[key], str) and entry[key] for key in _TEXTS)
    if not texts or entry["issueNumber"] != issue or type(entry["tokens"]) is not int:
        return None
    if not isinstance(value.get("content"), str) or not _PLAIN_TIME.fullmatch(
        str(entry["timestamp"])
    ):
        return None
    return entry


def manifest_ids(folder: Path) -> list[str] | None:
    """The ids the manifest lists, in its order; `None` where it can't be read."""
    try:
        parsed = _parse(read_bytes(folder / MANIFEST, folder, most=_MOST))
    except (FileNotFoundError, Unreadable):
        return None
    if parsed is None:
        return None
    return [str(entry.get("id")) for entry in parsed[1] if isinstance(entry, dict)]


def _read(path: Path, folder: Path) -> tuple[_Listing | None, bool]:
    """What the manifest lists (`None`: to be built anew), and whether it was damaged."""
    try:
        data = read_bytes(path, folder, most=_MOST)
    except FileNotFoundError:
        return None, False
    except Unreadable:
        return None, True
    found = _read_lines(data)
    if found is not None and _is_altered(found):
        return None, True
    if found is None and (parsed := _parse(data)):
        header, entries = parsed
        lines = [(_issue_of(entry), _compact(entry)) for entry in entries]
        found = _Listing(header, lines, all(map(_is_plain, entries)))
    return found, found is None


def manifest_is_altered(folder: Path) -> bool:
    """Whether a manifest that is laid out as ours has other entries than were written."""
    try:
        found = _read_lines(read_bytes(folder / MANIFEST, folder, most=_MOST))
    except (FileNotFoundError, Unreadable):
        return False
    return found is not None and _is_altered(found)


def _is_altered(listing: _Listing) -> bool:
    """An earlier version wrote no checksum."""
    said = listing.header.get(CHECKSUM)
    return isinstance(said, str) and said != checksum(text for _, text in listing.lines)


def _read_lines(data: bytes) -> _Listing | None:
    """A manifest as we write it; `None` where it is laid out otherwise, or cut."""
    start = data.find(_OPEN)
    if start < 0 or not data.endswith(_CLOSE) or b"\0" in data:
        return None
    body = data[start + len(_OPEN) : -len(_CLOSE)]
    texts = body.split(_BETWEEN) if body else []
    whole = all(map(bytes.startswith, texts, repeat(_FIRST)))
    if not whole or not all(map(bytes.endswith, texts, repeat(b'"}'))):
        return None
    try:
        header = json.loads(data[:start] + b"}")
        issues = _issues_in(body)
    except (ValueError, RecursionError):
        return None
    if "entries" in header or len(issues) != len(texts):
        return None
    return _Listing(header, list(zip(issues, texts, strict=True)), plain=True)


def _issues_in(body: bytes) -> list[int]:
    """The issue of each plain entry, in order.

    Inside a text no quote stands without a backslash before it, so that what marks the issue does
    so once in each. There are few issues and many entries: only the former are read one by one.
    """
    heads = _ISSUE.findall(body)
    numbers = {head: int(head) for head in set(heads)}
    return list(map(numbers.__getitem__, heads))


def _id_of(text: bytes) -> object:
    try:
        entry = _loads(text)
    except (ValueError, RecursionError):
        return None
    identifier = entry.get("id") if isinstance(entry, dict) else None
    return identifier if isinstance(identifier, str) else None


def _parse(data: bytes) -> tuple[dict[str, Any], list[Any]] | None:
    """A manifest's header and entries, read as JSON of any layout."""
    try:
        value = _loads(data)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or not isinstance(value.get("entries"), list):
        return None
    entries = value.pop("entries")
    return value, entries


def _loads(data: bytes) -> Any:  # noqa: ANN401 - any JSON value
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        # Lone surrogates and NaN: the standard library reads both.
        return json.loads(data)


def _issue_of(entry: object) -> int | None:
    issue = entry.get("issueNumber") if isinstance(entry, dict) else None
    return issue if isinstance(issue, int) else None


def _is_plain(entry: object) -> bool:
    """Whether an entry has our keys in our order, each a text or a number."""
    return (
        isinstance(entry, dict)
        and tuple(entry) == _KEYS
        and all(type(entry[key]) is str for key in _TEXTS)
        and type(entry["issueNumber"]) is type(entry["tokens"]) is int
    )


def _newer(folder: Path, files: dict[str, int], manifest: Path) -> set[int]:
    limit = manifest.stat().st_mtime_ns
    newer, place = set(), str(folder)
    for name, issue in files.items():
        try:
            info = os.stat(f"{place}/{name}")
        except OSError:
            continue
        if max(info.st_mtime_ns, info.st_ctime_ns) >= limit:
            newer.add(issue)
    return newer


def _date_back(manifest: Path, unread: Iterable[Path]) -> None:
    """Make the manifest no newer than the files that could not be read: the next one reads them.

    Raises `ReadOnly`, `WriteFailed`.
    """
    try:
        for path in unread:
            changed = min(path.lstat().st_mtime_ns, manifest.stat().st_mtime_ns)
            os.utime(manifest, ns=(changed, changed))
    except OSError as error:
        raise write_error(manifest, error) from error


def _dump(listing: _Listing) -> bytes:
    header = as_json(listing.header).removesuffix(b"\n}")
    # Entries with keys of others are laid out so that they are read as JSON the next time too.
    opened = _OPEN if listing.plain else _ENTRIES
    return b"".join((header, opened, _BETWEEN.join([text for _, text in listing.lines]), _CLOSE))


def _compact(entry: object) -> bytes:
    # A copy: orjson's own bytes keep the 4 KB it reserved, and a rebuild holds every entry.
    return memoryview(compact_json(entry)).tobytes()
