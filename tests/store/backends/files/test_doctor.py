"""What the doctor finds in a folder of files, and what it may move."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from store.backends.files import doctor
from store.backends.files.doctor import folder_facts, issue_facts, leftovers, manifest_facts, move
from store.backends.files.issue_reader import read_issue
from store.backends.files.layout import LAYOUT, MANIFEST, archive_name, issue_name, recovered_name
from store.errors import Conflict, InvalidObservation, Unreadable
from store.model import Layout
from tests.store.factories import Store, make_store, observation, record, write_issue

GONE = 2**22 - 1
"""The number of a process that is not there."""


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = make_store(tmp_path)
    store.store([observation("One"), observation("Two")])
    store.settle([29])
    return store


def _kinds(store: Store, ids: list[str]) -> list[str]:
    return [fact.notice.kind for fact in manifest_facts(store.folder, ids)]


def test_how_a_manifest_is_out_of_step(store: Store) -> None:
    path, ids = store.folder / MANIFEST, ["obs-1", "obs-2"]
    assert _kinds(store, ids) == []
    assert _kinds(store, ["obs-1"]) == ["manifest-behind"]
    assert _kinds(store, ["obs-1", "obs-3"]) == ["manifest-differs"]
    assert _kinds(store, ["obs-1", "obs-1"]) == ["manifest-behind"]
    assert [dict(it.notice.values) for it in manifest_facts(store.folder, ())] == [
        {"file": MANIFEST, "listed": 2, "held": 0}
    ]
    text = path.read_text()
    path.write_text(text.replace('"summary":"One"', '"summary":"Two"').replace("One", "Uno"))
    assert _kinds(store, ids) == ["manifest-altered"]
    path.write_text("{")
    assert _kinds(store, ids) == ["manifest-unreadable"]
    path.unlink()
    assert _kinds(store, ids) == ["manifest-missing"]
    assert _kinds(store, []) == []


@pytest.mark.parametrize(
    "place", ["", "archive/", "activity/", "pending/", "issue-7/", "archive/issue-7/"]
)
def test_what_was_left_behind_is_found_wherever_it_is_written(store: Store, place: str) -> None:
    folder = store.folder
    (folder / place).mkdir(parents=True, exist_ok=True)
    names = [f"{place}issue-29.json.lock", f"{place}.issue-29.json.{GONE}-ab12cd34.tmp"]
    for name in names:
        (folder / name).write_text(json.dumps({"pid": GONE, "memtui": 1, "started": "x"}))
    found = {fact.path: fact for fact in leftovers(folder, "now")}
    assert found.keys() == set(names)
    kinds = [found[name].kind for name in names]
    assert kinds == ["orphaned-lock", "temporary-file"]
    for name in names:
        ((source, target),) = found[name].moves
        assert (source, target) == (name, f"quarantine/now-{Path(name).name.lstrip('.')}")
        assert move(folder, source, target)
    assert list(leftovers(folder, "now")) == []


def test_what_is_in_use_was_not_left(store: Store) -> None:
    folder = store.folder
    mine = folder / f".issue-29.json.{os.getpid()}-ab12cd34.tmp"
    mine.write_text("")
    (folder / "issue-29.json.lock").write_text(json.dumps({"agent": "other"}))
    assert list(leftovers(folder, "now")) == []
    os.utime(mine, (0, 0))
    assert [fact.path for fact in leftovers(folder, "now")] == [mine.name]
    left = folder / f".issue-30.json.{GONE}-ab12cd34.tmp"
    left.write_text("")
    with store.locked():
        assert left.name not in [fact.path for fact in leftovers(folder, "now")]
    assert left.name in [fact.path for fact in leftovers(folder, "now")]


def test_who_may_write_here(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def kinds() -> list[tuple[str, str]]:
        return [(fact.kind, fact.notice.kind) for fact in folder_facts(store.folder)]

    store.folder.chmod(0o755)
    assert kinds() == []
    store.folder.chmod(0o757)
    assert kinds() == [("world-writable", "world-writable")]
    store.folder.chmod(0o755)
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert kinds() == [("read-only", "no-permission")]
    monkeypatch.setattr(doctor, "_is_read_only", lambda _: True)
    assert kinds() == [("read-only", "read-only-disk")]
    assert list(folder_facts(store.folder / "gone")) == []


def test_a_move_is_made_once_and_takes_no_place(store: Store) -> None:
    folder, aside = store.folder, "quarantine/now-issue-29.json"
    assert move(folder, "issue-29.json", aside)
    assert not move(folder, "issue-29.json", aside)
    write_issue(folder, 29, record("a"))
    with pytest.raises(Conflict, match="already exists"):
        move(folder, "issue-29.json", aside)
    with pytest.raises(Conflict, match="it is gone"):
        move(folder, "issue-30.json", "quarantine/now-issue-30.json")
    for source, target in (("../x", aside), ("issue-29.json", "/tmp/x"), (".git/x", aside)):
        with pytest.raises((InvalidObservation, Unreadable)):
            move(folder, source, target)


OWN, RECOVERED, ARCHIVE = issue_name(29), recovered_name(29), archive_name(29)
BROKEN = "{"
LEFT, EACH = "issue-29/k9.json", json.dumps({"layout": Layout.EACH})


def _issue(*records: object) -> str:
    return json.dumps({"version": 1, "issueNumber": 29, "observations": records})


ONE, TWO = _issue(record("k1", content="Ours")), _issue(record("k2"))
ALONE = json.dumps(record("k9"))


@pytest.mark.parametrize(
    ("files", "facts"),
    [
        ({OWN: ONE}, []),
        ({}, []),
        ({RECOVERED: ONE}, []),
        ({OWN: BROKEN}, [("unreadable-file", OWN, [OWN], "")]),
        ({OWN: BROKEN, RECOVERED: ONE}, [("unreadable-file", OWN, [OWN, RECOVERED], "")]),
        (
            {OWN: ONE, RECOVERED: _issue(record("k1"), record("k2"), 7, {})},
            [("recovered-file", RECOVERED, [RECOVERED], "k2")],
        ),
        (
            {OWN: BROKEN, RECOVERED: "["},
            [("unreadable-file", OWN, [OWN], ""), ("unreadable-file", RECOVERED, [RECOVERED], "")],
        ),
        (
            {OWN: ONE, RECOVERED: TWO, ARCHIVE: BROKEN},
            [
                ("unreadable-file", ARCHIVE, [ARCHIVE], ""),
                ("recovered-file", RECOVERED, [RECOVERED], "k2"),
            ],
        ),
        (
            {OWN: BROKEN, RECOVERED: TWO, ARCHIVE: BROKEN},
            [
                ("unreadable-file", ARCHIVE, [ARCHIVE], ""),
                ("unreadable-file", OWN, [OWN, RECOVERED], ""),
            ],
        ),
        ({OWN: ONE, LEFT: ALONE}, [("layout", "issue-29", [], "")]),
        ({LAYOUT: EACH, OWN: ONE, LEFT: ALONE}, [("layout", OWN, [], "")]),
        (
            {LEFT: BROKEN, "issue-29/k8.json": ALONE},
            [("unreadable-file", LEFT, [LEFT], ""), ("layout", "issue-29", [], "")],
        ),
    ],
)
def test_what_is_found_of_an_issue(
    tmp_path: Path, files: dict[str, str], facts: list[tuple[str, str, list[str], str]]
) -> None:
    """Kind and part of each fact, what its repair moves, and what it adopts."""
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    found = list(issue_facts(read_issue(tmp_path, 29), "now"))
    told = [(it.kind, it.path, [old for old, _ in it.moves], "".join(it.adopt)) for it in found]
    assert told == facts
    for fact in found:
        moves = dict(fact.moves)
        assert moves.get(RECOVERED) in (None, OWN, f"quarantine/now-{RECOVERED}")
        assert (OWN in moves.values()) is (len(moves) == 2)
        assert (fact.repair is None) is (not moves)
