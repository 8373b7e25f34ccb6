"""The manifest: the compact listing that AgentX reads. Derived, and written whole after writes."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import orjson

from store.backends.files.issue_reader import read_issue
from store.backends.files.layout import MANIFEST, list_issues
from store.backends.issue_records import IssueRecords, location_of
from store.errors import Unreadable
from store.model import Location
from store.platform.bounds import MAX_BYTES
from store.platform.read import read_bytes
from store.platform.write import replace_derived, write_error
from store.records import as_json, entry_record

_MOST = 4 * MAX_BYTES
_CHECKSUM = "checksum"
"""The key of the header by which entries are known to be as they were written."""
_ENTRIES = b',\n  "entries": ['


class Manifest(NamedTuple):
    """A manifest as it was read; `is_altered` where its entries are not those that we wrote."""

    header: dict[str, Any]
    entries: list[Any]
    is_altered: bool = False

    @property
    def ids(self) -> list[str]:
        return [str(entry.get("id")) for entry in self.entries if isinstance(entry, dict)]


def read_manifest(folder: Path) -> Manifest | None:
    """Read the manifest, in any layout. `None` where there is none that can be read."""
    try:
        data = read_bytes(folder / MANIFEST, folder, most=_MOST)
        header = _loads(data)
    except (FileNotFoundError, Unreadable, ValueError, RecursionError):
        return None
    if not isinstance(header, dict) or not isinstance(header.get("entries"), list):
        return None
    entries = header.pop("entries")
    text, start = header.get(_CHECKSUM), data.find(_ENTRIES)
    # Of another layout the checksum proves nothing: it is one of bytes.
    is_altered = isinstance(text, str) and start >= 0 and text != _checksum(data[start:])
    return Manifest(header, entries, is_altered)


def settle_manifest(folder: Path, issues: Iterable[int], updated: str) -> bool:
    """Bring the manifest in step; whether it had to be rebuilt because it was missing or could not
    be read.

    Looks at the issues named and at those whose files are newer than the manifest. Entries keep
    their order; new ones are appended; those of an issue that can't be read stay. `updated` is the
    timestamp to write. Must be called under the manifest's lock. Raises `ReadOnly`, `WriteFailed`.
    """
    path = folder / MANIFEST
    named = list_issues(folder).items()
    files = {name: issue for name, issue in named if location_of(name) is Location.ISSUE}
    present = set(files.values())
    old = read_manifest(folder)
    is_damaged = old is None or old.is_altered
    if old is None or old.is_altered:
        old, stale = Manifest({}, []), present
    else:
        stale = (set(issues) | _newer(folder, files, path)) & present
    fresh: dict[object, dict[str, Any]] = {}
    unread: set[int] = set()
    for number in sorted(stale):  # one at a time: all of memory's texts at once are gigabytes
        records = read_issue(folder, number)
        if records.unread(Location.ISSUE):
            unread.add(number)
        fresh |= {entry["id"]: entry for entry in _entries(records)}
    kept = present - stale | unread
    entries = list(_exchanged(old.entries, stale, kept, fresh))
    if not old.header or entries != old.entries:
        header = {**old.header, "version": old.header.get("version", 1), "updatedAt": updated}
        replace_derived(path, _dump(header, entries), folder)
        _date_back(path, [folder / name for name, issue in files.items() if issue in unread])
    return is_damaged


def _exchanged(
    old: list[Any], stale: set[int], kept: set[int], fresh: dict[object, dict[str, Any]]
) -> Iterator[Any]:
    for entry in old:
        if not isinstance(entry, dict) or type(issue := entry.get("issueNumber")) is not int:
            continue
        identifier = entry.get("id")
        replacement = None
        if issue in stale and isinstance(identifier, str):
            replacement = fresh.pop(identifier, None)
        if replacement is not None:
            yield replacement
        elif issue in kept:
            yield entry
    yield from fresh.values()


def _entries(records: IssueRecords) -> Iterator[dict[str, Any]]:
    return map(entry_record, records.observations())


def _loads(data: bytes) -> Any:  # noqa: ANN401 - any JSON value
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        # Lone surrogates and NaN: the standard library reads both.
        return json.loads(data)


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


def _dump(header: dict[str, Any], entries: list[Any]) -> bytes:
    value = {"entries": entries}
    try:
        text = orjson.dumps(value, option=orjson.OPT_INDENT_2)
    except TypeError:  # lone surrogates and integers past 64 bits
        text = json.dumps(value, indent=2).encode("ascii")
    body = b"," + text.removeprefix(b"{") + b"\n"
    return as_json({**header, _CHECKSUM: _checksum(body)}).removesuffix(b"\n}") + body


def _checksum(body: bytes) -> str:
    """CRC-32 of the entries as written: against damage and careless hands, not against forgers."""
    return f"{crc32(body):08x}"
