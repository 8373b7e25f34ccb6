"""The state of a store, as screens show it."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from store.model import Problem
from store.notice import Notice


class StoreState(NamedTuple):
    """A store for a screen: its place, size and problems, and whether it is writable.

    `total` and `tokens` count the records in issue files, archived flag or not; `notice` is
    where the index may lag.
    """

    path: Path
    writable: bool
    total: int
    tokens: int
    problems: tuple[Problem, ...] = ()
    notice: Notice | None = None
