"""The store of JSON files: what every store of observations must do, in AgentX's format."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from store.backends.files import backend as module
from store.backends.files import issue_writer
from store.backends.files.backend import FilesBackend
from store.backends.files.layout import GITIGNORE, GITIGNORE_TEXT
from store.errors import InvalidObservation, ReadOnly, Unreadable
from store.model import Location
from store.platform import write as disk
from tests.store.factories import (
    Clock,
    Store,
    make_store,
    observation,
    record,
    records_in,
    write_issue,
)


@pytest.fixture
def clock() -> Clock:
    return Clock()


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
        '      "tags": [\n'
        '        "disk"\n'
        "      ]\n"
        "    }\n"
        "  ]\n"
        "}\n"
    )
    assert (store.folder / GITIGNORE).read_text() == GITIGNORE_TEXT
    assert not list(store.folder.glob("*.lock*[!k]"))


def test_what_was_archived_may_be_told_anew(store: Store) -> None:
    write_issue(store.folder, 29, record("flagged", content="Same", archived=True))
    write_issue(store.folder, 29, record("moved", content="Same"), archived=True)
    assert store.store([observation("Same")]).twins == ()


def test_nothing_of_a_batch_is_stored_when_one_is_refused(store: Store) -> None:
    with pytest.raises(InvalidObservation):
        store.store([observation("Fine"), observation("Wrong", agent="not an agent")])
    assert not store.folder.exists()


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


def test_an_edit_sets_fields_and_what_follows_from_them(store: Store) -> None:
    store.store([observation("Chose plain files")])
    store.edit("obs-1", {"content": "Chose SQLite after all"})
    [changed] = store.by_issue(29)
    assert (changed.summary, changed.tokens) == ("Chose SQLite after all", 6)
    store.edit("obs-1", {"summary": "Our choice", "content": "Chose files"})
    assert store.by_issue(29)[0].summary == "Our choice"
    store.edit("obs-1", {"content": "Chose stone"})
    assert store.by_issue(29)[0].summary == "Our choice"
    store.edit("obs-1", {"tags": ("a",)})
    assert records_in(store.folder / "issue-29.json")[0]["tags"] == ["a"]
    store.edit("obs-1", {"tags": ()})
    assert "tags" not in records_in(store.folder / "issue-29.json")[0]


def test_an_edit_leaves_what_it_was_not_asked_to_change(store: Store) -> None:
    foreign = record(
        "keep-1",
        agent="The Architect",
        category="Key Fact",
        content="\n" + "long " * 600,
        timestamp="2026-02-27T10:00:00.123456+02:00",
        tokens=1,
    )
    path = write_issue(store.folder, 29, foreign)
    store.edit("keep-1", {"pinned": True})
    assert records_in(path) == [{**foreign, "pinned": True}]


@pytest.mark.parametrize(
    "fields",
    [
        {"id": "other"},
        {"issue_number": 7},
        {"agent": "not an agent"},
        {"content": ""},
        {"nonsense": 1},
        {"extra": {"id": "other"}},
    ],
)
def test_an_edit_that_can_not_be_is_refused(store: Store, fields: dict[str, object]) -> None:
    store.store([observation()])
    before = (store.folder / "issue-29.json").read_bytes()
    with pytest.raises(InvalidObservation):
        store.edit("obs-1", fields)
    assert (store.folder / "issue-29.json").read_bytes() == before


def test_an_id_stands_already_whatever_its_content_is(store: Store) -> None:
    store.store([observation("One")])
    path = store.folder / "issue-29.json"
    path.write_text(path.read_text().replace('"content": "One"', '"content": ["One"]'))
    with pytest.raises(InvalidObservation, match="obs-1 already exists"):
        store.store([observation("Two", id="obs-1")])


def test_what_moves_to_the_archive_is_never_nowhere(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.store([observation("One"), observation("Two")])
    written: list[tuple[str, set[str]]] = []
    replace = disk.replace_durably

    def watch(path: Path, *rest: object) -> None:
        replace(path, *rest)  # type: ignore[arg-type]
        standing = {
            item["id"] for file in store.folder.rglob("issue-*.json") for item in records_in(file)
        }
        written.append((path.name, standing))

    monkeypatch.setattr(issue_writer, "replace_durably", watch)
    for source, target in ((Location.ISSUE, Location.ARCHIVE), (Location.ARCHIVE, Location.ISSUE)):
        with store.changing(29) as records:
            value = records.find(source, "obs-1")
            assert value is not None
            records.put(target, value)
            records.drop(source, "obs-1")
    assert written == [
        (name, {"obs-1", "obs-2"})
        for name in (
            "issue-29-archived.json",
            "issue-29.json",
            "issue-29.json",
            "issue-29-archived.json",
        )
    ]


def test_looking_and_changing_nothing_write_nothing(store: Store) -> None:
    path = write_issue(store.folder, 29, record("keep-1"))
    before = path.stat()
    with store.changing(29) as records:
        assert records.find(Location.ISSUE, "keep-1") == record("keep-1")
    store.edit("keep-1", {})
    after = path.stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_store_says_so(store: Store) -> None:
    store.store([observation()])
    store.folder.chmod(0o500)
    try:
        with pytest.raises(ReadOnly):
            store.store([observation("New")])
    finally:
        store.folder.chmod(0o700)


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


def test_a_memory_that_another_thread_begins_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between its looks at the folder and at itself, a backend may find what another made."""
    backend = FilesBackend(tmp_path / "memory")

    def begin_meanwhile(_folder: Path) -> None:
        monkeypatch.undo()
        backend._begin()

    monkeypatch.setattr(module, "other_place", begin_meanwhile)
    backend._begin()
    assert (tmp_path / "memory").is_dir()
