"""Memories in files of their own, changes that wait, and files that can't be opened."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from store.backends.files import issue_reader, memory_files
from store.backends.files.backend import FilesBackend
from store.backends.files.issue_reader import read_issue
from store.backends.files.layout import archive_name, issue_name, memories_name, recovered_name
from store.backends.files.pending import complete, read_pending
from store.errors import Unreadable, WriteFailed
from store.merge.versions import CONFLICT
from store.model import Layout, Location
from store.platform.read import read_bytes
from tests.store.backends.files.test_conflicted import merged_by_lines
from tests.store.factories import Store, make_store, observation, record, records_in, write_issue

PLACE = "issue-29"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = make_store(tmp_path)
    store.set_layout(Layout.EACH)
    return store


def put(store: Store, *values: dict[str, object]) -> None:
    with store.changing(29) as records:
        for value in values:
            records.put(Location.ISSUE, value)


def files(store: Store) -> list[str]:
    found = (path for path in store.folder.rglob("*.json") if path.parent != store.folder)
    return sorted(str(path.relative_to(store.folder)) for path in found)


def ids(store: Store) -> list[str]:
    return [item.id for item in store.by_issue(29)]


@pytest.mark.parametrize("odd", ["A", "a/b", "..", "a b", "é", "x" * 300, "con.json", "a\x00"])
def test_an_id_that_is_no_name_gets_another(store: Store, odd: str) -> None:
    put(store, record(odd), record("a"))
    assert sorted(ids(store)) == sorted([odd, "a"])
    assert all(name.startswith(f"{PLACE}/") for name in files(store))
    put(store, record(odd, content="Edited"))
    assert len(files(store)) == 2


def test_a_link_is_not_followed(store: Store, tmp_path: Path) -> None:
    put(store, record("a"))
    (tmp_path / "secret.json").write_text(json.dumps(record("secret")))
    (store.folder / PLACE / "b.json").symlink_to(tmp_path / "secret.json")
    assert ids(store) == ["a"]
    (tmp_path / "elsewhere").mkdir()
    (store.folder / "issue-7").symlink_to(tmp_path / "elsewhere")
    assert store.read(7).unreadable == {"issue-7"}
    (tmp_path / "elsewhere" / "b.json").write_text(json.dumps(record("b")))
    assert store.changes_since({}).stamps.keys() == {29}
    with pytest.raises(WriteFailed, match="symbolic link"), store.changing(7) as records:
        records.put(Location.ISSUE, record("x", issueNumber=7))
    assert [path.name for path in (tmp_path / "elsewhere").iterdir()] == ["b.json"]


def test_what_stands_in_the_other_layout_joins_with_the_next_write(store: Store) -> None:
    """As after a merge with a branch that has the other layout, or a write of AgentX."""
    write_issue(store.folder, 29, record("a"), record("b", content="Older"))
    put(store, record("c"))
    assert files(store) == [f"{PLACE}/{name}.json" for name in "abc"]
    write_issue(store.folder, 29, record("b", content="Another"), record("d"))
    read = store.read(29)
    assert [item.id for item in read.observations()] == ["a", "b", "c", "d"]
    assert [fact.kind for fact in store.examine_issue(read, "now")] == ["layout"]
    assert store.other_layout() == {29}
    put(store, record("e"))
    assert not (store.folder / "issue-29.json").exists()
    held = json.loads((store.folder / PLACE / "b.json").read_bytes())
    assert {held["content"], held[CONFLICT][0]["content"]} == {"Older", "Another"}


def test_what_is_said_of_an_issue_itself_stays(store: Store) -> None:
    path = write_issue(store.folder, 29, record("a"))
    path.write_text(path.read_text().replace('"version": 1', '"version": 1,\n  "title": "Locks"'))
    put(store, record("b"))
    assert json.loads(path.read_bytes())["title"] == "Locks"
    assert records_in(path) == []
    assert ids(store) == ["a", "b"]
    assert store.other_layout() == set()
    store.set_layout(Layout.PER_ISSUE)
    put(store, record("c"))
    assert [item["id"] for item in records_in(path)] == ["a", "b", "c"]
    assert json.loads(path.read_bytes())["title"] == "Locks"
    assert files(store) == []


@pytest.mark.parametrize("how", [(), ("--diff3",)], ids=str)
def test_a_memory_that_two_branches_edited_is_read_from_its_own_file(
    store: Store, tmp_path: Path, how: tuple[str, ...]
) -> None:
    put(store, record("a"), record("b"))
    path = store.folder / PLACE / "a.json"
    base = path.read_bytes()
    ours, theirs = (base.replace(b"Chose", word) for word in (b"Took", b"Left"))
    path.write_bytes(merged_by_lines(tmp_path, base, ours, theirs, how))
    first = read_issue(store.folder, 29).observations()[0]
    (other,) = first.extra[CONFLICT]
    assert {first.content[:4], other["content"][:4]} == {"Took", "Left"}
    assert store.write_merged(29)
    assert json.loads(path.read_bytes())["id"] == "a"
    assert not store.read(29).problems


@pytest.mark.parametrize("text", ["{", "[]", '{"layout": "by-colour"}'])
def test_a_layout_that_is_not_known_is_said_and_nothing_is_written(store: Store, text: str) -> None:
    put(store, record("a"))
    (store.folder / "layout.json").write_text(text)
    assert ids(store) == ["a"]
    with pytest.raises(Unreadable, match=r"layout\.json"):
        put(store, record("b"))
    (fact,) = (it for it in store.examine(["a"], "now") if it.path == "layout.json")
    assert store.move(*fact.moves[0])
    put(store, record("b"))
    assert ids(store) == ["a", "b"]


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    steps=st.lists(
        st.one_of(
            st.sampled_from(list(Layout)),
            st.tuples(st.sampled_from(list(Location)), st.sampled_from("aB"), st.booleans()),
        ),
        max_size=14,
    )
)
def test_whatever_the_layout_is_changed_to_the_same_memories_stand(
    tmp_path_factory: pytest.TempPathFactory, steps: list[Layout | tuple[Location, str, bool]]
) -> None:
    store = make_store(tmp_path_factory.mktemp("each"))
    expected: dict[tuple[Location, str], str] = {}
    for number, step in enumerate(steps):
        if isinstance(step, Layout):
            store.set_layout(step)
            continue
        location, name, stays = step
        with store.changing(29) as records:
            if stays:
                records.put(location, record(name, content=f"x{number}"))
                expected[location, name] = f"x{number}"
            else:
                records.drop(location, name)
                expected.pop((location, name), None)
    read = store.read(29)
    found = {(location, name): read.find(location, name) for location in Location for name in "aB"}
    assert {key: value["content"] for key, value in found.items() if value} == expected
    assert not read.problems


def test_a_change_while_a_reader_reads_is_seen_though_no_time_passes_and_often(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.set_layout(Layout.EACH)
    put(store, record("a"), record("b"))
    monkeypatch.setattr(issue_reader, "stamp_of", lambda path: None)
    slept: list[float] = []
    monkeypatch.setattr(issue_reader, "sleep", slept.append)
    readings = iter(range(6))

    def changed_before_the_second(path: Path, root: Path | None) -> bytes:
        if path.name == "b.json" and (number := next(readings, None)) is not None:
            with pytest.MonkeyPatch.context() as plain:
                plain.setattr(memory_files, "read_bytes", read_bytes)
                put(store, *(record(name, content=f"text {number}") for name in "ab"))
        return read_bytes(path, root)

    other = Store(store.folder)
    monkeypatch.setattr(memory_files, "read_bytes", changed_before_the_second)
    assert {item.content for item in other.by_issue(29)} == {"text 5"}
    assert slept == pytest.approx([0, 0, 0, 0, 0.002, 0.004])


# A change that was not written to its files yet: made, gone on with, and never trusted blindly.


NAME = "pending/issue-29.json"


def _wait(folder: Path, files: object) -> None:
    """Leave a change as a crash does right after it holds."""
    (folder / "pending").mkdir(exist_ok=True)
    (folder / NAME).write_text(json.dumps({"version": 1, "files": files}))


def test_a_change_that_a_crash_interrupted_is_gone_on_with(tmp_path: Path) -> None:
    (tmp_path / "issue-29").mkdir()
    (tmp_path / "issue-29" / "a.json").write_text("{}")
    _wait(tmp_path, {"issue-29.json": "whole", "issue-29/a.json": None})
    assert read_pending(tmp_path, 29) == {"issue-29.json": b"whole", "issue-29/a.json": None}
    complete(tmp_path, 29)
    assert (tmp_path / "issue-29.json").read_text() == "whole"
    assert not (tmp_path / "issue-29").exists() and not (tmp_path / NAME).exists()
    assert read_pending(tmp_path, 29) == {}


@pytest.mark.parametrize(
    "files",
    [
        {"issue-29.json": "mine", "issue-30.json": "theirs"},
        {"issue-29.json": "mine", "../issue-29.json": "out"},
        {"issue-29.json": "mine", "manifest.json": ""},
        {NAME: "itself"},
        ["issue-29.json"],
        7,
    ],
)
def test_a_change_that_names_other_files_changes_nothing(tmp_path: Path, files: object) -> None:
    _wait(tmp_path, files)
    with pytest.raises(Unreadable, match=NAME):
        complete(tmp_path, 29)
    assert [path.name for path in tmp_path.rglob("*.json")] == ["issue-29.json"]


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "7", "null", '{"files": []}', '{"version": 1}', "deep", "\x00"]
)
def test_a_change_that_is_damaged_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "pending").mkdir()
    (tmp_path / NAME).write_text(text.replace("deep", "[" * 100_000))
    with pytest.raises(Unreadable) as told:
        read_pending(tmp_path, 29)
    assert told.value.message == f"{NAME} is damaged."
    assert told.value.hint == "Run `memtui doctor --repair`."


def test_a_disk_that_does_not_confirm_is_told_with_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(_: Path) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("store.backends.files.pending.sync_folder", refused)
    (tmp_path / "pending").mkdir()
    with pytest.raises(WriteFailed) as told:
        complete(tmp_path, 29)
    assert told.value.message.startswith("pending could not be written: the disk reports an error.")


def test_an_issue_of_which_only_a_change_stands_is_one(tmp_path: Path) -> None:
    write_issue(tmp_path, 7, record("b", issueNumber=7))
    _wait(tmp_path, {"issue-29/a.json": json.dumps(record("a")), "archive/issue-29/c.json": None})
    backend = FilesBackend(tmp_path)
    assert backend.issues() == {7, 29}
    assert [it.id for it in backend.read(29).observations()] == ["a"]
    known = backend.changes_since({})
    assert known.issues == {7, 29}
    with backend.changing(29):
        pass
    assert not (tmp_path / NAME).exists()
    assert backend.changes_since(known.stamps).issues == {29}
    assert [it.id for it in backend.read(29).observations()] == ["a"]


def test_what_waits_is_read_as_the_files_it_names_and_nothing_else(tmp_path: Path) -> None:
    """The file of an issue begins as the folder of its memories does."""
    whole = write_issue(tmp_path, 29, record("a"), record("b")).read_text()
    (tmp_path / "issue-29.json").unlink()
    (tmp_path / "issue-29").mkdir()
    (tmp_path / "issue-29" / "a.json").write_text(json.dumps(record("a", content="Old")))
    _wait(tmp_path, {"issue-29.json": whole, "issue-29/a.json": None})
    read = FilesBackend(tmp_path).read(29)
    assert [it.record.value for it in read.held()] == [record("a"), record("b")]
    assert (read.problems, read.unreadable) == ([], set())


# Files that the system does not let us open just now: named, never moved, never written over.


OWN, RECOVERED, ARCHIVE = issue_name(29), recovered_name(29), archive_name(29)
EACH, SHELVED = (f"{memories_name(29, location)}/a.json" for location in Location)


@pytest.fixture
def plain(tmp_path: Path) -> Store:
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


def written(plain: Store, name: str, *values: dict[str, Any]) -> Path:
    """A file of records, as it is laid out where it has this name."""
    path = plain.folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    held: object = {"version": 1, "observations": values}
    path.write_text(json.dumps(values[0] if name in (EACH, SHELVED) else held))
    return path


def found(plain: Store) -> list[tuple[str, str, bool]]:
    facts = plain.examine_issue(plain.read(29), "now")
    return [(it.kind, it.path, it.repair is not None and bool(it.moves)) for it in facts]


@pytest.mark.parametrize("name", [OWN, RECOVERED, ARCHIVE, EACH, SHELVED])
def test_what_can_not_be_opened_is_named_and_what_is_damaged_is_moved_aside(
    plain: Store, closed: set[Path], name: str
) -> None:
    path = written(plain, name, record("a"))
    closed.add(path)
    read = plain.read(29)
    assert (read.unreadable, read.unopened) == ({name}, {name})
    assert [it.message for it in read.problems] == [
        f"{path.name} can't be opened: Permission denied."
    ]
    location = Location.ARCHIVE if name.startswith("archive") else Location.ISSUE
    for each in Location:
        assert (read.unread(each) is not None) is (each is location)
    assert found(plain) == [("unreadable-file", name, False)]
    closed.clear()
    assert plain.read(29).unreadable == set()
    path.write_text("{")
    read = plain.read(29)
    assert (read.unreadable, read.unopened) == ({name}, set())
    assert found(plain) == [("unreadable-file", name, True)]


def test_what_is_stored_meanwhile_stands_beside_it(plain: Store, closed: set[Path]) -> None:
    path = written(plain, OWN, record("a"))
    before = path.read_bytes()
    closed.add(path)
    plain.store([observation("One")])
    plain.store([observation("Two")])
    assert [it.content for it in plain.by_issue(29)] == ["One", "Two"]
    assert [it["id"] for it in records_in(plain.folder / RECOVERED)] == ["obs-1", "obs-2"]
    closed.clear()
    assert path.read_bytes() == before
    assert [it.id for it in plain.by_issue(29)] == ["a", "obs-1", "obs-2"]
