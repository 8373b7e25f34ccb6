"""Storing observations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from store.model import Observation
from store.pipeline.base import OpenedMemory

if TYPE_CHECKING:
    from store.backends.protocol import StoreReport


class Writing(OpenedMemory):
    """Storing: durable when it returns."""

    def store(self, observations: Sequence[Observation]) -> list[str]:
        """Keep observations; durable when this returns. Their ids, in order.

        Raises `InvalidObservation`, `LockTimeout`, `ReadOnly`, `WriteFailed`, `PartlyStored`.
        """
        return list(self.store_report(observations).ids)

    def store_report(self, observations: Sequence[Observation]) -> StoreReport:
        """As `store`, and what was cut, cleaned or seen before."""
        from store.backends.protocol import PartlyStored

        started = self._clock()
        issues = (item.issue_number for item in observations)
        try:
            report = self._store.store(observations)
        except PartlyStored as error:
            self._unsettled.update(issues)
            self._recorder.stored(error.report.stored, started)
            raise
        self._unsettled.update(issues)
        self._recorder.stored(report.stored, started)
        return report
