"""Files that the system does not let us open just now: named, never moved, never written over.

They may be well, unlike those that are damaged: whoever may read them can say.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from store.backends.files.layout import archive_name, issue_name, memories_name, recovered_name
from store.model import Location
from tests.store.factories import Store, make_store, observation, record, records_in

OWN, RECOVERED, ARCHIVE = issue_name(29), recovered_name(29), archive_name(29)
EACH, SHELVED = (f"{memories_name(29, location)}/a.json" for location in Location)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return make_store(tmp_path)


@pytest.fixture
def closed(monkeypatch: pytest.MonkeyPatch) -> set[Path]:
    """What can't be opened, nor listed where it is a folder, until it is taken out of it."""
    shut: set[Path] = set()

    def guarded(call: str) -> None:
        allowed = getattr(os, call)

        def ask(path: Any, *given: Any, **named: Any) -> Any:  # noqa: ANN401 - as the call's
            if not isinstance(path, int) and Path(path) in shut:
                raise PermissionError(13, "Permission denied")
            return allowed(path, *given, **named)

        monkeypatch.setattr(os, call, ask)

    guarded("open")
    guarded("listdir")
    return shut


def written(store: Store, name: str, *values: dict[str, Any]) -> Path:
    """A file of records, as it is laid out where it has this name."""
    path = store.folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    held: object = {"version": 1, "observations": values}
    path.write_text(json.dumps(values[0] if name in (EACH, SHELVED) else held))
    return path


def found(store: Store) -> list[tuple[str, str, bool]]:
    facts = store.examine_issue(store.read(29), "now")
    return [(it.kind, it.path, it.repair is not None and bool(it.moves)) for it in facts]


@pytest.mark.parametrize("name", [OWN, RECOVERED, ARCHIVE, EACH, SHELVED])
def test_what_can_not_be_opened_is_named_and_what_is_damaged_is_moved_aside(
    store: Store, closed: set[Path], name: str
) -> None:
    path = written(store, name, record("a"))
    closed.add(path)
    read = store.read(29)
    assert (read.unreadable, read.unopened) == ({name}, {name})
    assert [it.message for it in read.problems] == [
        f"{path.name} can't be opened: Permission denied."
    ]
    location = Location.ARCHIVE if name.startswith("archive") else Location.ISSUE
    for each in Location:
        assert (read.unread(each) is not None) is (each is location)
    assert found(store) == [("unreadable-file", name, False)]
    closed.clear()
    assert store.read(29).unreadable == set()
    path.write_text("{")
    read = store.read(29)
    assert (read.unreadable, read.unopened) == ({name}, set())
    assert found(store) == [("unreadable-file", name, True)]


def test_what_is_stored_meanwhile_stands_beside_it(store: Store, closed: set[Path]) -> None:
    path = written(store, OWN, record("a"))
    before = path.read_bytes()
    closed.add(path)
    store.store([observation("One")])
    store.store([observation("Two")])
    assert [it.content for it in store.by_issue(29)] == ["One", "Two"]
    assert [it["id"] for it in records_in(store.folder / RECOVERED)] == ["obs-1", "obs-2"]
    closed.clear()
    assert path.read_bytes() == before
    assert [it.id for it in store.by_issue(29)] == ["a", "obs-1", "obs-2"]
