"""The store of JSON files: what every store of observations must do, in AgentX's format."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from store.backends.files.layout import GITIGNORE, GITIGNORE_TEXT
from store.errors import Unreadable
from store.model import Location
from tests.store.factories import (
    Clock,
    Store,
    make_store,
    observation,
    record,
    write_issue,
)


@pytest.fixture
def store(tmp_path: Path, clock: Clock) -> Store:
    return make_store(tmp_path, clock)


def test_a_new_store_is_written_as_agentx_writes_it(store: Store) -> None:
    report = store.store([observation("Chose plain files — wie Git", tags=("disk",))])
    assert report.ids == ("obs-1",)
    assert (store.folder / "issue-29.json").read_text() == (
        "{\n"
        '  "version": 1,\n'
        '  "issueNumber": 29,\n'
        '  "updatedAt": "2026-03-01T12:00:00.000Z",\n'
        '  "observations": [\n'
        "    {\n"
        '      "id": "obs-1",\n'
        '      "agent": "engineer",\n'
        '      "issueNumber": 29,\n'
        '      "category": "decision",\n'
        '      "content": "Chose plain files — wie Git",\n'
        '      "summary": "Chose plain files — wie Git",\n'
        '      "tokens": 7,\n'
        '      "timestamp": "2026-03-01T12:00:00.000Z",\n'
        '      "sessionId": "",\n'
        '      "recallCount": 0,\n'
        '      "relevanceScore": 1.0,\n'
        '      "archived": false,\n'
        '      "tags": [\n'
        '        "disk"\n'
        "      ]\n"
        "    }\n"
        "  ]\n"
        "}\n"
    )
    assert (store.folder / GITIGNORE).read_text() == GITIGNORE_TEXT
    assert not list(store.folder.glob("*.lock*[!k]"))


def test_what_we_do_not_understand_survives_every_change(store: Store) -> None:
    odd = record("odd", timestamp="soon", huge=10**30)
    unknown = record("keep-1", huge=10**30, nested={"b": [1.50, "\ud800"], "a": None})
    path = write_issue(store.folder, 29, odd, unknown, "no object")
    text = path.read_text()
    path.write_text(text.replace('"version": 1', '"version": 1, "owner": {"since": 10000000000}'))
    kept = path.read_text()
    store.store([observation("New")])
    assert kept[kept.index("    {") : kept.rindex("\n  ]")] in path.read_text()
    store.edit("keep-1", {"pinned": True})
    store.drop("obs-1")
    found = json.loads(path.read_bytes())
    assert found["owner"] == {"since": 10000000000}
    assert found["observations"] == [
        odd,
        {**unknown, "pinned": True},
        "no object",
    ]
    assert list(found["observations"][1])[:9] == list(record())


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
