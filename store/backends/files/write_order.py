"""The order in which the files of an issue are written, so that no crash loses a record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from store.backends.files.issue_file import IssueFile
from store.backends.issue_records import location_of
from store.model import Location
from store.records import RawRecord, record_id


def in_safe_order(new: Mapping[str, IssueFile]) -> Iterator[tuple[str, IssueFile]]:
    """Order the files to write so that an issue changes in one instant.

    Where an id stands in both, the issue file wins. So the archive first takes what it gains and
    keeps what it loses, then the issue file turns, then the archive lets go.
    """
    lost = {name: _lost(file) for name, file in new.items()}
    archives = [name for name in new if location_of(name) is Location.ARCHIVE]
    for name in archives:
        file = new[name]
        known = {id(record) for record in file.before}
        if any(id(record) not in known for record in file.records):
            yield name, IssueFile(file.header, [*lost[name], *file.records])
    for name in sorted(new.keys() - set(archives), key=lambda name: (bool(lost[name]), name)):
        yield name, new[name]
    for name in archives:
        if lost[name]:
            yield name, new[name]


def _lost(file: IssueFile) -> list[RawRecord]:
    """The records that were read and whose id stands in the file no more."""
    kept = set(map(id, file.records))
    gone = [record for record in file.before if id(record) not in kept]
    ids = {record_id(record.value) for record in file.records} if gone else set()
    return [record for record in gone if record_id(record.value) not in ids]
