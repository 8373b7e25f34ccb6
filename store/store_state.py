"""The state of a store, as screens show it."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from store.backends.protocol import Backend
from store.backends.text_kinds import TextKind
from store.errors import StoreError
from store.model import Problem
from store.notice import Notice


class StoreState(NamedTuple):
    """A store for a screen: its place, size and problems, and whether it is writable.

    `total` and `tokens` count the records in issue files, archived flag or not, `proposed` the
    changes of agents that wait; `notice` is where the index may lag.
    """

    path: Path
    writable: bool
    total: int
    tokens: int
    problems: tuple[Problem, ...] = ()
    notice: Notice | None = None
    proposed: int = 0


def number_proposed(backend: Backend) -> int:
    """Return how many proposals wait, without reading them; 0 where they can't be listed."""
    try:
        return len(backend.texts.names(TextKind.INBOX))
    except StoreError:
        return 0
