"""Change stamps: what was written since is found, and nothing else."""

from __future__ import annotations

import json

from store.backends.protocol import Backend
from store.model import Location
from tests.store.factories import record


def _write(backend: Backend, issue: int, name: str, location: Location = Location.ISSUE) -> None:
    with backend.changing(issue) as records:
        records.put(location, record(name, issueNumber=issue))


def test_what_is_new_is_a_change_once(backend: Backend, other: Backend) -> None:
    assert backend.changes_since({}).issues == frozenset()
    _write(backend, 29, "a")
    _write(backend, 7, "b")
    found = other.changes_since({})
    assert found.issues == {7, 29} == found.stamps.keys()
    assert other.changes_since(found.stamps).issues == frozenset()


def test_only_what_was_written_since_is_a_change(backend: Backend, other: Backend) -> None:
    _write(backend, 29, "a")
    _write(backend, 7, "b")
    known = other.changes_since({}).stamps
    _write(backend, 7, "c")
    assert other.changes_since(known).issues == {7}
    known = other.changes_since(known).stamps
    _write(backend, 29, "a", Location.ARCHIVE)
    assert other.changes_since(known).issues == {29}


def test_looking_and_changing_nothing_is_no_change(backend: Backend) -> None:
    _write(backend, 29, "a")
    known = backend.changes_since({}).stamps
    backend.read(29)
    with backend.changing(29) as records:
        records.find(Location.ISSUE, "a")
    assert backend.changes_since(known).issues == frozenset()


def test_an_issue_that_is_not_there_is_a_change(backend: Backend) -> None:
    _write(backend, 29, "a")
    known = {**backend.changes_since({}).stamps, 8: "something"}
    found = backend.changes_since(known)
    assert found.issues == {8}
    assert 8 not in found.stamps


def test_stamps_survive_being_kept_as_json(backend: Backend) -> None:
    _write(backend, 29, "a")
    stamps = backend.changes_since({}).stamps
    kept = json.loads(json.dumps({str(issue): stamp for issue, stamp in stamps.items()}))
    assert not backend.changes_since({int(number): it for number, it in kept.items()}).issues


def test_a_memory_has_one_identity(backend: Backend, other: Backend) -> None:
    assert backend.identity == other.identity != ""
