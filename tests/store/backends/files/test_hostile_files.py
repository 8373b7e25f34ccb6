"""Whatever stands where an issue file should: no traceback, the rest works, nothing is lost."""

from __future__ import annotations

import json
import os
import socket
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from store.backends.files.issue_file import dump_issue_file, parse_issue_file
from store.backends.files.issue_reader import read_issue
from store.errors import StoreError, Unreadable
from store.model import Location, Observation
from tests.store.factories import Store


def _record(**fields: Any) -> dict[str, Any]:  # noqa: ANN401 - whatever a hostile file holds
    return {
        "id": "obs-engineer-7-1709035200000-a1b2c3",
        "agent": "engineer",
        "issueNumber": 7,
        "category": "decision",
        "content": "Chose plain files",
        "summary": "Chose plain files",
        "tokens": 5,
        "timestamp": "2024-02-27T12:00:00.000Z",
        "sessionId": "s1",
        **fields,
    }


def _file(*records: object, **header: object) -> str:
    return json.dumps({"version": 1, "issueNumber": 7, **header, "observations": [*records]})


RECORD = json.dumps(_record())
WRONG: tuple[object, ...] = (None, [], {}, -1.5)
DEEP = "[" * 900 + "]" * 900

BROKEN: dict[str, bytes] = {
    "empty": b"",
    "white space": b" \n\n",
    "cut in a text": _file(_record()).encode()[:120],
    "cut before the last brace": _file(_record()).encode()[:-1],
    "NUL bytes": b"\0" * 4096,
    "a NUL in the middle": _file(_record()).encode().replace(b", ", b",\0 ", 1),
    "two files in one": (_file(_record()) * 2).encode(),
    "a merge conflict": f"<<<<<<< ours\n{_file(_record())}\n=======\n".encode(),
    "Latin-1": _file(_record(content="né")).encode().replace(b"\\u00e9", b"\xe9"),
    "UTF-16, cut": _file(_record()).encode("utf-16")[:-1],
    "UTF-16 without a mark": _file(_record()).encode("utf-16-le"),
    "a list": b"[]",
    "a text": b'"issue"',
    "null": b"null",
    "no observations": b'{"version": 1, "issueNumber": 7}',
    "observations are no list": b'{"observations": {"a": 1}}',
    "nested too deep": b'{"observations": [' + b"[" * 100_000 + b"]" * 100_000 + b"]}",
    "an integer past every limit": b'{"observations": [' + b"9" * 5000 + b"]}",
    "not JSON": b"\x7fELF\x02\x01\x01",
}
"""Files that can't be read as an issue file."""

ODD: dict[str, tuple[bytes, int]] = {
    "a byte order mark": (b"\xef\xbb\xbf" + _file(_record()).encode(), 1),
    "UTF-16": (_file(_record()).encode("utf-16"), 1),
    "a lone surrogate": (_file(_record(content="half \ud83d of a pair")).encode(), 1),
    "a 30-digit integer": (_file(_record(tokens=10**30, recallCount=10**30, x=10**30)).encode(), 1),
    "a 400-digit score": (_file(_record(relevanceScore=10**400)).encode(), 1),
    "NaN": (_file(_record(relevanceScore=float("nan"), x=float("-inf"))).encode(), 1),
    "NaN in the header": (_file(_record(), x=float("nan")).encode(), 1),
    "a deep header": (f'{{"x": {DEEP}, "observations": [{RECORD}]}}'.encode(), 1),
    "a deep record": (f'{{"observations": [{RECORD[:-1]}, "x": {DEEP}}}]}}'.encode(), 0),
    "doubled ids": (_file(_record(), _record(content="another")).encode(), 2),
    "doubled keys in a record": (
        f'{{"observations": [{RECORD[:-1]}, "content": "the last one counts"}}]}}'.encode(),
        1,
    ),
    "observations twice": (f'{{"observations": [{RECORD}], "observations": []}}'.encode(), 1),
    "records of every type": (_file(None, 1, "x", [], {}, True, _record()).encode(), 1),
    "fields of wrong types": (
        _file(*(_record(**{key: wrong}) for key in _record() for wrong in WRONG)).encode(),
        sum(4 for key in ("issueNumber", "summary", "tokens", "sessionId")),
    ),
    "dates that are none": (
        _file(
            _record(timestamp="yesterday"),
            _record(timestamp="9999-12-31T23:59:59-12:00"),
            _record(timestamp="0001-01-01T00:00:00+12:00"),
            _record(timestamp=""),
        ).encode(),
        0,
    ),
    "another issue's number": (_file(_record(issueNumber=8), issueNumber=9).encode(), 1),
    "a future version": (_file(_record(), version=99).encode(), 1),
    "CRLF": (json.dumps(json.loads(_file(_record())), indent=2).replace("\n", "\r\n").encode(), 1),
    "control codes": (_file(_record(content="\x1b[2J\x9b\u202e", agent="\x07")).encode(), 1),
}
"""Files that can be read, with the number of observations that show."""


@pytest.fixture
def store(tmp_path: Path) -> Store:
    memory = Store(tmp_path / "memory")
    memory.store([_observation("elsewhere", issue=8)])
    return memory


def _observation(content: str, issue: int = 7) -> Observation:
    return Observation(
        agent="reviewer",
        issue_number=issue,
        category="lesson",
        content=content,
        id=f"new-{content}",
    )


def _the_rest_works(store: Store) -> None:
    assert [item.content for item in store.by_issue(8)] == ["elsewhere"]
    assert 8 in store.issues()
    store.drop("nothing has this id", 8)
    store.edit("new-elsewhere", {"tags": ("seen",)}, 8)
    store.store([_observation("more", issue=8)])
    assert len(store.by_issue(8)) == 2


@pytest.mark.parametrize("name", BROKEN)
def test_an_unreadable_file_is_said_and_kept(store: Store, name: str) -> None:
    file = store.folder / "issue-7.json"
    file.write_bytes(BROKEN[name])
    problems = read_issue(store.folder, 7).problems
    assert [problem.path for problem in problems] == ["issue-7.json"]
    assert problems[0].message.startswith("issue-7.json ")
    assert problems[0].message.isprintable()
    assert store.by_issue(7) == []
    store.store([_observation("first"), _observation("second")])
    assert [item.content for item in store.by_issue(7)] == ["first", "second"]
    assert file.read_bytes() == BROKEN[name]
    _the_rest_works(store)


@pytest.mark.parametrize("name", ODD)
def test_an_odd_file_is_read_and_nothing_in_it_is_lost(store: Store, name: str) -> None:
    data, count = ODD[name]
    file = store.folder / "issue-7.json"
    file.write_bytes(data)
    before = parse_issue_file(data, file.name)
    assert len(store.by_issue(7)) == count
    store.store([_observation("new")])
    assert [item.content for item in store.by_issue(7)][count:] == ["new"]
    after = parse_issue_file(file.read_bytes(), file.name)
    kept = [_same(record.text.decode("utf-8", "surrogatepass")) for record in before.records]
    assert [
        _same(record.text.decode("utf-8", "surrogatepass")) for record in after.records[:-1]
    ] == (kept)
    unchanged = before.header.keys() - {"updatedAt"}
    assert {key: _same(json.dumps(after.header[key])) for key in unchanged} == {
        key: _same(json.dumps(before.header[key])) for key in unchanged
    }
    _the_rest_works(store)


def _same(text: str) -> str:
    """A JSON text in one layout, its doubled keys, long numbers and order kept."""
    pairs = json.JSONDecoder(object_pairs_hook=lambda items: [["pair", *item] for item in items])
    return json.dumps(pairs.decode(text))


# What is not a regular file


def _fifo(path: Path) -> None:
    os.mkfifo(path)


def _folder(path: Path) -> None:
    path.mkdir()


def _device(path: Path) -> None:
    try:
        os.mknod(path, stat.S_IFCHR | 0o600, os.makedev(1, 5))
    except PermissionError:
        pytest.skip("only root makes devices")


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        handle = os.open(path.parent, os.O_RDONLY)
        try:
            server.bind(f"/proc/self/fd/{handle}/{path.name}")
        finally:
            os.close(handle)


def _link_to_itself(path: Path) -> None:
    path.symlink_to(path.name)


def _link_to_nothing(path: Path) -> None:
    path.symlink_to("nothing")


def _link_outside(path: Path) -> None:
    store = path.parent if path.name.startswith((".", "issue-7.json")) else path.parent.parent
    outside = store.parent / "outside.json"
    outside.write_text(_file(_record()))
    path.symlink_to(outside)


def _huge(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 30)


@pytest.mark.parametrize(
    "make",
    [_fifo, _folder, _device, _socket, _link_to_itself, _link_to_nothing, _link_outside, _huge],
)
@pytest.mark.parametrize("name", ["issue-7.json", "archive/issue-7-archived.json"])
def test_what_is_no_issue_file_is_said_and_left(
    store: Store, make: Callable[[Path], None], name: str
) -> None:
    path = store.folder / name
    path.parent.mkdir(exist_ok=True)
    make(path)
    before = path.lstat()
    problems = read_issue(store.folder, 7).problems
    assert [problem.path for problem in problems] == [name]
    assert path.name in problems[0].message
    assert store.by_issue(7) == []
    store.store([_observation("new")])
    assert [item.content for item in store.by_issue(7)] == ["new"]
    after = path.lstat()
    assert (after.st_ino, after.st_size, after.st_mode) == (
        before.st_ino,
        before.st_size,
        before.st_mode,
    )
    _the_rest_works(store)


@pytest.mark.parametrize("make", [_folder, _link_to_itself, _link_outside])
def test_a_gate_that_is_no_file_is_a_calm_error(
    tmp_path: Path, make: Callable[[Path], None]
) -> None:
    folder = tmp_path / "memory"
    folder.mkdir()
    make(folder / ".lock")
    with pytest.raises(StoreError, match=r"\.lock"):
        Store(folder).store([_observation("new")])


def test_an_archive_that_is_a_file_is_a_calm_error(store: Store) -> None:
    (store.folder / "archive").write_text("not a folder")
    (store.folder / "issue-7.json").write_text(_file(_record()))
    assert len(store.by_issue(7)) == 1
    _the_rest_works(store)
    with pytest.raises(StoreError, match="archive"), store.changing(7) as records:
        records.put(Location.ARCHIVE, _record())


# Any JSON whatever

_json = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**40), 10**40)
    | st.just(10**400)
    | st.floats()
    | st.text(st.characters(exclude_categories=()), max_size=8)
    | st.sampled_from(["2024-02-27T12:00:00Z", "2024", "issue", "\ud800", "\0", "\n"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.text(max_size=4) | st.sampled_from(sorted(_record())), inner, max_size=5
        )
    ),
    max_leaves=8,
)
_records = _json | st.dictionaries(st.sampled_from(sorted(_record())), _json).map(
    lambda fields: _record(**fields)
)
_files = _json | st.dictionaries(st.text(max_size=4), _json, max_size=3).flatmap(
    lambda header: st.lists(_records, max_size=4).map(
        lambda records: {**header, "observations": records}
    )
)


@settings(max_examples=12)
@given(tree=_files, indent=st.sampled_from([None, 2]))
def test_no_json_tree_raises_out_of_the_reader(
    tmp_path_factory: pytest.TempPathFactory, tree: object, indent: int | None
) -> None:
    folder = tmp_path_factory.mktemp("memory")
    (folder / "issue-7.json").write_text(json.dumps(tree, indent=indent))
    read = read_issue(folder, 7)
    held = list(read.held())
    usable = isinstance(tree, dict) and isinstance(tree.get("observations"), list)
    assert bool(read.unreadable) is not usable
    if usable:
        assert len(held) + len(read.problems) >= len(
            {json.dumps(item.record.value) for item in held}
        )


@given(
    data=st.binary(max_size=64)
    | st.binary(max_size=32).map(lambda tail: b'{"observations": ' + tail)
)
def test_no_bytes_raise_anything_but_unreadable(data: bytes) -> None:
    try:
        file = parse_issue_file(data, "issue-7.json")
    except Unreadable as error:
        assert error.message.isprintable()
    else:
        assert parse_issue_file(dump_issue_file(file), "issue-7.json").records == file.records
