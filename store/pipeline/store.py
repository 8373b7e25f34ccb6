"""Storing observations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from store.errors import StoreError
from store.model import Observation
from store.pipeline.base import OpenedMemory

if TYPE_CHECKING:
    from store.operations.batch import StoreReport


class Writing(OpenedMemory):
    """Storing: durable when it returns."""

    def store(self, observations: Sequence[Observation]) -> list[str]:
        """Keep observations; durable when this returns. Their ids, in order.

        Raises `InvalidObservation`, `LockTimeout`, `ReadOnly`, `WriteFailed`, `PartlyStored`.
        """
        return list(self.store_report(observations).ids)

    def store_report(self, observations: Sequence[Observation]) -> StoreReport:
        """As `store`, and what was cut, cleaned or seen before."""
        return self._store_as("add", observations)

    def _store_as(self, kind: str, observations: Sequence[Observation]) -> StoreReport:
        """Store observations as an operation of a kind: `undo` takes it back."""
        from store.operations.batch import PartlyStored, store_batch

        started = self._clock()
        issues = [item.issue_number for item in observations]
        try:
            report = store_batch(self.backend, observations, self._prepare)
        except PartlyStored as error:
            self._unsettled.update(issues)
            operation = self._kept(kind, error.report.stored)
            self._recorder.stored(error.report.stored, started, operation)
            raise
        self._unsettled.update(issues)
        for item in report.stored:
            self._outgoing.know(item)
        report = replace(report, operation_id=self._kept(kind, report.stored))
        self._recorder.stored(report.stored, started, report.operation_id)
        return report

    def _kept(self, kind: str, stored: Sequence[Observation]) -> str:
        """Keep what was stored in the history; its id, empty where there is none.

        Where that fails, it is told, since it is stored all the same.
        """
        from store.operations.apply import keep_done
        from store.operations.changes import added

        if not stored:
            return ""
        try:
            return keep_done(self.backend, added(stored, kind), self._clock())
        except StoreError as error:
            self._recorder.problem("not-recorded", error.message)
            return ""
