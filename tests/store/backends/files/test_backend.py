"""The store of JSON files: what every store of observations must do, in AgentX's format."""

from __future__ import annotations

from pathlib import Path

import pytest

from store.errors import Unreadable
from store.model import Location
from tests.store.factories import Clock, Store, make_store, observation, record, write_issue


@pytest.fixture
def store(tmp_path: Path, clock: Clock) -> Store:
    return make_store(tmp_path, clock)


def test_an_unreadable_archive_is_never_written_over(store: Store) -> None:
    store.store([observation()])
    archive = write_issue(store.folder, 29, archived=True)
    archive.write_text("<<<<<<<")
    with pytest.raises(Unreadable), store.changing(29) as records:
        records.put(Location.ARCHIVE, record())
    assert archive.read_text() == "<<<<<<<"


def test_what_git_ignores_of_a_memory_is_left_as_a_person_wrote_it(tmp_path: Path) -> None:
    store = make_store(tmp_path)
    store.folder.mkdir(parents=True)
    own = store.folder / ".gitignore"
    own.write_text("*.json\n")
    store.store([observation()])
    assert own.read_text() == "*.json\n"
