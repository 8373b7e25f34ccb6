"""A vault's folder as it is listed, stamped, moved in and locked."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

from store import open_memory
from store.backends import open_backend
from store.backends.files.locks import StoreLock
from store.backends.vault import doctor, reader
from store.backends.vault.backend import VaultBackend
from store.backends.vault.layout import SIDE, is_vault
from store.backends.vault.listing import list_vault
from store.backends.vault.reader import read_vault
from store.errors import Conflict, InvalidObservation, Unreadable, WriteFailed
from store.model import Location
from tests.store.backends.vault.vaults import FILES, make_vault, texts
from tests.store.factories import NOW, record

SECOND = 1_000_000_000


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_vault(tmp_path / ".memory")


def _open(folder: Path) -> VaultBackend:
    return VaultBackend(folder, lambda: NOW)


def _add(folder: Path, **keys: object) -> None:
    with _open(folder).changing(0) as records:
        records.put(Location.ISSUE, record("obs-1", agent="dev", issueNumber=0, **keys))


def test_only_markdown_of_people_is_listed(folder: Path) -> None:
    others = ("conversations/a.md", "node_modules/b.md", ".obsidian/c.md", "dev/.d.md", "dev/e.txt")
    make_vault(folder, dict.fromkeys(others, "x\n"))
    make_vault(folder, {"dev/conversations/f.md": "x\n", ".vault/archive/dev/g.md": "x\n"})
    found = list_vault(folder).stamps
    assert found.keys() == {*FILES, "dev/conversations/f.md", ".vault/archive/dev/g.md"}
    path = folder / "dev/lessons.md"
    info = path.stat()
    stamp = (info.st_size, info.st_mtime_ns, info.st_ctime_ns, info.st_ino)
    assert tuple(found["dev/lessons.md"]) == stamp
    backend = _open(folder)
    backend.release()
    sizes = sum((folder / name).stat().st_size for name in found)
    assert backend.size() == sizes


def test_what_is_read_again_is_only_what_changed(folder: Path) -> None:
    for path in folder.rglob("*.md"):
        os.utime(path, ns=(SECOND + 1, SECOND + 1))
    time.sleep(0.06)  # so that the time of the change of their times is past
    before = read_vault(folder)
    assert read_vault(folder, before) is before
    (folder / "note.md").write_text("new\n")
    after = read_vault(folder, before)
    assert after is not before
    assert after.files["dev/lessons.md"] is before.files["dev/lessons.md"]
    assert not after.is_settled
    (folder / "note.md").unlink()
    assert "note.md" not in read_vault(folder, after).files


def test_a_file_that_was_fresh_is_read_again_though_its_stamp_is_the_same(folder: Path) -> None:
    """What was written twice within a tick of the disk's clock has one stamp."""
    before = read_vault(folder)
    path = "dev/lessons.md"
    held = before.files[path]
    assert not held.is_settled
    before.files[path] = held._replace(text="as it was before the tick was over")
    for is_settled in (False, True):
        before.files[path] = before.files[path]._replace(is_settled=is_settled)
        after = read_vault(folder, before).files[path]
        assert (after is before.files[path]) is is_settled
        assert (after.text == held.text) is not is_settled


def test_a_stamp_of_all_files_is_only_of_what_was_read_whole(folder: Path) -> None:
    assert read_vault(folder).stamp([0]) == "", "a fresh file may change again"
    time.sleep(0.06)  # so that no file is fresh
    vault = read_vault(folder)
    known = vault.stamp([0])
    assert known and known != vault.stamp([0, 1])
    vault.hide("dev/lessons.md", "can't be read")
    assert vault.stamp([0]) == ""


def test_a_stamp_holds_as_long_as_no_file_differs(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    time.sleep(0.06)  # so that no file is fresh
    known = _open(folder).changes_since({}).stamps
    with monkeypatch.context() as patched:
        patched.setattr(reader, "read_bytes", None)
        assert _open(folder).changes_since(known) == (frozenset(), known, {})
    (folder / "note.md").write_text("x")
    assert _open(folder).changes_since(known).issues == {0}
    (folder / "note.md").unlink()
    (folder / "dev/lessons.md").unlink()
    assert _open(folder).changes_since(known).issues == {0}
    assert _open(folder).changes_since({0: known[0], 1: "a/y"}).issues == {0, 1}


def test_neither_a_file_nor_a_linked_one_makes_a_vault(tmp_path: Path) -> None:
    (tmp_path / "i").touch()
    assert not is_vault(tmp_path / "i")
    linked = make_vault(tmp_path / "j", {"other.md": "<!-- id:1 -->\n"})
    (linked / "dev").mkdir()
    (linked / "dev/tasks.md").symlink_to(linked / "other.md")
    assert not is_vault(linked)


def test_who_changes_or_locks_it_holds_the_gate(folder: Path) -> None:
    backend = _open(folder)
    for hold in (backend.locked, lambda: backend.changing(0)):
        with hold():
            assert StoreLock(folder / SIDE).is_held()
    assert not StoreLock(folder / SIDE).is_held()


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


def test_what_can_not_be_read_is_said_and_is_no_gone_memory(folder: Path) -> None:
    backend = open_backend(folder, lambda: NOW)
    before = backend.changes_since({}).stamps
    (folder / "dev/lessons.md").write_bytes(b"\xff")
    found = backend.changes_since(before)
    assert found.issues == {0}
    assert [it.path for it in backend.read(0).problems] == ["dev/lessons.md"]
    assert backend.read(1).problems == []
    with pytest.raises(Unreadable):
        reader.read_file(folder, "dev")


@pytest.mark.parametrize("root_ignore", [None, "mine.txt\n"])
def test_git_leaves_out_what_nobody_wrote_for_a_team(
    tmp_path: Path, root_ignore: str | None
) -> None:
    """The last rows of the document's table of what to version."""
    folder = make_vault(tmp_path / ".memory", {"_project.md": "# Shop\n"})
    unshared = (
        "conversations/dev.json",
        ".vault/index.json",
        ".vault/compact-log.json",
        ".vault/processed-conversations.json",
        ".vault/checkpoints/dev.json",
    )
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    if root_ignore is not None:
        (folder / ".gitignore").write_text(root_ignore)
        make_vault(folder, dict.fromkeys(unshared, "{}"))
    _add(folder)
    make_vault(folder, dict.fromkeys(unshared, "{}"))
    listed = ("ls-files", "--others", "--exclude-standard")
    found = subprocess.run(
        ["git", "-C", folder, *listed], check=True, capture_output=True, text=True
    ).stdout.split()
    assert not set(found) & set(unshared)
    assert {"_project.md", "dev/decisions.md", ".vault/memtui/records.json"} <= set(found)
    assert (folder / ".gitignore").read_text().startswith(root_ignore or "conversations/\n")


def test_no_file_for_git_is_put_among_notes_of_obsidian(tmp_path: Path) -> None:
    folder = make_vault(tmp_path / "notes", {".obsidian/app.json": "{}", "A.md": "A note\n"})
    _add(folder)
    assert not (folder / ".gitignore").exists()
