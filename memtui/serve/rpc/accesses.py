"""What agents were told, counted together: each count has the index read again what it is about."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from store.values import AgentContext

EVERY = timedelta(seconds=60)
"""How long accesses wait to be counted. At 50,000 memories counting 400 takes 1.2 s, and 100
requests a second tell that many in four."""
_Told = tuple[set[str], "AgentContext"]


class Accesses:
    """Counts what each agent was told; a memory told often meanwhile counts once.

    `record` is told of an agent the ids, the last text, and its tokens.
    """

    def __init__(self, record: Callable[[str, set[str], str, int], None]) -> None:
        self._record = record
        self._told: dict[str, _Told] = {}
        self._since: datetime | None = None
        self._lock = Lock()

    def add(self, agent: str, context: AgentContext, now: datetime) -> None:
        """An agent was told a context; what has waited long enough is recorded."""
        with self._lock:
            ids, _ = self._told.get(agent, (set(), context))
            self._told[agent] = ids | set(context.ids), context
            self._since = self._since or now
            is_due = now - self._since >= EVERY
        if is_due:
            self.flush()

    def flush(self) -> None:
        """Record all that was told."""
        with self._lock:
            told, self._told, self._since = self._told, {}, None
        for agent, (ids, context) in told.items():
            self._record(agent, ids, context.text, context.tokens)
