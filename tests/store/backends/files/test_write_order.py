"""The order of writes: at no time does a record stand nowhere."""

from __future__ import annotations

from pathlib import Path

from store.backends.files.issue_file import IssueFile
from store.backends.files.issue_reader import read_issue
from store.backends.files.issue_writer import in_safe_order
from store.records import record_id
from tests.store.factories import record, write_issue


def test_what_gains_a_record_is_written_before_what_loses_it(tmp_path: Path) -> None:
    write_issue(tmp_path, 29, record("c")).rename(tmp_path / "issue-29.recovered.json")
    write_issue(tmp_path, 29, record("a"), record("b"))
    read = read_issue(tmp_path, 29)
    files = {name: file for name, file in read.parts.items() if isinstance(file, IssueFile)}
    own, recovered = files["issue-29.json"], files["issue-29.recovered.json"]
    recovered.records = [*recovered.records, own.records[0]]
    own.records = own.records[1:]
    written = [name for name, _ in in_safe_order(files)]
    assert written == ["issue-29.recovered.json", "issue-29.json"]


def test_what_two_locations_exchange_stands_somewhere_at_all_times(tmp_path: Path) -> None:
    write_issue(tmp_path, 29, record("a"))
    write_issue(tmp_path, 29, record("b"), archived=True)
    files = {
        name: file
        for name, file in read_issue(tmp_path, 29).parts.items()
        if isinstance(file, IssueFile)
    }
    own, archive = files["issue-29.json"], files["archive/issue-29-archived.json"]
    own.records, archive.records = archive.records, own.records
    stands = {name: {"a"} if name == "issue-29.json" else {"b"} for name in files}
    for name, file in in_safe_order(files):
        stands[name] = {str(record_id(it.value)) for it in file.records}
        assert set().union(*stands.values()) == {"a", "b"}
    assert stands == {"issue-29.json": {"b"}, "archive/issue-29-archived.json": {"a"}}
