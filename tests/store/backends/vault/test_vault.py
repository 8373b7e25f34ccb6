"""A vault as a memory: what is read, and what hostile or broken in it stays as it is."""

from __future__ import annotations

import errno
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any
from unittest import mock

import pytest

from store import open_memory
from store.backends.protocol import Stamps
from store.backends.vault import doctor, reader
from store.backends.vault.backend import VaultBackend
from store.backends.vault.layout import SIDE, is_vault
from store.backends.vault.sidecar import completed, difference, read_sidecar, write_sidecar
from store.errors import Conflict, InvalidObservation, Unreadable, WriteFailed
from store.model import Location, Observation
from store.records import to_record
from tests.store.backends.vault.vaults import FILES, edit_by_hand, make_vault, open_vault, texts
from tests.store.factories import NOW, observation, record


def _all(folder: Path, location: Location = Location.ISSUE) -> dict[str, Observation]:
    backend = open_vault(folder)
    found = (it for issue in backend.issues() for it in backend.read(issue).observations(location))
    return {it.id: it for it in found}


@pytest.mark.parametrize("before", ["\ufeff", "\n", "\ufeff\r\n \t\n"])
def test_a_file_that_says_nothing_any_more_is_removed(tmp_path: Path, before: str) -> None:
    folder = make_vault(tmp_path / ".memory", {"dev/lessons.md": f"{before}Written by hand.\n"})
    backend, (identifier,) = open_vault(folder), _all(folder)
    with backend.changing(0) as records:
        records.drop(Location.ISSUE, identifier)
    assert texts(folder) == {}


def test_edits_by_hand_survive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What memtui adds and takes away again leaves every file as the hand left it."""
    for name in ("sync_file", "sync_folder"):
        monkeypatch.setattr(f"store.platform.write.{name}", lambda *_: None)
    for seed in range(4):
        random = Random(seed)
        folder = make_vault(tmp_path / str(seed) / ".memory")
        for _ in range(20):
            path = random.choice(sorted(FILES))
            place = folder / path
            place.write_bytes(edit_by_hand(place.read_bytes().decode(), random).encode())
        before = texts(folder)
        known = _all(folder)
        backend = open_vault(folder)
        values = [record(f"obs-{number}", agent="dev", category="lesson") for number in range(3)]
        with backend.changing(29) as records:
            for value in values:
                records.put(Location.ISSUE, value)
        with backend.changing(0) as records:
            for told in known.values():
                records.put(Location.ISSUE, to_record(told._replace(recall_count=1)))
        assert len(_all(folder)) == len(known) + 3
        with backend.changing(29) as records:
            for value in values:
                records.drop(Location.ISSUE, value["id"])
        after = texts(folder)
        assert {path: it.rstrip() for path, it in after.items()} == {
            path: it.rstrip() for path, it in before.items()
        }, seed
        assert {it.content for it in _all(folder).values()} == {it.content for it in known.values()}


def test_links_are_not_followed(folder: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text("secret")
    (folder / "notes/linked.md").symlink_to(outside)
    (folder / "elsewhere").symlink_to(tmp_path)
    read = open_vault(folder).read(0)
    assert {problem.path for problem in read.problems} == {"notes/linked.md", "elsewhere"}
    assert "secret" not in {it.content for it in read.observations()}
    (folder / "dev/errors.md").symlink_to(outside)
    with pytest.raises((Unreadable, WriteFailed)), open_vault(folder).changing(0) as records:
        records.put(Location.ISSUE, record("obs-1", agent="dev", category="error", issueNumber=0))
    assert outside.read_text() == "secret"


@pytest.mark.parametrize(
    "agent", ["../../x", "/etc", ".vault", "a/b", "CON", "", "ü" * 300, "a\0b"]
)
def test_an_agent_is_never_a_path(folder: Path, agent: str, tmp_path: Path) -> None:
    with open_vault(folder).changing(0) as records:
        value = record("obs-1", agent=agent or "x", category="../decision", issueNumber=0)
        records.put(Location.ISSUE, value)
    assert [path.name for path in tmp_path.iterdir()] == [".memory"]
    found = open_vault(folder).read(0).find(Location.ISSUE, "obs-1")
    assert found == value


def test_what_cannot_be_read_is_named_and_never_written_over(folder: Path) -> None:
    place = folder / "dev/decisions.md"
    place.write_bytes(b"\xff\xfe\x00bad")
    backend = open_vault(folder)
    [problem] = backend.read(0).problems
    assert "not UTF-8" in problem.message
    with pytest.raises(Unreadable), backend.changing(0) as records:
        records.put(Location.ISSUE, record("obs-1", agent="dev", issueNumber=0))
    assert place.read_bytes() == b"\xff\xfe\x00bad"


@pytest.mark.parametrize("place", ["", "dev/"])
def test_where_a_folder_cannot_be_listed_nothing_is_written_into_it(
    folder: Path, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = texts(folder)
    asked: dict[str, Callable[..., object]] = {"scandir": os.scandir, "listdir": os.listdir}
    refused = f"{folder}/{place}".rstrip("/")

    def asking(name: str) -> Callable[[str | Path], object]:
        def listing(path: str | Path) -> object:
            if str(path) == refused:
                raise PermissionError(errno.EACCES, "Permission denied")
            return asked[name](path)

        return listing

    with monkeypatch.context() as patch:
        # A folder's names are asked for by either, which differs from Python to Python.
        for name in asked:
            patch.setattr(os, name, asking(name))
        assert is_vault(folder)
        backend = open_vault(folder)
        with (
            pytest.raises(Unreadable, match=r"can't be listed: Permission denied"),
            backend.changing(0) as records,
        ):
            records.put(Location.ISSUE, record("a", agent="dev", category="decision"))
    assert texts(folder) == before


def test_a_damaged_sidecar_waits_for_the_doctor(folder: Path) -> None:
    backend = open_vault(folder)
    with backend.changing(29) as records:
        records.put(Location.ISSUE, record("obs-1", agent="dev"))
    side = folder / SIDE / "records.json"
    side.write_text("{")
    assert "1773679871839" in _all(folder)
    with pytest.raises(Unreadable), backend.changing(0) as records:
        records.put(Location.ISSUE, record("obs-2", agent="dev", issueNumber=0))
    [fact] = [it for it in backend.examine([], "now") if it.moves]
    assert backend.files is not None
    for source, target in fact.moves:
        assert backend.files.move(source, target)
    with backend.changing(0) as records:
        records.put(Location.ISSUE, record("obs-2", agent="dev", issueNumber=0))
    assert "obs-2" in _all(folder)


@pytest.mark.parametrize(
    "path", ["../outside.md", "/tmp/outside.md", ".git/config", "a/../../b.md"]
)
def test_a_pending_change_of_others_files_is_refused(folder: Path, path: str) -> None:
    place = folder / SIDE / "pending/vault.json"
    place.parent.mkdir(parents=True)
    place.write_text(json.dumps({"files": {path: {"was": "", "is": "Theirs"}}}))
    before = {it: it.read_bytes() for it in folder.parent.rglob("*") if it.is_file()}
    problems = open_vault(folder).read(0).problems
    assert any("outside the vault" in it.message for it in problems)
    with pytest.raises(Unreadable), open_vault(folder).changing(0) as records:
        records.put(Location.ISSUE, record("obs-1", agent="dev", issueNumber=0))
    after = {it: it.read_bytes() for it in folder.parent.rglob("*") if it.is_file()}
    assert {it: text for it, text in after.items() if it in before} == before
    assert {it.name for it in after.keys() - before.keys()} <= {".lock", ".gitignore"}


# A vault's folder as it is listed, stamped, moved in and locked.


def _add(folder: Path, **keys: object) -> None:
    with open_vault(folder).changing(0) as records:
        records.put(Location.ISSUE, record("obs-1", agent="dev", issueNumber=0, **keys))


def test_neither_a_file_nor_a_linked_one_makes_a_vault(tmp_path: Path) -> None:
    (tmp_path / "i").touch()
    assert not is_vault(tmp_path / "i")
    linked = make_vault(tmp_path / "j", {"other.md": "<!-- id:1 -->\n"})
    (linked / "dev").mkdir()
    (linked / "dev/tasks.md").symlink_to(linked / "other.md")
    assert not is_vault(linked)


def test_a_lock_that_was_removed_writes_nothing(folder: Path) -> None:
    with pytest.raises(WriteFailed, match="was removed"), open_vault(folder).changing(0) as records:
        records.put(Location.ISSUE, record("obs-1", agent="dev", issueNumber=0))
        (folder / SIDE / ".lock").unlink()
    assert texts(folder) == FILES


def test_repairs_move_only_what_is_memtuis_own(folder: Path) -> None:
    side = folder / SIDE
    (side / "quarantine").mkdir(parents=True)
    (side / "records.json").write_text("{")
    aside = f"{SIDE}/quarantine/now-records.json"
    assert doctor.move(folder, f"{SIDE}/records.json", aside)
    assert not doctor.move(folder, f"{SIDE}/records.json", aside), "it was done already"
    (side / "records.json").write_text("{")
    with pytest.raises(Conflict, match="already exists"):
        doctor.move(folder, f"{SIDE}/records.json", aside)
    with pytest.raises(Conflict, match="is gone"):
        doctor.move(folder, f"{SIDE}/pending/vault.json", f"{SIDE}/quarantine/b")
    for source, target in (
        ("dev/lessons.md", aside),
        (f"{SIDE}/records.json", "dev/x.md"),
        ("../x.md", aside),
        (f"{SIDE}/quarantine/../../x", aside),
        (f"{SIDE}/quarantine/a/b", aside),
        (f"{SIDE}/activity.jsonl", aside),
        ("conversations/.x.json", aside),
    ):
        with pytest.raises(InvalidObservation):
            doctor.move(folder, source, target)
    make_vault(folder, {"dev.md": "x\n"})
    assert doctor.move(folder, "dev.md", "dev.md.bak")
    assert doctor.move(folder, "dev.md.bak", "dev.md")
    assert texts(folder)["dev.md"] == "x\n"


def test_a_conversation_is_cut_and_made_whole_again(folder: Path) -> None:
    whole, cut = f"{SIDE}/trash/now-a.json", f"{SIDE}/trash/now-a.json.new"
    make_vault(folder, {"conversations/a.json": "all", whole: "all", cut: "less"})
    place = folder / "conversations/a.json"
    assert doctor.move(folder, cut, "conversations/a.json")
    assert place.read_text() == "less"
    assert not doctor.move(folder, cut, "conversations/a.json")
    assert doctor.move(folder, "conversations/a.json", cut)
    assert place.read_text() == "all"
    place.write_text("mine")
    for pair in ((cut, "conversations/a.json"), ("conversations/a.json", cut)):
        with pytest.raises(Conflict, match="has changed since"):
            doctor.move(folder, *pair)
    (folder / cut).unlink()
    with pytest.raises(Conflict):
        doctor.move(folder, cut, "conversations/a.json")
    assert place.read_text() == "mine"


def test_the_doctor_names_what_can_not_be_read_and_what_was_left(folder: Path) -> None:
    (folder / "dev/lessons.md").write_bytes(b"\xff")
    _add(folder)
    left = folder / SIDE / f".records.json.{2**22 - 1}-ab12cd34.tmp"
    left.write_text("x")
    os.utime(left, (0, 0))
    facts = list(open_vault(folder).examine([], "now"))
    named = {fact.path: fact for fact in facts}
    assert named["dev/lessons.md"].moves == ()
    fact = named[f"{SIDE}/{left.name}"]
    ((source, target),) = fact.moves
    assert source == f"{SIDE}/{left.name}"
    assert open_vault(folder).move(source, target)
    assert not left.exists()
    assert (folder / target).read_text() == "x"


def _said(folder: Path, location: Location) -> dict[str, str]:
    """What the notes say that are named Plan, by their ids."""
    found = open_vault(folder).read(0).observations(location)
    return {it.id: it.content for it in found if "Plan" in it.content}


def test_a_note_takes_neither_place_nor_id_of_one_that_was_archived(folder: Path) -> None:
    with open_memory(folder, cache=folder.parent / "cache", clock=lambda: NOW) as memory:
        for number in range(3):
            make_vault(folder, {"notes/Plan.md": f"Plan {number}\n"})
            (now,) = _said(folder, Location.ISSUE)
            assert sorted(_said(folder, Location.ARCHIVE).values()) == [
                f"Plan {earlier}" for earlier in range(number)
            ]
            done = memory.apply(memory.plan.archive([now]))
            assert done.changed == 1
        archived = _said(folder, Location.ARCHIVE)
        assert sorted(archived.values()) == ["Plan 0", "Plan 1", "Plan 2"]
        memory.undo()
        assert list(_said(folder, Location.ISSUE).values()) == ["Plan 2"]
        for identifier, text in _said(folder, Location.ARCHIVE).items():
            memory.apply(memory.plan.restore([identifier]))
            assert _said(folder, Location.ISSUE)[identifier] == text
    said = {path.name: path.read_text() for path in folder.rglob("Plan*.md")}
    assert sorted(said) == ["Plan-2.md", "Plan-3.md", "Plan.md"]
    assert sorted(said.values()) == ["Plan 0\n", "Plan 1\n", "Plan 2\n"]


# Agents of one folder.


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


# A vault that is as it was is not read again, and any other is.


LONG_AGO = 1_700_000_000_000_000_000


@pytest.fixture
def aged(tmp_path: Path) -> Path:
    vault = make_vault(tmp_path / ".memory")
    _age(vault)
    return vault


def _age(vault: Path) -> None:
    for path in vault.rglob("*.md"):
        os.utime(path, ns=(LONG_AGO, LONG_AGO))


def _later(seconds: int = 10) -> mock._patch[object]:
    now = time.time_ns() + seconds * 1_000_000_000
    return mock.patch.object(time, "time_ns", lambda: now)


def _unread(aged: Path, known: Stamps) -> Stamps:
    """The stamps of now, found without a file being read."""
    with mock.patch.object(reader, "read_bytes", side_effect=AssertionError("read")):
        found = VaultBackend(aged).changes_since(known)
    assert not found.issues
    return found.stamps


def test_a_vault_that_is_as_it_was_is_not_read(aged: Path) -> None:
    with _later():
        known = VaultBackend(aged).changes_since({}).stamps
        assert _unread(aged, known) == known


def test_a_memory_behind_what_can_not_be_read_is_not_taken_for_gone(
    aged: Path, tmp_path: Path
) -> None:
    backend = VaultBackend(aged)
    with backend.changing(29) as records:
        records.put(Location.ISSUE, record("obs-1", agent="dev"))
    (aged / "dev/decisions.md").write_bytes(b"\xff")
    found = VaultBackend(aged).read(29).unread(Location.ISSUE)
    assert found is not None and found.path == "dev/decisions.md"
    assert VaultBackend(aged).read(29).unread(Location.ARCHIVE) is None


def test_what_could_not_be_read_once_is_read_by_the_next_look(aged: Path) -> None:
    backend = VaultBackend(aged)
    failed = Unreadable("dev/decisions.md can't be opened: Too many open files.")
    with _later():
        with mock.patch.object(reader, "read_bytes", side_effect=failed):
            assert "dev/decisions.md" in {it.path for it in backend.read(0).problems}
        read = backend.read(0)
    assert not read.problems
    assert read.find(Location.ISSUE, "1773679871839") is not None


def test_a_new_file_that_cant_be_read_is_told_by_an_open_memory(aged: Path, tmp_path: Path) -> None:
    with open_memory(aged, cache=tmp_path / "cache") as memory:
        memory.index.refresh()
        assert not memory.problems
        (aged / "dev/odd.md").write_bytes(b"\xff\xfe")
        memory.index.refresh()
        assert [it.path for it in memory.problems] == ["dev/odd.md"]


# What the sidecar adds to a vault's texts: read, written, and never taken for more than it is.


SAID = {"content": "Use locks", "tags": ["a"], "timestamp": "2026-03-01T12:00:00.000Z"}


@pytest.mark.parametrize(
    "data",
    ["", "{", "7", "[]", "{}", "null", '{"memories": 7}', '{"memories": {"a": 7}}',
     '{"memories": {"a": {"tags": 7}}}', '{"memories": []}'],
)  # fmt: skip
def test_one_that_is_damaged_is_said(data: str) -> None:
    with pytest.raises(Unreadable) as told:
        read_sidecar(data.encode())
    assert told.value.message == ".vault/memtui/records.json is damaged."
    assert told.value.hint == (
        "Run `memtui doctor --repair` to set it aside; no text is in it alone."
    )


def test_one_that_git_left_in_conflict_has_both_sides() -> None:
    ours: dict[str, dict[str, Any]] = {
        "a": {"tags": {"was": "[]", "is": ["x"]}},
        "b": {"pinned": {"was": "", "is": True}},
    }
    theirs: dict[str, Any] = {"a": {"tags": {"was": "[]", "is": ["x", "y"]}}, "c": {}}
    head, *mine, end, last = write_sidecar(ours).decode().splitlines()[1:]
    _, *others, _, _ = write_sidecar(theirs).decode().splitlines()[1:]
    text = ["{", head, mine[0], "<<<<<<< HEAD", *mine[1:], "=======", *others[1:], ">>>>>>> two"]
    assert read_sidecar("\n".join([*text, end, last]).encode()) == {**ours, **theirs}


def test_the_time_of_a_text_that_names_none_stays_as_it_was_kept() -> None:
    kept, other = "2027-03-01T12:00:00.000Z", "2028-03-01T12:00:00.000Z"
    for is_dated in (True, False):
        found = difference(SAID, {**SAID, "timestamp": kept}, is_dated=is_dated)
        again = completed({**SAID, "timestamp": other}, found, is_dated=is_dated)
        assert again["timestamp"] == (other if is_dated else kept)
