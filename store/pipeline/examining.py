"""Health: what is wrong with a store, and its repair."""

from __future__ import annotations

from typing import TYPE_CHECKING

from store.disk.issue_records import list_issues
from store.operations.apply import Applied
from store.pipeline.changing import Changing

if TYPE_CHECKING:
    from store.doctor import Examination


class Examining(Changing):
    """Examine and repair."""

    def examine(self) -> Examination:
        """What is wrong with the store, and what would mend it. Changes nothing."""
        from store.doctor import IndexHealth, examine

        health = self._ask(
            lambda searcher: IndexHealth(
                searcher.num_docs, searcher.num_segments, self._index.in_memory
            )
        )
        return examine(self.path, self._clock(), health)

    def repair(self, examination: Examination) -> Applied:
        """Carry out the repair of an examination: an operation that `undo` takes back."""
        applied = self.apply(examination.plan)
        if examination.rebuild_manifest:
            self._unsettled.update(list_issues(self.path).values())
        if examination.rebuild_index:
            self._index.rebuild()
        self.settle()
        return applied
