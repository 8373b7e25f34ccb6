"""The records of an issue, whatever they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from store.backends.files.backend import FilesBackend
from store.model import Location, Problem
from tests.store.factories import record, write_issue

FILE = "issue-29.json"
MISSING = "can't be shown: its `agent` is missing or not a string. It is kept."


def _problems(folder: Path) -> list[Problem]:
    records = FilesBackend(folder).read(29)
    records.observations()
    return list(records.problems)


@pytest.mark.parametrize(("bad", "told"), [(99, 99), (100, 100), (101, 101), (150, 101)])
def test_of_many_that_can_not_be_shown_the_first_hundred_are_named(
    tmp_path: Path, bad: int, told: int
) -> None:
    write_issue(tmp_path, 29, record("a"), *({"id": f"x-{at}"} for at in range(bad)), record("b"))
    found = _problems(tmp_path)
    named = [f"{FILE}: the record 'x-{at}' {MISSING}" for at in range(min(bad, 100))]
    more = f"{FILE}: more records can't be shown; these are the first."
    assert found == [Problem(FILE, it) for it in [*named, *[more] * (bad > 100)]]
    assert len(found) == told


@pytest.mark.parametrize(
    ("own", "recovered", "archive", "stand"),
    [
        ("a", "b", "a", ["a own", "b recovered"]),
        ("a", "ab", "ba", ["a own", "b recovered"]),
        ("", "a", "ab", ["a recovered", "b archive"]),
        ("aa", "a", "a", ["a own", "a own"]),
        ("a", "bb", "bc", ["a own", "b recovered", "b recovered", "c archive"]),
    ],
)
def test_an_id_stands_where_it_is_met_first_however_many_files_have_it(
    tmp_path: Path, own: str, recovered: str, archive: str, stand: list[str]
) -> None:
    """What one file has twice is told twice: it is that file's own mistake."""
    for name, ids in (("recovered", recovered), ("own", own), ("archive", archive)):
        records = [record(it, content=f"{it} {name}") for it in ids]
        path = write_issue(tmp_path, 29, *records, archived=name == "archive")
        if name == "recovered":
            path.rename(tmp_path / "issue-29.recovered.json")
    read = FilesBackend(tmp_path).read(29)
    assert [it.record.value["content"] for it in read.held()] == stand
    first = next((it for it in stand if it.startswith("a") and "archive" not in it), None)
    found = read.find(Location.ISSUE, "a")
    assert (found and found["content"]) == first
