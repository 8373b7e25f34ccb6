"""A vault's folder as it is listed, stamped, moved in and locked."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from store import open_memory
from store.backends.vault import doctor
from store.backends.vault.backend import VaultBackend
from store.backends.vault.layout import SIDE, is_vault
from store.errors import Conflict, InvalidObservation, WriteFailed
from store.model import Location
from tests.store.backends.vault.vaults import FILES, make_vault, texts
from tests.store.factories import NOW, observation, record


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_vault(tmp_path / ".memory")


def _open(folder: Path) -> VaultBackend:
    return VaultBackend(folder, lambda: NOW)


def _add(folder: Path, **keys: object) -> None:
    with _open(folder).changing(0) as records:
        records.put(Location.ISSUE, record("obs-1", agent="dev", issueNumber=0, **keys))


def test_neither_a_file_nor_a_linked_one_makes_a_vault(tmp_path: Path) -> None:
    (tmp_path / "i").touch()
    assert not is_vault(tmp_path / "i")
    linked = make_vault(tmp_path / "j", {"other.md": "<!-- id:1 -->\n"})
    (linked / "dev").mkdir()
    (linked / "dev/tasks.md").symlink_to(linked / "other.md")
    assert not is_vault(linked)


def test_a_lock_that_was_removed_writes_nothing(folder: Path) -> None:
    with pytest.raises(WriteFailed, match="was removed"), _open(folder).changing(0) as records:
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
    facts = list(_open(folder).examine([], "now"))
    named = {fact.path: fact for fact in facts}
    assert named["dev/lessons.md"].moves == ()
    fact = named[f"{SIDE}/{left.name}"]
    ((source, target),) = fact.moves
    assert source == f"{SIDE}/{left.name}"
    assert _open(folder).move(source, target)
    assert not left.exists()
    assert (folder / target).read_text() == "x"


def _said(folder: Path, location: Location) -> dict[str, str]:
    """What the notes say that are named Plan, by their ids."""
    found = _open(folder).read(0).observations(location)
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


def test_no_file_for_git_is_put_among_notes_of_obsidian(tmp_path: Path) -> None:
    folder = make_vault(tmp_path / "notes", {".obsidian/app.json": "{}", "A.md": "A note\n"})
    _add(folder)
    assert not (folder / ".gitignore").exists()


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
