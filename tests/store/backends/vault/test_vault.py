"""A vault is opened as it is; what people write in it survives word for word."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from store.backends import open_backend
from store.backends.protocol import Backend
from store.backends.vault.layout import SIDE, is_vault
from store.errors import Unreadable, WriteFailed
from store.model import Location, Observation
from store.records import to_record
from tests.store.backends.vault.vaults import FILES, edit_by_hand, make_vault, texts
from tests.store.factories import NOW, record


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_vault(tmp_path / ".memory")


def _open(folder: Path) -> Backend:
    return open_backend(folder, lambda: NOW)


def _all(folder: Path, location: Location = Location.ISSUE) -> dict[str, Observation]:
    backend = _open(folder)
    found = (it for issue in backend.issues() for it in backend.read(issue).observations(location))
    return {it.id: it for it in found}


def test_looking_writes_nothing(folder: Path) -> None:
    _all(folder)
    assert not (folder / ".vault").exists()
    assert texts(folder) == FILES


@pytest.mark.parametrize("before", ["\ufeff", "\n", "\ufeff\r\n \t\n"])
def test_a_file_that_says_nothing_any_more_is_removed(tmp_path: Path, before: str) -> None:
    folder = make_vault(tmp_path / ".memory", {"dev/lessons.md": f"{before}Written by hand.\n"})
    backend, (identifier,) = _open(folder), _all(folder)
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
        backend = _open(folder)
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
    read = _open(folder).read(0)
    assert {problem.path for problem in read.problems} == {"notes/linked.md", "elsewhere"}
    assert "secret" not in {it.content for it in read.observations()}
    (folder / "dev/errors.md").symlink_to(outside)
    with pytest.raises((Unreadable, WriteFailed)), _open(folder).changing(0) as records:
        records.put(Location.ISSUE, record("obs-1", agent="dev", category="error", issueNumber=0))
    assert outside.read_text() == "secret"


@pytest.mark.parametrize(
    "agent", ["../../x", "/etc", ".vault", "a/b", "CON", "", "ü" * 300, "a\0b"]
)
def test_an_agent_is_never_a_path(folder: Path, agent: str, tmp_path: Path) -> None:
    with _open(folder).changing(0) as records:
        value = record("obs-1", agent=agent or "x", category="../decision", issueNumber=0)
        records.put(Location.ISSUE, value)
    assert [path.name for path in tmp_path.iterdir()] == [".memory"]
    found = _open(folder).read(0).find(Location.ISSUE, "obs-1")
    assert found == value


def test_what_cannot_be_read_is_named_and_never_written_over(folder: Path) -> None:
    place = folder / "dev/decisions.md"
    place.write_bytes(b"\xff\xfe\x00bad")
    backend = _open(folder)
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
        backend = _open(folder)
        with (
            pytest.raises(Unreadable, match=r"can't be listed: Permission denied"),
            backend.changing(0) as records,
        ):
            records.put(Location.ISSUE, record("a", agent="dev", category="decision"))
    assert texts(folder) == before


def test_a_damaged_sidecar_waits_for_the_doctor(folder: Path) -> None:
    backend = _open(folder)
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
    problems = _open(folder).read(0).problems
    assert any("outside the vault" in it.message for it in problems)
    with pytest.raises(Unreadable), _open(folder).changing(0) as records:
        records.put(Location.ISSUE, record("obs-1", agent="dev", issueNumber=0))
    after = {it: it.read_bytes() for it in folder.parent.rglob("*") if it.is_file()}
    assert {it: text for it, text in after.items() if it in before} == before
    assert {it.name for it in after.keys() - before.keys()} <= {".lock", ".gitignore"}
