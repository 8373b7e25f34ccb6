"""Files in conflict, which a clone may bring: merged within bounds, else kept, named and left."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from store.backends.files.conflicted import read_version
from store.backends.files.issue_reader import read_issue
from store.backends.files.merge_versions import merge_versions
from store.errors import Unreadable
from store.merge.bounds import MAX_VERSIONS

NAME = "issue-29.json"
SECONDS = 5.0
"""Many times what each takes; the bombs took minutes and gigabytes."""
HEAD = '{\n  "version": 1,\n  "updatedAt": "2026-03-01T10:00:00.000Z",\n'


def _record(number: object, **more: object) -> str:
    plain = {"id": "same", "agent": "engineer", "content": f"text {number}", "category": "error"}
    return json.dumps({**plain, **more})


def _file(*records: str) -> str:
    return HEAD + '  "observations": [\n' + ",\n".join(records) + "\n  ]\n}\n"


def _conflict(ours: str, theirs: str) -> str:
    return (
        HEAD
        + f'  "observations": [\n<<<<<<< ours\n{ours}\n=======\n{theirs}\n>>>>>>> theirs\n  ]\n}}\n'
    )


def _nested(depth: int) -> object:
    value: object = []
    for _ in range(depth):
        value = [value]
    return value


def _fused(lines: list[str]) -> str:
    twice = HEAD + '  "updatedAt": "2026-03-02T10:00:00.000Z",\n'
    return twice + '  "observations": [\n    {\n' + "\n".join(lines) + "\n    }\n  ]\n}\n"


BOMBS: dict[str, Callable[[], str]] = {
    "8,000 twins": lambda: _conflict(",\n".join(["{}"] * 8_000), "{}"),
    "8,000 versions of one": lambda: _conflict(",\n".join(map(_record, range(8_000))), "{}"),
    "700 levels": lambda: _conflict(_record(1, tags=_nested(700)), _record(2)),
    "20,000 keys": lambda: _conflict(_record(1, **{f"k{n}": n for n in range(20_000)}), _record(2)),
    "50,000 fused": lambda: _fused(
        [f'      "{key}": "{n}",' for key in ("id", "content") for n in range(50_000)]
    ),
    "a list of 100,000 lines": lambda: _fused(
        ['      "id": "a",', '      "id": "b",', *(f'        "tag {n}",' for n in range(100_000))]
    ),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_file_in_conflict_is_read_in_bounded_time(tmp_path: Path, name: str) -> None:
    text = BOMBS[name]()
    path = tmp_path / NAME
    path.write_text(text)
    started = time.process_time()
    read = read_issue(tmp_path, 29)
    assert time.process_time() - started < SECONDS
    assert [problem.path for problem in read.problems] == [NAME]
    assert path.read_text() == text


def test_many_twins_are_merged_one_by_one() -> None:
    ours, theirs = _file(*["{}"] * 4_000), _file(*["{}"] * 4_000, _record(1))
    started = time.process_time()
    merged = merge_versions(b"", ours.encode(), theirs.encode(), NAME)
    assert time.process_time() - started < SECONDS
    assert json.loads(merged.data)["observations"] == [{}] * 4_000 + [json.loads(_record(1))]


def test_what_is_beyond_bounds_stops_a_merge_only_where_it_is_to_be_joined() -> None:
    deep, plain = _record(1, id="deep", tags=_nested(700)), _record(1)
    ours, theirs = _file(deep, plain), _file(plain)
    merged = merge_versions(b"", ours.encode(), theirs.encode(), NAME)
    assert len(json.loads(merged.data)["observations"]) == 2
    changed = _file(_record(2, id="deep", tags=_nested(701)), plain)
    with pytest.raises(Unreadable, match="levels"):
        merge_versions(b"", ours.encode(), changed.encode(), NAME)
    header = json.dumps({"observations": [], "note": _nested(700)})
    with pytest.raises(Unreadable, match="levels"):
        merge_versions(b"", header.encode(), theirs.encode(), NAME)


def test_as_many_versions_as_people_make_are_joined() -> None:
    text = _conflict(",\n".join(map(_record, range(MAX_VERSIONS - 1))), _record("last"))
    (record,) = read_version(text.encode(), NAME).records
    assert len(record.value["conflict"]) == MAX_VERSIONS - 1


@pytest.mark.parametrize("bad", ["/dev/zero", "deep"])
def test_the_driver_leaves_a_merge_of_lines_where_it_can_not_merge(
    tmp_path: Path, bad: str
) -> None:
    names = [tmp_path / name for name in ("base", "ours", "theirs")]
    for number, path in enumerate(names):
        path.write_text(_file(_record(number, tags=_nested(700))))
    if bad != "deep":
        names[0] = Path(bad)
    command = [sys.executable, "-m", "memtui", "merge-file", *map(str, names), NAME]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    said = "Falling back to a line merge" if bad == "deep" else "Nothing was merged"
    assert said in done.stderr
    if bad == "deep":
        assert "<<<<<<<" in names[1].read_text()
