"""What a backend answers about files where it has none: nothing to divide, mend or merge."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from store.backends.issue_records import IssueRecords
from store.backends.protocol import Fact
from store.errors import InvalidObservation
from store.model import Layout


class Fileless:
    """The part of a backend's protocol that is about files."""

    finds_ids = False

    @property
    def layout(self) -> Layout:
        """By issue: what has no files is divided no other way."""
        return Layout.PER_ISSUE

    def set_layout(self, layout: Layout) -> None:
        """There is no other. Raises `InvalidObservation`."""
        if layout is not self.layout:
            raise InvalidObservation("This memory has no files.", "")

    def other_layout(self) -> set[int]:
        """There is no other."""
        return set()

    def examine(self, ids: Iterable[str], stamp: str) -> Iterator[Fact]:
        """Nothing: what is wrong with itself, a database tells by itself."""
        return iter(())

    def examine_issue(self, records: IssueRecords, stamp: str) -> Iterator[Fact]:
        """Nothing is kept by issue."""
        return iter(())

    def move(self, source: str, target: str) -> bool:
        """Nothing moves here. Raises `InvalidObservation`."""
        raise InvalidObservation(f"{source!r} is not a file that repairs move.", "")

    def write_merged(self, issue: int) -> list[tuple[str, str]]:
        """Nothing is merged by lines here."""
        return []

    def issue_of(self, part: str) -> int | None:
        """No part belongs to one issue alone."""
        return None
