"""How files lie: their names, stamps, manifest, and what git ignores of them."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.backends.files.issue_file import IssueFile, dump_issue_file, parse_issue_file
from store.backends.files.layout import MANIFEST, check_movable, has_memory, is_memory, issue_of
from store.backends.files.manifest import settle_manifest
from store.backends.files.stamps import changes_since
from store.errors import InvalidObservation, Unreadable
from store.records import new_record
from tests.store.factories import (
    Clock,
    Store,
    make_store,
    manifest_ids,
    observation,
    record,
    write_issue,
)


@pytest.mark.parametrize(
    "name",
    ["manifest.json", ".lock", "../issue-1.json", "/etc/passwd", "quarantine/../issue-1.json",
     "activity.jsonl", "operations/a.json", "issue-1.json/x", "quarantine/a/b",
     "sessions/../x.json", ".gitignore", "issue-01.json", "recalls/a.md", "archive/../x.json.lock"],
)  # fmt: skip
def test_a_repair_moves_no_other_file(name: str) -> None:
    with pytest.raises(InvalidObservation):
        check_movable(name)


@pytest.mark.parametrize(
    ("name", "issue"),
    [
        ("issue-0.json", 0),
        ("issue-7.json", 7),
        ("issue-07.json", None),
        ("issue-00.json", None),
        ("issue-123456789.json", 123456789),
        ("issue-1234567890.json", None),
        ("issue-7.recovered.json", 7),
        ("issue-07.recovered.json", None),
        ("issue-7-archived.json", None),
        ("archive/issue-7-archived.json", 7),
        ("archive/issue-7.json", None),
        ("archive/archive/issue-7-archived.json", None),
        ("pending/issue-7.json", 7),
        ("pending/issue-7.json.lock", None),
        ("issue-7/a.json", 7),
        ("archive/issue-7/a.json", 7),
        ("issue-7/.a.json", None),
        ("issue-7/a/b.json", None),
        ("issue-7/a.json.tmp", None),
        ("issue-7/a.json\n", None),
        (f"issue-7/{'a' * 250}.json", 7),
        (f"issue-7/{'a' * 251}.json", None),
        ("Issue-7.json", None),
        ("issue-7.JSON", None),
        ("issue_7.json", None),
        ("", None),
    ],
)
def test_which_issue_a_name_is_of(name: str, issue: int | None) -> None:
    assert issue_of(name) == issue
    assert is_memory(name) is ("/a" in name and issue is not None and "issue-7-" not in name)


@pytest.mark.parametrize(
    ("names", "is_so"),
    [
        ([], False),
        (["README.md"], False),
        (["manifest.json"], False),
        (["issue-1.json"], True),
        (["archive/issue-1-archived.json"], True),
        (["archive/notes.md"], False),
        (["activity.jsonl", "README.md"], True),
        (["issue-1/a.json"], False),
        (["issue-1/a.json", "layout.json"], True),
        (["archive/issue-1/a.json", "layout.json"], True),
        (["notes/a.json", "layout.json"], False),
        ([".lock"], True),
        ([".lock", "issue-1.json.lock", ".issue-1.json.12-ab.tmp"], True),
        ([".lock", "README.md"], False),
        (["layout.json"], False),
        (["layout.json", ".lock"], False),
    ],
)
def test_what_a_memory_is_told_by(tmp_path: Path, names: list[str], is_so: bool) -> None:
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("{}")
    assert has_memory(tmp_path) is is_so


# Stamps tell which issues changed, whatever changed them.


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write_issue(tmp_path, 29, record("a"))


def test_a_fresh_file_is_compared_by_its_content(file: Path) -> None:
    """An edit that leaves size, times and inode the same is seen none the less."""
    info = file.stat()
    known = changes_since(file.parent, {}, info.st_mtime_ns).stamps
    assert len(known[29].split(" ")) == 6
    assert not changes_since(file.parent, known).issues
    head, _, trusted = known[29].rpartition(" ")
    assert changes_since(file.parent, {29: f"{head} {trusted[::-1]}"}).issues == {29}


# The manifest: in step with the record after each write, and mended where it is not.


UPDATED = "2026-03-01T12:00:00.000Z"


def _settle(folder: Path, *issues: int) -> bool:
    return settle_manifest(folder, issues, UPDATED)


def test_a_file_that_was_put_there_with_an_old_time_is_noticed(tmp_path: Path) -> None:
    """As `cp -p` and `rsync -t` put it; when it came, only the time of its change says."""
    write_issue(tmp_path, 29, record("a"))
    _settle(tmp_path)
    os.utime(write_issue(tmp_path, 29, record("b")), (1, 1))
    os.utime(write_issue(tmp_path, 30, record("c", issueNumber=30)), (1, 1))
    _settle(tmp_path)
    assert manifest_ids(tmp_path) == ["b", "c"]


@pytest.mark.parametrize(
    "damaged", [b"", b"{", b"[]", b'{"entries": {}}', b"\xff\xfe", b'{"version": 1}', b"[" * 5000]
)
def test_a_damaged_manifest_is_rebuilt_and_said(tmp_path: Path, damaged: bytes) -> None:
    write_issue(tmp_path, 29, record("a"))
    (tmp_path / MANIFEST).write_bytes(damaged)
    assert manifest_ids(tmp_path) is None
    assert _settle(tmp_path) is True
    assert manifest_ids(tmp_path) == ["a"]


@pytest.mark.parametrize(
    "entry", [None, 7, "a", [], {}, {"id": [], "issueNumber": []}, {"id": {}, "issueNumber": {}}]
)
def test_entries_of_any_shape_stop_nothing(tmp_path: Path, entry: object) -> None:
    write_issue(tmp_path, 29, record("a"))
    (tmp_path / MANIFEST).write_text(json.dumps({"version": 1, "entries": [entry]}))
    _settle(tmp_path, 29)
    assert manifest_ids(tmp_path) == ["a"]


def test_what_can_not_be_read_stays_listed_and_is_looked_at_again(tmp_path: Path) -> None:
    broken = write_issue(tmp_path, 29, record("a"))
    write_issue(tmp_path, 30, record("b", issueNumber=30))
    _settle(tmp_path)
    broken.write_text("{cut")
    write_issue(tmp_path, 30, record("b", issueNumber=30), record("c", issueNumber=30))
    _settle(tmp_path, 29, 30)
    assert manifest_ids(tmp_path) == ["a", "b", "c"]
    assert (tmp_path / MANIFEST).stat().st_mtime_ns <= broken.stat().st_mtime_ns


# The store of JSON files: what every store of observations must do, in AgentX's format.


@pytest.fixture
def store(tmp_path: Path, clock: Clock) -> Store:
    return make_store(tmp_path, clock)


def test_what_git_ignores_of_a_memory_is_left_as_a_person_wrote_it(tmp_path: Path) -> None:
    store = make_store(tmp_path)
    store.folder.mkdir(parents=True)
    own = store.folder / ".gitignore"
    own.write_text("*.json\n")
    store.store([observation()])
    assert own.read_text() == "*.json\n"


# Issue files as text: laid out as AgentX does, and what does not change keeps its bytes.


NAME = "issue-29.json"


def _values(file: IssueFile) -> list[Any]:
    return [item.value for item in file.records]


_VALUES = (
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False)
    | st.text(st.characters(exclude_categories=()), max_size=6)
)
_RECORDS = st.dictionaries(st.text(max_size=5), _VALUES | st.lists(_VALUES, max_size=2), max_size=4)


@given(
    st.lists(_RECORDS, min_size=1, max_size=4),
    st.sampled_from([None, 0, 1, 2, 4, "\t"]),
    st.booleans(),
)
def test_a_rewrite_keeps_the_bytes_of_every_other_record(
    records: list[dict[str, object]], indent: int | str | None, ascii_only: bool
) -> None:
    text = json.dumps(
        {"version": 1, "observations": records}, indent=indent, ensure_ascii=ascii_only
    )
    file = parse_issue_file(text.encode("utf-8", "surrogatepass"), NAME)
    kept = [item.text for item in file.records]
    file.records.append(new_record(record("new")))
    again = parse_issue_file(dump_issue_file(file), NAME)
    assert [item.text for item in again.records[:-1]] == kept
    assert again.records[-1].value == record("new")


@pytest.mark.parametrize(
    "text",
    [
        '{{"observations": [{0}],\n  "observations": [\n    {1}\n  ]\n}}',
        '{{"n": 1, "observations": [{0}],\n  "observations": [\n    {1}\n  ]\n}}',
        '{{\n  "observations": [\n    {0}\n  ],\n  "observations": [\n    {1}\n  ]\n}}',
        '{{\n  "observations": [\n    {0}\n  ], "observations": [\n    {1}\n  ]\n}}',
        '{{"n": 1,\n  "observations": [\n    {0}\n  ], "n": 2, "observations": [\n    {1}\n  ]\n}}',
    ],
)
def test_no_list_of_records_is_overlooked(text: str) -> None:
    data = text.format('{\n      "id": "a"\n    }', '{\n      "id": "a"\n    }').encode()
    parsed = parse_issue_file(data, NAME)
    assert _values(parsed) == [{"id": "a"}, {"id": "a"}]
    assert parsed.header.get("n") == json.loads(data).get("n")


@pytest.fixture(params=["as it is", "deep"])
def interpreter(request: pytest.FixtureRequest) -> Iterator[None]:
    """An interpreter that takes a thousand levels, and one that takes more, as from 3.14 on."""
    before = sys.getrecursionlimit()
    if request.param == "deep":
        sys.setrecursionlimit(30_000)
    yield
    sys.setrecursionlimit(before)


@pytest.mark.usefixtures("interpreter")
def test_what_nests_too_deep_is_said() -> None:
    deep = "[" * 5_000 + "]" * 5_000
    header = f'{{"version": {deep}, "observations": []}}'
    with pytest.raises(Unreadable, match="nests too deep"):
        parse_issue_file(header.encode(), NAME)
    fields = f'      "id": "a",\n      "deep": {deep}'
    layout = '{{\n  "version": {},\n  "observations": [\n    {{\n{}\n    }}\n  ]\n}}\n'
    with pytest.raises(Unreadable, match="nests too deep"):
        parse_issue_file(layout.format(deep, fields).encode(), NAME)


@pytest.mark.parametrize("above", ["{", '{\n  "version": 1,'])
@pytest.mark.parametrize("mistake", [",", ' "x"', ' "x": 1', " }", "\n<<<<<<< HEAD"])
def test_a_mistake_above_or_between_the_records_is_no_valid_file(above: str, mistake: str) -> None:
    records = '\n  "observations": [\n    {\n      "id": "a"\n    }%s\n  ]\n}'
    assert _values(parse_issue_file((above + records % "").encode(), NAME)) == [{"id": "a"}]
    for text in (above + mistake + records % "", above + records % mistake):
        with pytest.raises(Unreadable):
            parse_issue_file(text.encode(), NAME)
