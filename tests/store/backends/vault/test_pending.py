"""A change to several files holds at once, and takes nothing from who edits one meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest

from store import open_memory
from store.backends import pending as changes
from store.backends.vault import pending
from store.backends.vault.backend import VaultBackend
from store.backends.vault.layout import SIDE
from store.backends.vault.pending import complete, make_changes
from store.model import Location, Observation
from store.platform import write
from store.platform.write import replace_several
from store.records import to_record
from tests.store.backends.vault.vaults import FILES, make_vault, open_vault, texts
from tests.store.factories import record

DECISIONS, NOTE = "dev/decisions.md", "notes/Lock rules.md"
ENTRY = "1773679871839"


def _add(folder: Path, identifier: str = "obs-1") -> None:
    with open_vault(folder).changing(29) as records:
        records.put(Location.ISSUE, record(identifier, agent="dev"))


def _move(folder: Path, identifier: str, source: Location, target: Location) -> None:
    with open_vault(folder).changing(0) as records:
        value = records.find(source, identifier)
        assert value is not None
        records.put(target, value)
        records.drop(source, identifier)


def _held(folder: Path) -> dict[str, Observation]:
    backend = open_vault(folder)
    places = [(backend.read(issue), place) for issue in backend.issues() for place in Location]
    return {it.id: it for records, place in places for it in records.observations(place)}


@contextmanager
def _broken_off(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What is changed holds, and is written to no file."""
    with monkeypatch.context() as patch:
        patch.setattr(pending, "_write", lambda *_: None)
        yield


@contextmanager
def _edited_meanwhile(
    monkeypatch: pytest.MonkeyPatch, edit: Callable[[], object]
) -> Iterator[None]:
    """Somebody edits once, when a change holds and no file is written yet."""
    edits = [edit]

    def replace(changes: Mapping[Path, bytes | None], *rest: object) -> None:
        if edits:
            edits.pop()()
        replace_several(changes, *rest)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(changes, "replace_several", replace)
        yield
    assert not edits


def _is_pending(folder: Path) -> bool:
    return (folder / SIDE / "pending/vault.json").exists()


def _go_on(folder: Path) -> None:
    with open_vault(folder).locked():
        pass


def test_looking_reads_what_broke_off_and_writes_nothing(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with _broken_off(monkeypatch):
        _add(folder)
    before = {it: it.read_bytes() for it in folder.rglob("*") if it.is_file()}
    with open_memory(folder, cache=tmp_path / "cache") as memory:
        assert [hit.entry.id for hit in memory.search("issue:29").hits] == ["obs-1"]
        assert memory.stats().total_observations == len(_held(folder))
    assert {it: it.read_bytes() for it in folder.rglob("*") if it.is_file()} == before
    assert texts(folder) == FILES and _is_pending(folder)


@pytest.mark.parametrize("while_written", [True, False])
def test_a_text_that_moves_stands_somewhere_whatever_is_edited(
    folder: Path, monkeypatch: pytest.MonkeyPatch, while_written: bool
) -> None:
    _move(folder, ENTRY, Location.ISSUE, Location.ARCHIVE)
    place = folder / DECISIONS

    def edit() -> None:
        place.write_text(f"Mine, first.\n\n{place.read_text()}")

    if while_written:
        with _edited_meanwhile(monkeypatch, edit):
            _move(folder, ENTRY, Location.ARCHIVE, Location.ISSUE)
    else:
        with _broken_off(monkeypatch):
            _move(folder, ENTRY, Location.ARCHIVE, Location.ISSUE)
        edit()
    assert "We decided to use SSE" in _held(folder)[ENTRY].content
    _go_on(folder)
    text = place.read_text()
    assert text.startswith("Mine, first.\n\n") and text.count("We decided to use SSE") == 1
    assert text.count("We chose plain files.") == 1


def test_a_note_that_was_edited_stays_and_the_other_text_stands_beside_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = next(it for it in _held(folder).values() if it.summary == "Lock rules")
    with (
        _edited_meanwhile(monkeypatch, lambda: (folder / NOTE).write_text("Mine\n")),
        open_vault(folder).changing(0) as records,
    ):
        records.put(Location.ISSUE, to_record(note._replace(content="Another", pinned=True)))
    after = texts(folder)
    assert after[NOTE] == "Mine\n"
    assert after["notes/Lock rules-2.md"].endswith("\nAnother\n")


def test_what_is_edited_right_before_it_is_replaced_stays(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, told, write_new = folder / DECISIONS, _held(folder)[ENTRY], write._write_new
    edits = ["Mine, first.\n\n"]

    def edited(*given: object, **options: object) -> None:
        write_new(*given, **options)  # type: ignore[arg-type]
        if edits:
            place.write_text(edits.pop() + place.read_text())

    backend = open_vault(folder)
    with monkeypatch.context() as patch, backend.changing(0) as records:
        records.put(Location.ISSUE, to_record(told._replace(tags=("other",))))
        patch.setattr(write, "_write_new", edited)
    assert place.read_text().startswith("Mine, first.\n\n")
    assert _held(folder)[ENTRY].tags == ("other",)
    assert place.read_text().count("We decided to use SSE") == 1


@pytest.mark.parametrize("seed", range(4))
def test_no_text_is_lost_whoever_edits_what_broke_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    for name in ("sync_file", "sync_folder"):
        monkeypatch.setattr(f"store.platform.write.{name}", lambda *_: None)
    random = Random(seed)
    folder = make_vault(tmp_path / ".memory")
    archived = random.sample(sorted(_held(folder)), 3)
    for identifier in archived:
        _move(folder, identifier, Location.ISSUE, Location.ARCHIVE)
    said = {it.content for it in _held(folder).values()}
    with _broken_off(monkeypatch), open_vault(folder).changing(0) as records:
        for identifier in archived:
            value = records.find(Location.ARCHIVE, identifier)
            if value is not None and random.random() < 0.7:
                records.put(Location.ISSUE, value)
                records.drop(Location.ARCHIVE, identifier)
        rest = [it.id for it in records.observations(Location.ISSUE)]
        for identifier in random.sample(rest, 2):
            if (value := records.find(Location.ISSUE, identifier)) is not None:
                records.put(Location.ARCHIVE, value)
                records.drop(Location.ISSUE, identifier)
    for number in range(random.randrange(1, 6)):
        place = folder / random.choice(sorted(texts(folder)))
        mine, text = f"Mine {number}", place.read_text()
        place.write_text(random.choice([f"{mine}\n\n{text}", f"{text}\n{mine}\n"]))
        said.add(mine)
    _go_on(folder)
    assert not _is_pending(folder)
    whole = "\n".join(path.read_text() for path in folder.rglob("*.md"))
    assert [it for it in said if it not in whole] == []


ARCHIVE = ".vault/archive"
PATH = "dev/lessons.md"


def _entry(key: int, said: str) -> str:
    return f"<!-- id:{key} -->\n## 2026-03-16T16:51\n\n{said}\n\n---\n"


def _said(backend: VaultBackend) -> set[str]:
    return {it.content for it in backend.read(0).observations()}


def test_of_a_file_that_was_removed_meanwhile_only_what_was_edited_comes_back(
    tmp_path: Path,
) -> None:
    files = {PATH: f"{_entry(200, 'Two')}\n{_entry(100, 'One')}"}
    folder = make_vault(tmp_path / ".memory", files)
    with open_vault(folder).changing(0) as records:
        value = records.find(Location.ISSUE, "100")
        assert value is not None
        said = {"content": "Uno", "summary": "Uno", "tokens": 1}
        records.put(Location.ISSUE, {**value, **said})
        (folder / PATH).unlink()
    assert (folder / PATH).read_text() == _entry(100, "Uno")
    assert _said(open_vault(folder)) == {"Uno"}


def test_what_is_put_into_a_file_that_appeared_meanwhile_stands_beside_what_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(pending, "_write", lambda *_: None)
        make_changes(tmp_path, {PATH: _entry(200, "Ours").encode()})
    make_vault(tmp_path, {PATH: _entry(300, "Theirs")})
    complete(tmp_path)
    text = (tmp_path / PATH).read_text()
    assert text.split() == f"{_entry(300, 'Theirs')}{_entry(200, 'Ours')}".split()


def test_a_memory_behind_an_archive_that_cannot_be_read_shares_its_key_with_no_other(
    tmp_path: Path,
) -> None:
    folder = make_vault(tmp_path / ".memory", {"_project.md": ""})
    with open_vault(folder).changing(29) as records:
        records.put(Location.ARCHIVE, record("a", agent="dev"))
    away = (folder / ARCHIVE).rename(tmp_path / "archive")
    with open_vault(folder).changing(29) as records:
        records.put(Location.ISSUE, record("b", agent="dev"))
    away.rename(folder / ARCHIVE)
    read = open_vault(folder).read(29)
    keys = [
        line
        for path in folder.rglob("decisions.md")
        for line in path.read_text().splitlines()
        if line.startswith("<!-- id:")
    ]
    assert len(set(keys)) == len(keys) == 2
    assert [it.id for it in read.observations(Location.ARCHIVE)] == ["a"]
