"""Of several files, entries of one key, notes of one name and properties: which of them counts."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from store import open_memory
from store.backends.activity import read_activity
from store.backends.vault.backend import VaultBackend
from store.backends.vault.items import items_of
from store.model import Location
from tests.store.backends.vault.vaults import make_vault
from tests.store.factories import NOW, observation

KEY = "1773679871839"
MTIME = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
ARCHIVE = ".vault/archive"


def _open(folder: Path) -> VaultBackend:
    return VaultBackend(folder, lambda: NOW)


def _entry(said: str, key: str = KEY) -> str:
    return f"<!-- id:{key} -->\n## 2026-03-16T16:51\n\n{said}\n\n---\n"


@pytest.mark.parametrize(
    ("front", "tags"),
    [
        ("tags: a", ["a", "in"]),
        ("tag: b", ["b", "in"]),
        ("tag: b\ntags: a", ["a", "in"]),
        ("tags:\n  - a\n  - '#b'\n  - a", ["a", "b", "in"]),
        ("tags: a b,c #d", ["a", "b", "c", "d", "in"]),
        ("tags: [in, z]", ["in", "z"]),
        ("title: x", ["in"]),
    ],
)
def test_the_tags_of_a_note_are_those_of_its_properties_then_those_in_it(
    front: str, tags: list[str]
) -> None:
    (item,) = items_of("a.md", f"---\n{front}\n---\nText #in\n", MTIME)
    assert item.record["tags"] == tags


@pytest.mark.parametrize(
    ("path", "front", "category"),
    [
        ("a.md", "category: error\ntype: lesson", "error"),
        ("a.md", "type: lessons", "lesson"),
        ("a.md", "type: weather", "key-fact"),
        ("dev/handoff.md", "type: error", "error"),
        ("dev/handoff.md", "type: weather", "handoff"),
        ("dev/handoff.md", "title: x", "handoff"),
        ("dev/plan.md", "title: x", "key-fact"),
        ("_project.md", "title: x", "project"),
        ("_project.md", "type: lesson", "lesson"),
    ],
)
def test_the_category_of_a_note_is_told_by_its_properties_then_by_its_place(
    path: str, front: str, category: str
) -> None:
    (item,) = items_of(path, f"---\n{front}\n---\nText\n", MTIME)
    assert item.record["category"] == category


def test_recalls_of_all_that_is_changed_are_counted_once(tmp_path: Path) -> None:
    entries = {name: _entry(name, KEY[:-1] + name) for name in "123"}
    files = {"dev/lessons.md": f"{entries['1']}\n{entries['2']}"}
    files[f"{ARCHIVE}/dev/lessons.md"] = entries["3"]
    folder = make_vault(tmp_path / ".memory", files)
    backend = _open(folder)
    names = [KEY[:-1] + name for name in "123"]
    told = {"type": "recalled", "timestamp": "2026-03-20T00:00:00.000Z", "observationIds": names}
    with backend.locked():
        for _ in range(2):
            backend.log.append(told)
    with backend.changing(0) as records:
        for location, name in ((Location.ISSUE, names[0]), (Location.ARCHIVE, names[2])):
            value = records.find(location, name)
            assert value is not None
            records.put(location, {**value, "pinned": True})
    counted = [it["counted"] for it in read_activity(backend.log)[0] if "counted" in it]
    assert counted == [dict.fromkeys(names, told["timestamp"])]
    read = backend.read(0)
    counts = [it.recall_count for location in Location for it in read.observations(location)]
    assert counts == [2, 2, 2]


def test_agents_that_differ_in_case_alone_share_a_folder(tmp_path: Path) -> None:
    """On a disk without case they would, unnoticed: each keeps its own memories."""
    vault = tmp_path / "notes"
    vault.mkdir()
    with open_memory(f"vault://{vault}", cache=tmp_path / "cache") as memory:
        memory.store([observation("One", agent="dev"), observation("Two", agent="Dev")])
        memory.store([observation("Three", agent="DEV", category="lesson")])
        memory.apply(
            memory.plan.archive([it.id for it in memory.by_issue(29) if it.content == "Two"])
        )
        memory.undo()
    with open_memory(f"vault://{vault}", cache=tmp_path / "other") as memory:
        found = {(it.agent, it.content) for it in memory.by_issue(29)}
    assert found == {("dev", "One"), ("Dev", "Two"), ("DEV", "Three")}
    assert {path.parent.name for path in vault.rglob("*.md")} == {"dev"}
