"""The manifest: the compact listing that AgentX reads. Derived, and kept in step after writes."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import orjson

from store.disk.files import read_bytes, replace_derived
from store.disk.issue_records import list_issues, read_issue, shelf_of
from store.disk.layout import MANIFEST, Shelf
from store.disk.records import entry_record
from store.errors import Unreadable


def settle_manifest(folder: Path, issues: Iterable[int], updated: str) -> bool:
    """Bring the manifest in step; whether it had to be rebuilt because it could not be read.

    Looks at the issues named and at those whose files are newer than the manifest. Entries keep
    their order; new ones are appended. `updated` is the timestamp to write. Must be called under
    the manifest's lock. Raises `ReadOnly`, `WriteFailed`.
    """
    path = folder / MANIFEST
    files = {name: n for name, n in list_issues(folder).items() if shelf_of(name) is Shelf.ISSUE}
    header, old, rebuilt = _read(path, folder)
    present = set(files.values())
    stale = present if old is None else (set(issues) | _newer(folder, files, path)) & present
    fresh = {
        entry["id"]: entry
        for issue in sorted(stale)
        for entry in map(entry_record, read_issue(folder, issue).observations())
    }
    entries: list[Any] = []
    for entry in old or ():
        identifier = entry.get("id") if isinstance(entry, dict) else None
        issue = entry.get("issueNumber") if isinstance(entry, dict) else None
        if issue in stale:
            if isinstance(identifier, str) and identifier in fresh:
                entries.append(fresh.pop(identifier))
        elif issue in present:
            entries.append(entry)
    entries += fresh.values()
    if entries != old:
        content = {**header, "version": header.get("version", 1), "updatedAt": updated}
        replace_derived(path, _dump({**content, "entries": entries}), folder)
    return rebuilt


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
        except ValueError:
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


def _dump(value: dict[str, Any]) -> bytes:
    try:
        return orjson.dumps(value, option=orjson.OPT_INDENT_2) + b"\n"
    except TypeError:
        return json.dumps(value, indent=2).encode("ascii") + b"\n"
