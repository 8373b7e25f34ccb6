"""The tantivy index of a store: opened, kept in step with the files, and replaced when damaged.

It lives in the user's cache folder, or in memory where none can be written. Everything in it can
be deleted at any time and comes back by itself.
"""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from tantivy import Searcher

from store.backends.activity import RecallLog
from store.backends.protocol import Backend
from store.errors import Away, StoreError
from store.model import Problem
from store.notice import Notice, notice
from store.platform.write import make_private
from store.search.derived_index import DerivedIndex
from store.search.documents import Tail
from store.search.folder import SEEN, index_name, leave
from store.search.schema import VERSION
from store.search.seen import TAIL, Changes, Progress, RecallTail, Seen, find_changes
from store.search.trouble import Trouble, is_damage, trouble_of, unwritable, why

T = TypeVar("T")
BUSY = notice("index-busy")
LAGS = notice("index-lags")
_LONG, _MOMENT = 5.0, 0.2
"""Seconds to wait for another program that makes the index, and where an answer is urgent."""
_SMALL = 16_000_000
"""Bytes of records up to which an index in memory is built at each start, where none can be kept:
a second of work. Beyond, the last commit answers."""
_RETRY = 60.0
"""Seconds before an index that could not be written is tried again."""


class SearchIndex:
    """The index of one store. Safe to share between threads."""

    def __init__(self, backend: Backend, cache: Path | None) -> None:
        self.backend = backend
        folder = None if cache is None else cache / index_name(backend.identity)
        identity = {"store": backend.identity, "version": VERSION}
        self._derived = DerivedIndex(folder, identity, Seen)
        self.schema = self._derived.schema
        self.notice: Notice | None = None
        self.uncounted = TAIL
        """Bytes of the log from which recalls are counted into the index unasked."""
        self._tail = RecallTail(backend)
        self._log = RecallLog(backend.log)
        self._trouble: Notice | None = None
        self._retry_at = 0.0
        self._guard = threading.RLock()

    @property
    def searcher(self) -> Searcher:
        """A view of the last commit, the same one until there is another.

        Raises `StoreError` where the index is not open.
        """
        if not self._derived.is_open:
            raise StoreError("The index is not open.", "Call catch_up first.")
        return self._derived.searchers[""]

    @property
    def tail(self) -> Tail:
        """The recalls that the index does not count yet."""
        return self._tail.times

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The files and records that could not be read when they were last seen."""
        return self._seen.all_problems()

    @property
    def folder(self) -> Path | None:
        """The folder of derived data; None where none can be kept."""
        return self._derived.folder

    @property
    def _seen(self) -> Seen:
        return self._derived.seen

    def open(self) -> bool:
        """Open the index as it was left, looking at no file; whether it has seen any."""
        with self._guard:
            self._open()
            return bool(self._seen.stamps)

    def catch_up(
        self, progress: Progress | None = None, *, wait: float = 2.0, recount: bool = False
    ) -> bool:
        """Bring the index in step with the files; whether anything changed.

        Waits at most `wait` seconds for another program that is updating it; then the last
        commit is served, with a `notice`. Recalls in the log are counted when
        observations are read; with `recount` they are indexed, for order and filters by use.
        """
        with self._guard:
            is_new = self._open()
            self.notice = self._trouble
            try:
                return self._look(progress, wait, recount=recount) or is_new
            except Away as error:
                return self._stay(error) or is_new

    def take_vanished(self) -> frozenset[str]:
        """The ids that files had and have no more, each once; none while the index is busy."""
        with self._guard:
            if not self._seen.vanished:
                return frozenset()
            with self._derived.held(0, optional=True) as free:
                self._derived.reload()
                found = self._seen.vanished if free else frozenset()
                if found:
                    self._seen.vanished = frozenset()
                    self._derived.save()
                return found

    def _look(self, progress: Progress | None, wait: float, *, recount: bool) -> bool:
        changed, log = False, None
        if not self._derived.is_intact():
            self._start_anew()  # what tantivy wrote was changed, and would give wrong answers
        if time.monotonic() >= self._retry_at:
            found = find_changes(self.backend, self._seen, self.uncounted, recount=recount)
            log, self.notice = found.log, self._trouble or self._absence()
            if found:
                changed = self._followed(found, progress, wait, recount=recount)
        return self._tail.read(self._seen.log_end, log) or changed

    def _stay(self, error: Away) -> bool:
        """Answer from the last commit, where there is one, while memory is away."""
        if not self._seen.stamps:
            raise error
        self.notice = notice("index-away", why=error.message)
        return False

    def _absence(self) -> Notice | None:
        """Return that a level does not answer, of which the index has what it had."""
        for level, since in self.backend.levels.away.items():
            return notice("level-away", level=level, since=since)
        return None

    def catch_up_quickly(self, most: int) -> bool:
        """Catch up where that means reading at most `most` bytes; whether all is in step then.

        Else the index answers as it was left until it is opened anew; where there is none yet, the
        newest files do, up to `most` bytes of them, in memory.
        """
        with self._guard:
            self._open(_MOMENT)
            try:
                changes = find_changes(self.backend, self._seen, self.uncounted)
            except Away as error:
                return self._stay(error)
            if not changes and self._seen.stamps:
                self.notice = self._trouble or self._absence()
                self._tail.read(self._seen.log_end, changes.log)
                return not self._trouble
            if changes.size <= most:
                self.catch_up(wait=_MOMENT)
                return self.notice in (None, self._absence())
            if not self._seen.stamps:
                self._go_to_memory()
                self._update(changes.newest(most), None, complete=False)
            self._retry_at, self.notice, self._trouble = math.inf, LAGS, LAGS
            return False

    def index_newest(self, most: int) -> bool:
        """Index the newest files first, up to `most` bytes of them, where there is no index yet.

        Who looks meanwhile is answered from those; whether there are others left to be indexed.
        """
        with self._guard:
            self._open()
            changes = find_changes(self.backend, self._seen)
            if self._seen.stamps or changes.size <= most:
                return False
            self._followed(changes.newest(most), None, _MOMENT, recount=False)
            return True

    def _followed(
        self, changes: Changes, progress: Progress | None, wait: float, *, recount: bool
    ) -> bool:
        """As `_follow`; a damaged index is replaced, one that can't be written made do without."""
        for _ in range(2):
            try:
                return self._follow(changes, progress, wait, recount=recount)
            except BaseException as error:  # tantivy's panics are no `Exception`
                trouble, reason = trouble_of(error, self.folder), why(error, self.folder)
                if trouble is None or self.folder is None:
                    raise
            if trouble is not Trouble.DAMAGED:
                break
            self._start_anew()
        if self._seen.stamps and self.backend.size() > _SMALL:
            self.notice = self._trouble = unwritable(self.folder, reason, stale=True)
            self._retry_at = time.monotonic() + _RETRY
            return False
        self._go_to_memory(reason)
        return self._follow(changes, progress, wait, recount=recount)

    def ask(self, question: Callable[[Searcher], T]) -> T:
        """Ask the last commit; an index that turns out damaged is built anew first."""
        try:
            return question(self.searcher)
        except BaseException as error:  # tantivy's panics are no `Exception`
            if not is_damage(error):
                raise
        self.rebuild()
        return question(self.searcher)

    def rebuild(self, progress: Progress | None = None) -> None:
        with self._guard:
            self._start_anew()
            self.catch_up(progress)

    def _open(self, wait: float = _LONG) -> bool:
        """Open the index where it is not open yet; whether it was opened."""
        if self._derived.is_open:
            return False
        if self.folder is None:
            self._go_to_memory()
            return True
        try:
            make_private(self.folder)
            if not os.access(self.folder, os.W_OK):
                raise StoreError(f"{self.folder} can't be written.")
            if not self._derived.open_kept():
                self._derived.make(wait, unless_sound=True)
        except (OSError, StoreError) as error:
            self._go_to_memory(why(error, self.folder))
        return True

    def _start_anew(self) -> None:
        """Replace the index by an empty one; in memory where it can't be in its folder."""
        if self.folder is None:
            self._go_to_memory()
            return
        try:
            self._derived.make(_LONG)
        except (OSError, StoreError) as error:
            self._go_to_memory(why(error, self.folder))

    def _go_to_memory(self, reason: str = "") -> None:
        """Make an index in memory; `reason` is what was wrong with the one in the folder."""
        if reason and self.folder is not None:
            self.notice = self._trouble = unwritable(self.folder, reason, stale=False)
            if not self._seen.stamps:
                leave(self.folder)
        self._derived.move_to_memory()

    def _follow(
        self, changes: Changes, progress: Progress | None, wait: float, *, recount: bool
    ) -> bool:
        """Index what changed, under the index's lock; whether anything did."""
        with self._derived.held(wait) as free:
            if not free:
                self.notice = BUSY
                return self._derived.reload()
            reloaded = self._derived.reload() or self._begin_again()
            if changes.seen is not self._seen:
                changes = find_changes(self.backend, self._seen, self.uncounted, recount=recount)
            return self._update(changes, progress) or reloaded

    def _begin_again(self) -> bool:
        """Make anew what another program began anew and left empty; whether it had."""
        if self.folder is None or not self._seen.stamps or (self.folder / SEEN).exists():
            return False
        self._derived.empty()
        return True

    def _update(
        self, changes: Changes, progress: Progress | None, *, complete: bool = True
    ) -> bool:
        """Index what changed; whether any answer may differ now. Must hold the index's lock."""
        if not changes:
            return False
        from store.search.update import Update  # most openings change nothing

        update = Update(self.backend, self._derived.index(), self.schema, self._seen, self._log)
        self._derived.seen, changed = update.run(changes, progress, complete=complete)
        self._derived.show_commit([""])
        self._derived.save()
        return changed
