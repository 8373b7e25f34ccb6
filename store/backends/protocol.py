"""What any store of observations must do; another backend can stand behind this."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from store.errors import StoreError
from store.model import IndexEntry, Observation, StoreStats


@dataclass(frozen=True, slots=True)
class StoreReport:
    """What became of a batch. `ids` follow the batch's order.

    `twins` are those ids that stood already: same agent, issue, category and content, now seen
    once more. `notices` say what was cut or cleaned on the way in; `operation_id` names the
    operation that takes it back, where there is one.
    """

    ids: tuple[str, ...]
    stored: tuple[Observation, ...]
    twins: tuple[str, ...]
    notices: tuple[str, ...]
    operation_id: str = ""


class PartlyStored(StoreError):
    """Some issues of a batch could not be written; `report` says what was."""

    def __init__(self, message: str, hint: str, report: StoreReport) -> None:
        super().__init__(message, hint)
        self.report = report

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of what was written."""
        return tuple(filter(None, self.report.ids))


class ObservationStore(Protocol):
    """Where observations are kept. Its methods are those of SPEC-29 §3.1."""

    def store(self, observations: Sequence[Observation]) -> StoreReport:
        """Keep observations; they are durable when this returns."""
        ...

    def by_issue(self, issue: int) -> list[Observation]:
        """The observations of an issue, archived ones in their own place left out."""
        ...

    def get(self, identifier: str) -> Observation | None:
        """The observation with this very id."""
        ...

    def search_by_filters(
        self,
        *,
        agent: str | None = None,
        issue: int | None = None,
        category: str | None = None,
        after: datetime | None = None,
        before: datetime | None = None,
    ) -> list[IndexEntry]:
        """The entries that fit every filter given, newest first."""
        ...

    def list_by_agent(self, agent: str) -> list[IndexEntry]:
        """The entries of an agent, newest first."""
        ...

    def list_by_category(self, category: str) -> list[IndexEntry]:
        """The entries of a category, newest first."""
        ...

    def update(self, identifier: str, fields: Mapping[str, Any]) -> Observation:
        """Change fields of an observation. Raises `NotFound`."""
        ...

    def remove(self, identifier: str) -> bool:
        """Remove an observation; whether there was one."""
        ...

    def increment_recall_count(self, identifier: str) -> None:
        """Count one more recall. Raises `NotFound`."""
        ...

    def stats(self) -> StoreStats:
        """Totals over all issue files."""
        ...
