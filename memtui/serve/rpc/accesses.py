"""Retrievals by agents, written down together, and counted where no answer waits for it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from threading import Lock, Thread

from store.evolving.context import AgentContext

EVERY = timedelta(seconds=60)
"""How long accesses wait to be written down: a line of the log for each agent."""
COUNTED_EVERY = timedelta(minutes=5)
"""How long the log's lines wait to be counted into the index. At 50,000 memories counting 9,000
takes 3 s of CPU, and 100 requests a second tell that many in a minute."""
_MOST = 2_000_000
"""Bytes of ids that wait so: from twice as many on, who looks for changes would have to count them.
Six agents that ask 100 times a second are told a million in a minute."""
_Told = tuple[set[str], "AgentContext"]


class Accesses:
    """Counts what each agent was told; a memory told often meanwhile counts once.

    `record` is told of an agent the ids, the last text, and its tokens. `count` is called in a
    thread of its own.
    """

    def __init__(
        self, record: Callable[[str, set[str], str, int], None], count: Callable[[], None]
    ) -> None:
        self._record = record
        self._count = count
        self._told: dict[str, _Told] = {}
        self._since: datetime | None = None
        self._uncounted: datetime | None = None
        self._recorded = 0
        """Bytes of the ids that were recorded since they were counted last."""
        self._counting: Thread | None = None
        self._lock = Lock()

    @property
    def are_counted(self) -> bool:
        """Counting is under way: the index may have to be waited for."""
        return self._counting is not None and self._counting.is_alive()

    def add(self, agent: str, context: AgentContext, now: datetime) -> None:
        """An agent was told a context; what has waited long enough is recorded."""
        with self._lock:
            ids, _ = self._told.get(agent, (set(), context))
            self._told[agent] = ids | set(context.ids), context
            self._since = self._since or now
            self._uncounted = self._uncounted or now
            is_due = now - self._since >= EVERY
            is_late = now - self._uncounted >= COUNTED_EVERY or (is_due and self._size() > _MOST)
            is_to_count = is_late and not self.are_counted
            if is_to_count:
                self._uncounted = None
                self._counting = Thread(target=self._flush_and_count, name="memtui-count")
                self._counting.start()
        if is_due and not is_to_count:
            self.flush()

    def flush(self) -> None:
        """Record all that was told."""
        with self._lock:
            self._recorded = self._size()
            told, self._told, self._since = self._told, {}, None
        for agent, (ids, context) in told.items():
            self._record(agent, ids, context.text, context.tokens)

    def _flush_and_count(self) -> None:
        """Recorded by this thread: nobody who looks meanwhile is to find as much uncounted."""
        self.flush()
        self._recorded = 0
        self._count()

    def _size(self) -> int:
        """Bytes of the ids that are to be counted, recorded or not."""
        return self._recorded + sum(sum(map(len, ids)) for ids, _ in self._told.values())

    def close(self) -> None:
        """Record all that was told, and count it."""
        self.flush()
        if self._counting is not None:
            self._counting.join()
        if self._uncounted is not None:
            self._count()
