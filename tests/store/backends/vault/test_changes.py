"""The files of a vault after a change of each kind of memory, and the same record read back."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from store.backends.vault.backend import VaultBackend
from store.model import Location
from tests.store.backends.vault.vaults import make_vault
from tests.store.factories import NOW, record

ISSUE, ARCHIVE = Location.ISSUE, Location.ARCHIVE
ONE = "<!-- id:1773679871839 -->\n## 2026-03-16T16:51 · #a\n\nOne\n\n---\n"
TWO = "<!-- id:1773679871000 -->\n## 2026-03-16T16:51\n\nTwo\n\n---\n"
ONCE = "<!-- id:1773679871839 -->\n## 2026-03-16T16:51\n\nOnce\n\n---\n"
FILES = {
    "dev/decisions.md": f"# Ours\n\n{ONE}\n{TWO}",
    "dev/tasks.md": "- [ ] Mend\n- [x] Done\n",
    "dev/custom.md": "A note where entries would go\n",
    "notes/Plan.md": "---\ntags: x\n---\nThe plan\n",
    ".vault/archive/notes/Plan.md": "The old plan\n",
    ".vault/archive/dev/decisions.md": ONCE,
}
TIME = "2026-03-16T16:51:11.839Z"


def _changed(
    folder: Path, *changes: tuple[Location, str, dict[str, Any] | None]
) -> dict[str, str | None]:
    """The files that differ once memories, known by what they say, have new fields.

    None moves one to the other location; what no memory says is a new one.
    """
    make_vault(folder, FILES)
    for path in folder.rglob("*.md"):
        os.utime(path, (1_772_000_000, 1_772_000_000))
    backend = VaultBackend(folder, lambda: NOW)
    wanted = []
    with backend.changing(0) as records:
        parts = [(Location(name), part.values()) for name, part in records.parts.items()]
        held = {(place, it["content"]): it for place, values in parts for it in values}
        for location, said, fields in changes:
            new = record("new", agent="dev", issueNumber=0, content=said)
            value = held.get((location, said), new)
            target = (ISSUE, ARCHIVE)[location is ISSUE] if fields is None else location
            wanted.append((target, {**value, **(fields or {})}))
            records.drop(location, value["id"])
        for target, value in wanted:
            records.append(target, value)
    read = VaultBackend(folder, lambda: NOW).read(0)
    for target, value in wanted:
        assert read.find(target, value["id"]) == value
    files = {it.relative_to(folder).as_posix(): it.read_text() for it in folder.rglob("*.md")}
    return {
        path: files.get(path) for path in {**FILES, **files} if files.get(path) != FILES.get(path)
    }


def _entry(key: int, heading: str, said: str) -> str:
    return f"<!-- id:{key} -->\n## {heading}\n\n{said}\n\n---\n"


OURS, DATED = "# Ours\n\n", "2026-02-25T06:13"
LATER = "2026-03-16T16:51"
DONE = "- [x] Done\n"
PLAN = FILES["notes/Plan.md"]


@pytest.mark.parametrize(
    ("changes", "files"),
    [
        (
            [(ISSUE, "One", {"content": "Said anew\n\n---\n\n- [ ] and more"})],
            {
                "dev/decisions.md": FILES["dev/decisions.md"].replace(
                    "\nOne\n", "\nSaid anew\n\n\\---\n\n- [ ] and more\n"
                )
            },
        ),
        ([(ISSUE, "One", {"timestamp": "2026-03-16T16:51:12.000Z"})], {}),
        ([(ISSUE, "One", {"pinned": True, "extra": 7})], {}),
        (
            [(ISSUE, "One", None), (ARCHIVE, "Once", None)],
            {"dev/decisions.md": f"{OURS}{ONCE}\n{TWO}", ".vault/archive/dev/decisions.md": ONE},
        ),
        (
            [(ISSUE, "Mend", {"tags": ["done", "c d"]})],
            {"dev/tasks.md": _entry(1772000000000, f"{DATED} · #c-d", "- [x] Mend") + DONE},
        ),
        (
            [(ISSUE, "Mend", {"category": "custom"})],
            {"dev/tasks.md": DONE, "dev/custom-memories.md": _entry(1772000000000, DATED, "Mend")},
        ),
        (
            [(ISSUE, "Mend", {"agent": "Ünal"})],
            {"dev/tasks.md": DONE, "Ünal/tasks.md": _entry(1772000000000, DATED, "- [ ] Mend")},
        ),
        (
            [(ISSUE, "Mend", None)],
            {
                "dev/tasks.md": DONE,
                ".vault/archive/dev/tasks.md": _entry(1772000000000, DATED, "- [ ] Mend"),
            },
        ),
        (
            [(ISSUE, "The plan", {"content": "Said anew\n\n---"})],
            {"notes/Plan.md": "---\ntags: x\n---\nSaid anew\n\n---\n"},
        ),
        (
            [(ISSUE, "The plan", {"id": "obs-1"})],
            {
                "notes/Plan.md": None,
                "notes/key-facts.md": _entry(1772000000000, f"{DATED} · #x", "The plan"),
            },
        ),
        (
            [(ISSUE, "The plan", None)],
            {"notes/Plan.md": None, ".vault/archive/notes/Plan-2.md": PLAN},
        ),
        (
            [(ISSUE, "The plan", None), (ARCHIVE, "The old plan", None)],
            {
                "notes/Plan.md": None,
                "notes/Plan-2.md": "The old plan\n",
                ".vault/archive/notes/Plan.md": None,
                ".vault/archive/notes/Plan-2.md": PLAN,
            },
        ),
        (
            [(ISSUE, "New", {"timestamp": TIME}), (ISSUE, "Newer", {"id": "n", "timestamp": TIME})],
            {
                "dev/decisions.md": f"{OURS}{_entry(1773679871841, LATER, 'Newer')}\n"
                f"{_entry(1773679871840, LATER, 'New')}\n{ONE}\n{TWO}"
            },
        ),
        (
            [(ISSUE, "New", {"timestamp": "2020-01-01T00:00:00.000Z"})],
            {
                "dev/decisions.md": f"{OURS}{ONE}\n{TWO}\n"
                f"{_entry(1577836800000, '2020-01-01T00:00', 'New')}"
            },
        ),
        (
            [(ISSUE, "New", {"category": "custom"})],
            {"dev/custom-memories.md": _entry(1772186400000, "2026-02-27T10:00", "New")},
        ),
        (
            [(ARCHIVE, "New", {"agent": "../zoe"})],
            {".vault/archive/zoe/decisions.md": _entry(1772186400000, "2026-02-27T10:00", "New")},
        ),
    ],
)
def test_the_files_of_a_change(
    tmp_path: Path,
    changes: list[tuple[Location, str, dict[str, Any] | None]],
    files: dict[str, str | None],
) -> None:
    assert _changed(tmp_path, *changes) == files
