"""The index, what it has seen, and the folder it lies in."""

from __future__ import annotations

import errno
import json
import os
import random
import shutil
import stat
import subprocess
import sys
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tantivy import Index

from store import Memory
from store.backends.files.backend import FilesBackend
from store.backends.location import FOLDER
from store.search import derived_index
from store.search.derived_index import DerivedIndex, load_seen
from store.search.folder import guarded, held, index_name, make_files_private, opened
from store.search.index import BUSY, LAGS, SearchIndex
from store.search.query import parse_query
from store.search.reader import IndexReader
from store.search.seen import Changes, Seen
from store.search.trouble import reason_of
from tests.store.factories import (
    NOW,
    Store,
    append_activity,
    make_memory,
    make_store,
    observation,
    record,
    write_issue,
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A memory of three observations in two issues."""
    write_issue(tmp_path / FOLDER, 29, record("a", content="One lock"), record("b", content="Two"))
    write_issue(tmp_path / FOLDER, 30, record("c", content="Three lock"))
    return tmp_path / FOLDER


@pytest.fixture
def memory(folder: Path, tmp_path: Path) -> Memory:
    return make_memory(tmp_path)


def _ids(memory: Memory, query: str = "sort:oldest", *, fresh: bool = True) -> list[str]:
    return sorted(hit.entry.id for hit in memory.search(query, fresh=fresh).hits)


def _index_folder(root: Path) -> Path:
    return root / "cache" / index_name(FilesBackend(root / FOLDER).identity)


def _recall(folder: Path, identifier: str, day: int) -> None:
    append_activity(
        folder,
        {
            "type": "recalled",
            "timestamp": f"2026-03-{day:02}T00:00:00.000Z",
            "observationIds": [identifier],
        },
    )


# -- what happens to the files -------------------------------------------------------------------


def test_an_edit_in_place_of_the_same_size_is_seen(memory: Memory, folder: Path) -> None:
    assert _ids(memory, "lock ") == ["a", "c"]
    path = folder / "issue-29.json"
    before = path.stat()
    path.write_bytes(path.read_bytes().replace(b"One lock", b"One duck"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert _ids(memory, "duck ") == ["a"]


def test_what_can_not_be_read_is_a_problem_until_it_is_mended(memory: Memory, folder: Path) -> None:
    write_issue(folder, 29, record("a"), record("odd", timestamp="soon"))
    (folder / "issue-30.json").write_text("<<<<<<<")
    assert _ids(memory) == ["a"]
    assert [problem.path for problem in memory.state().problems] == [
        "issue-29.json",
        "issue-30.json",
    ]
    again = make_memory(folder.parents[1])
    assert len(again.state().problems) == 2
    write_issue(folder, 29, record("a"))
    (folder / "issue-30.json").unlink()
    assert _ids(again) == ["a"]
    assert again.state().problems == ()


def test_what_changes_takes_nothing_else_with_it(tmp_path: Path) -> None:
    """Documents are deleted by their ids: not those of another issue, nor a twin for good."""
    memory = make_memory(tmp_path)
    folder = tmp_path / FOLDER

    def said(identifier: str, words: str) -> dict[str, Any]:
        return record(identifier, content=words, summary=words)

    def found() -> list[str]:
        return sorted(hit.entry.summary for hit in memory.search("").hits)

    lone, replacement = "\ud800", "\ufffd"
    write_issue(folder, 30, said("twin", "Elsewhere"))
    before = [said("twin", "First"), said("twin", "Second"), said(lone, "Lone"), said("x", "Gone")]
    write_issue(folder, 29, *before)
    assert found() == ["Elsewhere", "First", "Gone", "Lone", "Second"]

    after = [said("twin", "Edited"), before[1], before[2], said(replacement, "Its replacement")]
    write_issue(folder, 29, *after)
    assert found() == ["Edited", "Elsewhere", "Its replacement", "Lone", "Second"]

    write_issue(folder, 29, before[1], before[2])
    assert found() == ["Elsewhere", "Lone", "Second"]


# -- other programs ------------------------------------------------------------------------------


def test_last_commit_during_an_update(memory: Memory, tmp_path: Path, folder: Path) -> None:
    assert memory.search().notice is None
    write_issue(folder, 7, record("e"))
    index = SearchIndex(FilesBackend(folder), tmp_path / "cache")
    index.catch_up()
    write_issue(folder, 8, record("f"))
    with held(_index_folder(tmp_path), 0.0):
        index.catch_up(wait=0.01)
    assert [index.notice] == [BUSY]
    assert index.searcher.num_docs == 4
    index.catch_up()
    assert [index.notice] == [None]
    assert index.searcher.num_docs == 5


@pytest.mark.parametrize("reading", ["opened", "looked at again"])
def test_read_during_commit(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reading: str
) -> None:
    theirs, mine = (SearchIndex(FilesBackend(folder), tmp_path / "cache") for _ in range(2))
    theirs.catch_up()
    busy = ExitStack()

    def read(*given: Any) -> object:  # noqa: ANN401 - passed on as they are
        found = load_seen(*given)
        monkeypatch.setattr(derived_index, "load_seen", load_seen)
        busy.close()
        _recall(folder, "a", 1)
        theirs.catch_up(recount=True)
        return found

    if reading == "looked at again":
        mine.open()
        write_issue(folder, 7, record("e"))
        theirs.catch_up()
        busy.enter_context(held(_index_folder(tmp_path), 0.0))
    monkeypatch.setattr(derived_index, "load_seen", read)
    mine.catch_up(wait=0.01) if reading == "looked at again" else mine.open()
    write_issue(folder, 8, record("f"))
    with held(_index_folder(tmp_path), 0.0):
        mine.catch_up(wait=0.01)
    assert mine.searcher.num_docs == theirs.searcher.num_docs
    assert mine.tail == theirs.tail == {}, "what is counted in already would count twice"


# -- what happens to the index -------------------------------------------------------------------


def test_it_is_found_again_and_not_built_again(folder: Path, tmp_path: Path) -> None:
    with make_memory(tmp_path) as first:
        assert _ids(first) == ["a", "b", "c"]
    told: list[tuple[int, int]] = []
    again = SearchIndex(FilesBackend(folder), tmp_path / "cache")
    again.catch_up(lambda done, of: told.append((done, of)))
    assert told == []
    assert again.searcher.num_docs == 3


def test_one_thrown_away_while_it_is_used_comes_back(memory: Memory, tmp_path: Path) -> None:
    assert _ids(memory) == ["a", "b", "c"]
    shutil.rmtree(tmp_path / "cache")
    write_issue(memory.path, 7, record("e"))
    assert _ids(memory) == ["a", "b", "c", "e"]
    assert _ids(make_memory(tmp_path)) == ["a", "b", "c", "e"]


@pytest.mark.parametrize(
    "change",
    [{"identity": {"store": "another", "version": 1}}, {"identity": None}, {"stamps": None}],
)
def test_foreign_or_older_index(folder: Path, tmp_path: Path, change: dict[str, object]) -> None:
    _ids(make_memory(tmp_path))
    seen = _index_folder(tmp_path) / "seen.json"
    seen.write_text(json.dumps({**json.loads(seen.read_text()), **change}))
    (_index_folder(tmp_path) / "strange").mkdir()
    index = SearchIndex(FilesBackend(folder), tmp_path / "cache")
    told: list[tuple[int, int]] = []
    index.catch_up(lambda done, of: told.append((done, of)))
    assert told
    assert index.folder is not None
    assert index.searcher.num_docs == 3
    assert not (_index_folder(tmp_path) / "strange").exists()


@pytest.mark.parametrize("ending", [".store", ".idx", ".term", ".fast"])
def test_damage_found_by_a_question(folder: Path, tmp_path: Path, ending: str) -> None:
    with make_memory(tmp_path) as memory:
        expected = memory.search("lock")
    for path in _index_folder(tmp_path).glob(f"*{ending}"):
        data = path.read_bytes()
        path.write_bytes(bytes(255 - byte for byte in data[:60]) + data[60:])
    with make_memory(tmp_path) as memory:
        assert memory.search("lock").total == expected.total
        assert memory.get("b").content == "Two"
        assert memory.search_ids("Two") == ["b"]
        assert memory.state().total == memory.stats().total_observations == 3


_TEXTS = [f"Decision {at}: the lock of store {at} waits {at + 3} seconds." for at in range(40)]


@pytest.mark.parametrize("is_noticed", [True, False])
def test_flipped_bits(tmp_path: Path, is_noticed: bool) -> None:
    """Also where the file's times tell nothing of it, what is shown is as it was written."""
    with make_memory(tmp_path) as memory:
        memory.store([observation(text) for text in _TEXTS])
        memory.index.settle()
        held = {one.id: one.content for one in memory.by_issue(29)}
        endings = {".store"} if not is_noticed else {".store", ".idx", ".pos", ".term", ".fast"}
        files = sorted(path for path in (tmp_path / "cache").rglob("*") if path.suffix in endings)
        chance = random.Random(0)
        path = chance.choice(files)
        was = path.stat()
        with path.open("r+b") as file:
            data = bytearray(file.read())
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
            file.seek(0)
            file.write(data)
        if not is_noticed:
            os.utime(path, ns=(was.st_atime_ns, was.st_mtime_ns))
        found = memory.search("lock", 100)
        assert found.total == len(_TEXTS)
        for hit in found.hits:
            assert hit.entry.summary == held[hit.entry.id]
        for identifier, content in held.items():
            assert memory.get(identifier).content == content


_CUT_WHILE_OPEN = """
import sys, time
from pathlib import Path
from threading import Event
from store import Observation, open_memory

root = Path(sys.argv[1])
fact = Observation(agent="a", issue_number=1, category="key-fact", content="A lock")
with open_memory(root / "memory", cache=root / "cache") as memory:
    memory.store([fact])
    assert memory.search("lock").total == 1
    for file in (root / "cache").rglob("*.fast"):
        file.write_bytes(b"")
    time.sleep(0.8)
"""


def test_a_file_cut_while_nothing_is_asked_does_not_end_the_program(tmp_path: Path) -> None:
    """Tantivy looks for a new commit twice a second where nobody tells it not to."""
    subprocess.run([sys.executable, "-c", _CUT_WHILE_OPEN, tmp_path], check=True)


def test_an_error_that_is_no_damage_is_not_hidden(memory: Memory, folder: Path) -> None:
    memory.index.refresh()
    write_issue(folder, 7, record("e"))

    def stop(done: int, of: int) -> None:
        raise KeyError("stopped by the one who watches")

    with pytest.raises(KeyError, match="stopped"):
        memory.index.refresh(stop)
    assert _ids(memory) == ["a", "b", "c", "e"]


def test_where_no_cache_can_be_written_it_lives_in_memory(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file, not a folder")
    with make_memory(tmp_path) as memory:
        assert _ids(memory) == ["a", "b", "c"]
        memory.store([observation("Four")])
        assert _ids(memory) == ["a", "b", "c", "obs-1"]
    index = SearchIndex(FilesBackend(folder), tmp_path / "cache")
    index.catch_up()
    assert index.folder is None
    assert SearchIndex(FilesBackend(folder), None).catch_up() is True


def test_seemingly_damaged(memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _ids(memory) == ["a", "b", "c"]
    kept = {path.name for path in _index_folder(tmp_path).glob("*.store")}
    looks: list[Path] = []

    def while_written(folder: Path) -> Index:
        looks.append(folder)
        if len(looks) == 1:
            raise ValueError("a file is gone")
        return opened(folder)

    monkeypatch.setattr(derived_index, "opened", while_written)
    assert _ids(make_memory(tmp_path)) == ["a", "b", "c"]
    assert {path.name for path in _index_folder(tmp_path).glob("*.store")} == kept


# What an index has to catch up with, by tables; what it does where that is little, or much.


_IDENTITY = {"store": "here", "version": 1}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = make_store(tmp_path)
    for issue in (1, 2):
        write_issue(store.folder, issue, record(f"m{issue}", issueNumber=issue))
    return store


def _found(index: SearchIndex) -> list[str]:
    reader = IndexReader(index.searcher, index.schema, index.tail, list)
    return sorted(reader.issues_of(["m1", "m2", "m3"]))


@pytest.mark.parametrize(
    ("most", "chosen"),
    [
        (0, []),
        (4, []),
        (9, [9]),
        (10, [7]),
        (14, [7]),
        (15, [7, 9]),
        (29, [7, 9]),
        (34, [7, 9]),
        (35, [7, 8, 9]),
        (5, [9]),
        (20, [8]),
    ],
)
def test_of_what_changed_the_newest_up_to_so_many_bytes(most: int, chosen: list[int]) -> None:
    sizes = {7: 10, 9: 5, 8: 20}
    if most == 20:
        sizes = {8: 20, 7: 1}
    stamps = {issue: f"stamp {issue}" for issue in (7, 8, 9, 1)}
    whole = Changes(frozenset((7, 8, 9, 3)), True, stamps, sizes, Seen(), 400)
    found = whole.newest(most)
    assert sorted(found.issues) == sorted(found.stamps) == sorted(found.sizes) == chosen
    assert (found.recount, found.uncounted) == (False, 0)
    assert whole.size == sum(sizes.values()) + 400


def test_an_index_begun_anew_by_another(store: Store, tmp_path: Path) -> None:
    one, other = (SearchIndex(store, tmp_path / "cache") for _ in range(2))
    one.catch_up()
    other.catch_up()
    other._start_anew()
    assert one.folder is not None
    assert not (one.folder / "seen.json").exists()
    write_issue(store.folder, 3, record("m3", issueNumber=3))
    one.catch_up()
    assert _found(one) == ["m1", "m2", "m3"]
    fresh = SearchIndex(store, tmp_path / "cache")
    fresh.catch_up()
    assert _found(fresh) == ["m1", "m2", "m3"]


@pytest.mark.parametrize(
    "change",
    [
        {"identity": {"store": "elsewhere"}},
        {"stamps": []},
        {"stamps": {"x": "as it was"}},
        {"segments": {"issue-29.json": 7}},
        {"segments": {"issue-29.json": [1]}},
        {"problems": {"x": []}},
        {"problems": {"7": [["one"]]}},
        {"problems": None},
        {"logEnd": "far"},
    ],
)
def test_what_is_damaged_was_never_seen(tmp_path: Path, change: dict[str, object]) -> None:
    made = DerivedIndex(tmp_path, _IDENTITY, Seen)
    made.make(1)
    made.seen.stamps = {29: "as it was"}
    made.save()
    assert load_seen(tmp_path, _IDENTITY, Seen) == (made.seen, {})
    path = tmp_path / "seen.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    assert load_seen(tmp_path, _IDENTITY, Seen) is None


@pytest.fixture
def logged(tmp_path: Path) -> Path:
    """A memory of two, whose log tells of a recall of each."""
    logged = tmp_path / "memory"
    logged.mkdir()
    write_issue(logged, 29, record("a"), record("b", recallCount=4))
    return logged


def _recalled(logged: Path, name: str, day: int) -> None:
    told = {"type": "recalled", "observationIds": [name]}
    append_activity(logged, {**told, "timestamp": f"2026-02-{day}T00:00:00.000Z"})


def _counts(made: SearchIndex) -> list[int]:
    reader = IndexReader(made.searcher, made.schema, made.tail)
    return [reader.get(name).recall_count for name in ("a", "b")]


def test_recalls_count_once(logged: Path, tmp_path: Path) -> None:
    made = SearchIndex(FilesBackend(logged), tmp_path / "cache")
    made.catch_up()
    assert _counts(made) == [0, 4]
    _recalled(logged, "a", 10)
    assert made.catch_up_quickly(10**9)
    assert _counts(made) == [1, 4]
    _recalled(logged, "b", 11)
    _recalled(logged, "a", 12)
    made.catch_up()
    assert _counts(made) == [2, 5]
    made.catch_up(recount=True)
    assert (_counts(made), made.tail) == ([2, 5], {})
    _recalled(logged, "a", 13)
    write_issue(logged, 30, record("c", issueNumber=30))
    made.catch_up(recount=True)
    reader = IndexReader(made.searcher, made.schema, made.tail)
    order = reader.ids(parse_query("sort:recalled", NOW), NOW, timedelta(days=90))
    assert (_counts(made), order) == ([3, 5], ["b", "a", "c"])
    later = SearchIndex(FilesBackend(logged), tmp_path / "cache")
    later.catch_up()
    assert _counts(later) == [3, 5]


def test_lag_until_opened_anew(logged: Path, tmp_path: Path) -> None:
    made = SearchIndex(FilesBackend(logged), tmp_path / "cache")
    made.catch_up()
    write_issue(logged, 30, record("c", issueNumber=30))
    assert not made.catch_up_quickly(1)
    for _ in range(2):
        assert not made.catch_up()
        assert (made.notice, made.searcher.num_docs) == (LAGS, 2)
    later = SearchIndex(FilesBackend(logged), tmp_path / "cache")
    assert later.catch_up_quickly(10**9)
    assert (later.notice, later.searcher.num_docs) == (None, 3)


# The folder of an index: whose it is, when it is damaged, and what is cleared of it.


class PanicException(BaseException):
    """As the one that tantivy panics with, which no module offers."""


@pytest.mark.parametrize(
    ("error", "is_none"),
    [
        (ValueError("it failed"), True),
        (OSError(errno.EIO, "Input/output error"), True),
        (KeyError("a mistake of ours"), True),
        (PanicException("index out of bounds"), True),
        (KeyboardInterrupt(), False),
        (SystemExit(), False),
    ],
)
def test_what_fails_while_an_index_is_opened_is_damage(error: BaseException, is_none: bool) -> None:
    def make() -> object:
        raise error

    if is_none:
        assert guarded(make) is None  # type: ignore[arg-type]
        return
    with pytest.raises(type(error)):
        guarded(make)  # type: ignore[arg-type]


@pytest.mark.parametrize("mode", [0o600, 0o601, 0o610, 0o644, 0o666, 0o640, 0o400, 0o700])
def test_files_of_an_index_are_taken_from_everyone_else(tmp_path: Path, mode: int) -> None:
    (tmp_path / "a").touch()
    (tmp_path / "a").chmod(mode)
    (tmp_path / "folder").mkdir(mode=0o755)
    (tmp_path / "link").symlink_to(tmp_path / "folder")
    make_files_private(tmp_path)
    found = stat.S_IMODE((tmp_path / "a").stat().st_mode)
    assert found == (0o600 if mode & 0o077 else mode)
    assert stat.S_IMODE((tmp_path / "folder").stat().st_mode) == 0o755


def test_a_folder_that_can_not_be_written_says_why(tmp_path: Path) -> None:
    said = ValueError("An IO error occurred: 'No space left on device (os error 28)'")
    assert reason_of(said, tmp_path) == "the disk is full"
    assert reason_of(ValueError("Os { code: 30, kind: Other }"), None) == "the disk is read-only"
    assert reason_of(ValueError("it failed"), None) == ""
