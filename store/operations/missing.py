"""Missing memories: the journal has them, but no file any more, as after a reset of git."""

from __future__ import annotations

from collections.abc import Collection

from store.backends.protocol import Backend
from store.operations.journal import left_by_last, plan_bring_back


def count_missing(backend: Backend, vanished: Collection[str]) -> int:
    """Count the memories in no file, where some that vanished were not removed by an operation."""
    if not vanished or not any(left_by_last(backend, vanished)):
        return 0
    return len(plan_bring_back(backend).changes)
