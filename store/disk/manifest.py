"""The manifest: the compact listing that AgentX reads. Derived, and kept in step after writes."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import orjson

from store.disk.files import read_bytes, replace_derived, write_error
from store.disk.issue_records import IssueRecords, list_issues, read_issue, shelf_of
from store.disk.layout import MANIFEST, Shelf
from store.disk.records import entry_record
from store.errors import Unreadable

_KEYS = ("id", "agent", "issueNumber", "category", "summary", "tokens", "timestamp")
_TEXTS = ("id", "agent", "category", "summary", "timestamp")
_PLAIN_TIME = re.compile(
    r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z",
    re.ASCII,
)
"""A timestamp as AgentX writes it, of a day that every month has."""


def settle_manifest(folder: Path, issues: Iterable[int], updated: str) -> bool:
    """Bring the manifest in step; whether it had to be rebuilt because it could not be read.

    Looks at the issues named and at those whose files are newer than the manifest. Entries keep
    their order; new ones are appended; those of an issue that can't be read stay. `updated` is the
    timestamp to write. Must be called under the manifest's lock. Raises `ReadOnly`, `WriteFailed`.
    """
    path = folder / MANIFEST
    files = {name: n for name, n in list_issues(folder).items() if shelf_of(name) is Shelf.ISSUE}
    header, old, rebuilt = _read(path, folder)
    present = set(files.values())
    stale = present if old is None else (set(issues) | _newer(folder, files, path)) & present
    read = {issue: read_issue(folder, issue) for issue in sorted(stale)}
    unread = {issue for issue, records in read.items() if records.unread(Shelf.ISSUE)}
    fresh = {entry["id"]: entry for records in read.values() for entry in _entries(records)}
    entries: list[Any] = []
    for entry in old or ():
        known = entry if isinstance(entry, dict) else {}
        identifier, issue = known.get("id"), known.get("issueNumber")
        if isinstance(identifier, str) and identifier in fresh:
            entries.append(fresh.pop(identifier))
        elif isinstance(issue, int) and (issue in unread or issue in present - stale):
            entries.append(entry)
    entries += fresh.values()
    if entries != old:
        content = {**header, "version": header.get("version", 1), "updatedAt": updated}
        replace_derived(path, _dump({**content, "entries": entries}), folder)
        _date_back(path, [folder / name for name, issue in files.items() if issue in unread])
    return rebuilt


def _entries(records: IssueRecords) -> Iterator[dict[str, Any]]:
    for name, record in records.standing():
        if shelf_of(name) is Shelf.ISSUE:
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
    _, entries, _ = _read(folder / MANIFEST, folder)
    if entries is None:
        return None
    return [str(entry.get("id")) for entry in entries if isinstance(entry, dict)]


def _read(path: Path, folder: Path) -> tuple[dict[str, Any], list[Any] | None, bool]:
    """The manifest's header and entries (`None`: to be built anew), and whether it was damaged."""
    try:
        data = read_bytes(path, folder)
    except FileNotFoundError:
        return {}, None, False
    except Unreadable:
        return {}, None, True
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError:
        try:
            value = json.loads(data)
        except (ValueError, RecursionError):
            return {}, None, True
    if not isinstance(value, dict) or not isinstance(value.get("entries"), list):
        return {}, None, True
    entries = value.pop("entries")
    return value, entries, False


def _newer(folder: Path, files: dict[str, int], manifest: Path) -> set[int]:
    limit = manifest.stat().st_mtime_ns
    newer = set()
    for name, issue in files.items():
        try:
            info = (folder / name).stat()
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


def _dump(value: dict[str, Any]) -> bytes:
    try:
        return orjson.dumps(value, option=orjson.OPT_INDENT_2) + b"\n"
    except TypeError:
        return json.dumps(value, indent=2).encode("ascii") + b"\n"
