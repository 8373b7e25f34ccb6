"""The manifest: in step with the record after each write, and mended where it is not."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from store.backends.files.layout import MANIFEST
from store.backends.files.manifest import settle_manifest
from tests.store.factories import manifest_ids, record, write_issue

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


_ENTRY_KEYS = ["id", "agent", "issueNumber", "category", "summary", "tokens", "timestamp"]


def _manifest(folder: Path) -> dict[str, Any]:
    found = json.loads((folder / MANIFEST).read_bytes())
    assert isinstance(found, dict)
    return found


def test_the_manifest_lists_every_observation_in_agentx_form(tmp_path: Path) -> None:
    write_issue(tmp_path, 29, record("a"), record("b", pinned=True, huge=10**30))
    write_issue(tmp_path, 30, record("c", issueNumber=30))
    write_issue(tmp_path, 29, record("old"), archived=True)
    assert _settle(tmp_path) is True, "it was missing"
    assert _settle(tmp_path) is False
    found = _manifest(tmp_path)
    assert list(found) == ["version", "updatedAt", "checksum", "entries"]
    assert (found["version"], found["updatedAt"]) == (1, UPDATED)
    assert [entry["id"] for entry in found["entries"]] == ["a", "b", "c"]
    assert all(list(entry) == _ENTRY_KEYS for entry in found["entries"])
    assert manifest_ids(tmp_path) == ["a", "b", "c"]
