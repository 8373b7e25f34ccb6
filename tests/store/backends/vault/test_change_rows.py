"""What each change of each kind of memory makes of a vault's files; only a first look at a disk."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from difflib import unified_diff
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from store.backends.vault.backend import _records_of, _take, _Taken
from store.backends.vault.changes import changed_files
from store.backends.vault.folder import read_vault
from store.backends.vault.items import items_of
from store.backends.vault.layout import location_of_file
from store.backends.vault.sidecar import NAME, read_sidecar, side_key
from store.model import Location
from tests.store.backends.vault.vaults import make_vault
from tests.store.factories import record

ONE, TWO, OLD = 1773679871839, 1773679871000, 1773600000000
"""Keys of entries: two of a minute, and one before."""


HEADING = "2026-03-16T16:51 · #a #b"


def _entry(key: int, said: str, heading: str = HEADING, end: str = "\n---\n") -> str:
    return f"<!-- id:{key} -->\n## {heading}\n\n{said}\n{end}"


BOXES, BY_HAND = "- [ ] Mend\n- [x] Done\n", "By hand #mine\n\n## Also by hand\nmore\n"
FILES = {
    "dev/decisions.md": f"# Ours\n\n{_entry(ONE, 'One')}\n{_entry(TWO, 'Two')}",
    "dev/lessons.md": f"{BY_HAND}\n{_entry(OLD, 'Old', '2026-03-15')}",
    "dev/tasks.md": f"{BOXES}\n{_entry(ONE, '- [ ] Later', '2026-03-16T16:51')}",
    "qa/errors.md": _entry(OLD, "Red", end=""),
    "notes/Plan.md": "---\ntags: x\n---\nThe plan\n",
    "notes/2026-01-02.md": "A day\n",
    "dev/custom.md": "A note where entries would go\n",
    ".vault/archive/dev/decisions.md": _entry(ONE, "Once") + "\n" + _entry(OLD, "Older"),
    ".vault/archive/notes/Plan.md": "The old plan\n",
}
MTIME = datetime(2026, 2, 25, 6, 13, 20, tzinfo=UTC)
ISSUE, ARCHIVE = Location.ISSUE, Location.ARCHIVE
MEMORIES = {
    "an entry": (ISSUE, "One"),
    "free text": (ISSUE, "By hand #mine"),
    "a box": (ISSUE, "Mend"),
    "a task": (ISSUE, "Later"),
    "an entry without a rule": (ISSUE, "Red"),
    "a note": (ISSUE, "The plan"),
    "a note of a day": (ISSUE, "A day"),
    "an archived entry": (ARCHIVE, "Once"),
    "an archived note": (ARCHIVE, "The old plan"),
}
CHANGES: dict[str, dict[str, Any] | None] = {
    "its text": {"content": "Said anew\n\n---\n\n- [ ] and more"},
    "its tags": {"tags": ["done", "c d"]},
    "its kind": {"category": "custom"},
    "whose it is": {"agent": "Ünal"},
    "its time": {"timestamp": "2026-03-16T16:51:12.000Z"},
    "marks": {"pinned": True, "issueNumber": 29},
    "its name": {"id": "obs-1"},
    "its place": None,
}


@pytest.fixture(scope="module")
def taken(tmp_path_factory: pytest.TempPathFactory) -> _Taken:
    folder = make_vault(tmp_path_factory.mktemp("vault"), FILES)
    for path in folder.rglob("*.md"):
        os.utime(path, (MTIME.timestamp(), MTIME.timestamp()))
    return _take(read_vault(folder))


def _changed(taken: _Taken, *changes: tuple[Location, str, dict[str, Any] | None]) -> list[str]:
    """What files hold once memories, known by what they say, were changed or moved.

    What no memory says is a new one.
    """
    records = _records_of(taken, 0)
    for location, said, change in changes:
        value = next((it for it in records.parts[location].values() if it["content"] == said), None)
        if value is None:
            records.append(location, {**record("new", agent="dev", issueNumber=0, content=said),
                                      **(change or {})})  # fmt: skip
            continue
        if change != {}:
            target = location if change is not None else (ISSUE, ARCHIVE)[location is ISSUE]
            records.append(target, {**value, **(change or {})})
        part = records.parts[location]
        part.records = [it for it in part.records if it.value is not value]
    records.finish()
    return list(_told(taken, changed_files(taken.vault, records.parts, taken.kept)))


def _told(taken: _Taken, files: dict[str, bytes | None]) -> Iterator[str]:
    for path in sorted(files):
        data, file = files[path], taken.vault.files.get(path)
        if path == NAME:
            names = _names(taken, files)
            for name, fields in read_sidecar(data or b"").items():
                assert name.partition("~")[0] in names, "nothing is told of what is not there"
                yield f"  {name}: {fields}"
            continue
        before = "" if file is None else file.text
        text = "" if data is None else data.decode()
        yield f"  {path}{' is gone' if data is None else ' is new' if file is None else ''}"
        if data is not None:
            _, _, *lines = unified_diff(before.splitlines(), text.splitlines(), n=0, lineterm="")
            yield from (f"    {it}" for it in lines)


def _names(taken: _Taken, files: dict[str, bytes | None]) -> set[str]:
    """What the memories are called in the sidecar once files are as they are told."""
    texts = {path: file.text for path, file in taken.vault.files.items()}
    texts |= {path: (data or b"").decode() for path, data in files.items() if path != NAME}
    return {
        side_key(location_of_file(path), item.key)
        for path, text in texts.items()
        for item in items_of(path, text, MTIME)
    }


@pytest.mark.parametrize("name", MEMORIES)
def test_what_a_change_of_a_memory_writes(
    taken: _Taken, name: str, snapshot: SnapshotAssertion
) -> None:
    location, said = MEMORIES[name]
    told = []
    for what, change in CHANGES.items():
        told += [f"{what}:", *_changed(taken, (location, said, change))]
    told += ["all of it:", *_changed(taken, (location, said, {}))]
    assert "\n".join(told) == snapshot


TIME = "2026-03-16T16:51:11.839Z"
SEVERAL: dict[str, list[tuple[Location, str, dict[str, Any] | None]]] = {
    "two of a file": [(ISSUE, "One", {"content": "Uno"}), (ISSUE, "Two", {"content": "Due"})],
    "two new of a time that is taken": [
        (ISSUE, "New", {"timestamp": TIME}), (ISSUE, "Newer", {"id": "newer", "timestamp": TIME})],
    "two new that are older and newer": [
        (ISSUE, "New", {"timestamp": "2020-01-01T00:00:00Z"}), (ISSUE, "Newer", {"id": "newer"})],
    "two new of two kinds": [
        (ISSUE, "New", {"category": "task", "tags": ["done", "x"]}),
        (ISSUE, "Newer", {"id": "newer", "category": "lesson", "tags": ["done"]})],
    "two new of two who were not there": [
        (ISSUE, "New", {"agent": "zoe"}), (ARCHIVE, "Newer", {"id": "newer", "agent": "../zoe"})],
    "a new one where a note stands": [(ISSUE, "New", {"category": "custom"})],
    "one goes and one comes": [(ISSUE, "One", {}), (ISSUE, "New", {})],
    "all of a file go": [(ISSUE, "One", {}), (ISSUE, "Two", {})],
    "all of a file are archived": [(ISSUE, "One", None), (ISSUE, "Two", None)],
    "two notes change places": [(ISSUE, "The plan", None), (ARCHIVE, "The old plan", None)],
    "two entries of a key change places": [(ISSUE, "One", None), (ARCHIVE, "Once", None)],
    "text and time of a note": [
        (ISSUE, "The plan", {"content": "New plan", "timestamp": TIME}),
        (ARCHIVE, "The old plan", {"content": "Older plan", "timestamp": TIME})],
    "both boxes": [(ISSUE, "Mend", {"tags": ["done"]}), (ISSUE, "Done", {"tags": []})],
    "text by hand and an entry": [
        (ISSUE, "By hand #mine", {"pinned": True}), (ISSUE, "Old", {"content": "Ancient"})],
}  # fmt: skip


@pytest.mark.parametrize("name", SEVERAL)
def test_what_several_changes_at_once_write(
    taken: _Taken, name: str, snapshot: SnapshotAssertion
) -> None:
    assert "\n".join(_changed(taken, *SEVERAL[name])) == snapshot
