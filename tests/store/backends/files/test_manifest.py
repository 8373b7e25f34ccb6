"""The manifest: in step with the record after each write, and mended where it is not."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from store.backends.files.layout import MANIFEST
from store.backends.files.manifest import settle_manifest
from tests.store.factories import make_memory, manifest_ids, observation, record, write_issue

UPDATED = "2026-03-01T12:00:00.000Z"
_ENTRY_KEYS = ["id", "agent", "issueNumber", "category", "summary", "tokens", "timestamp"]


def _settle(folder: Path, *issues: int) -> bool:
    return settle_manifest(folder, issues, UPDATED)


def _manifest(folder: Path) -> dict[str, Any]:
    found = json.loads((folder / MANIFEST).read_bytes())
    assert isinstance(found, dict)
    return found


def _long_ago(path: Path) -> None:
    """So that the file's stat says nothing of a change."""
    manifest = path.parent / MANIFEST
    stat = path.stat()
    os.utime(manifest, ns=(stat.st_atime_ns, max(stat.st_mtime_ns, stat.st_ctime_ns) + 10**9))


def test_a_file_that_was_put_there_with_an_old_time_is_noticed(tmp_path: Path) -> None:
    """As `cp -p` and `rsync -t` put it; when it came, only the time of its change says."""
    write_issue(tmp_path, 29, record("a"))
    _settle(tmp_path)
    os.utime(write_issue(tmp_path, 29, record("b")), (1, 1))
    os.utime(write_issue(tmp_path, 30, record("c", issueNumber=30)), (1, 1))
    _settle(tmp_path)
    assert manifest_ids(tmp_path) == ["b", "c"]


def test_records_that_lack_something_are_listed_with_what_is_known(tmp_path: Path) -> None:
    odd = record("a", tokens="many", summary="", timestamp="2026-02-27", issueNumber=7)
    write_issue(tmp_path, 29, odd, {"id": "b"}, "no object", record("c", agent=""))
    _settle(tmp_path)
    assert _manifest(tmp_path)["entries"] == [
        {
            **{key: record("a")[key] for key in _ENTRY_KEYS},
            "timestamp": "2026-02-27T00:00:00.000Z",
        }
    ]


def test_only_what_changed_is_read_again(tmp_path: Path) -> None:
    path = write_issue(tmp_path, 29, record("a"))
    _settle(tmp_path)
    write_issue(tmp_path, 29, record("a"), record("unseen"))
    _long_ago(path)
    _settle(tmp_path)
    assert manifest_ids(tmp_path) == ["a"]
    _settle(tmp_path, 29)
    assert manifest_ids(tmp_path) == ["a", "unseen"]


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


def test_what_another_process_has_still_to_settle_is_not_lost(tmp_path: Path) -> None:
    told: list[str] = []
    with make_memory(tmp_path) as other, make_memory(tmp_path) as memory:
        memory.on_problem(lambda problem: told.append(problem.kind))
        other.store([observation("One")])
        memory.store([observation("Two", id="obs-2", issue_number=30)])
        memory.index.settle()
        assert told == []
        assert manifest_ids(memory.path) == ["obs-1", "obs-2"]
        (memory.path / MANIFEST).unlink()
        memory.store([observation("Three", id="obs-3", issue_number=30)])
        memory.index.settle()
        assert told == ["manifest-rebuilt"]
