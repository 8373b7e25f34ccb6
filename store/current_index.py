"""The search index of an opened store, kept current: it follows the files, and what was written."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, TypeVar

from tantivy import Searcher

from store.activity.recorder import Recorder
from store.backends.protocol import Backend
from store.errors import LockTimeout, ReadOnly, StoreError
from store.model import MANY_OBSERVATIONS, Problem
from store.notice import Notice
from store.platform.lazy_property import lazy_property
from store.redaction.outgoing import Outgoing
from store.search.alerts import check_size
from store.search.fields import IdsOf, no_ids
from store.search.index import SearchIndex
from store.search.seen import LONG, Progress

if TYPE_CHECKING:
    from store.search.reader import IndexReader

T = TypeVar("T")


class CurrentIndex:
    """The index of one opened store, in step with its files whenever it is asked."""

    def __init__(self, backend: Backend, cache: Path | None, recorder: Recorder) -> None:
        self.index = SearchIndex(backend, cache)
        self.ids_of: IdsOf = no_ids
        self._backend = backend
        self._recorder = recorder
        self._opened = False
        self._lags = False
        self._just_looked = False
        self._just_wrote = False
        self._counting = False
        self._unsettled: set[int] = set()
        self._before_first_look: Callable[[], None] | None = None
        self._reports_missing = False

    @lazy_property
    def outgoing(self) -> Outgoing:
        """The screen for outgoing texts, which remembers clean ones."""
        return Outgoing(self.index.folder)

    @property
    def notice(self) -> Notice | None:
        """The reason why results may lag behind the files; None where all is well."""
        return self.index.notice

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The files and records that could not be read when they were last looked at."""
        return self.index.problems

    def before_first_look(self, action: Callable[[], None]) -> None:
        """Have an action run once, before the index first looks at the files.

        Of its `StoreError` nothing is reported here: it is to be repeated by the next command.
        """
        self._before_first_look = action

    def report_missing(self) -> None:
        """Report from now on how many memories are in no file, where some vanished from theirs."""
        self._reports_missing = True

    def defer_recall_counts(self) -> None:
        """Answer first: the recalls of the log are counted in by `count_recalls` alone.

        Until then up to 4 MB of the log are counted when observations are read.
        """
        self.index.uncounted = LONG

    def count_recalls(self) -> None:
        """Count the recalls of the log into the index: 3 s of CPU for 9,000 memories.

        Who looks meanwhile, in another thread, is answered from the index as it is, unless
        something was written here.
        """
        self._counting = True
        try:
            self.index.catch_up(recount=True)
        finally:
            self._counting = False

    def wrote(self, issues: Iterable[int]) -> None:
        """Issues were written: index and manifest are to follow, the index before it is asked."""
        self._unsettled.update(issues)
        self._just_looked = False
        self._just_wrote = True

    def close(self) -> None:
        """Settle what was written. Never raises for derived files: the next write settles them."""
        if self._unsettled and not self._lags:
            self.settle(looks=self._just_wrote)
        self.outgoing.save()
        self._backend.release()

    def settle(self, progress: Progress | None = None, *, looks: bool = True) -> None:
        """Bring the index and the manifest in step with what was written.

        Where that fails it is reported as a problem: the next write settles them. Without `looks`,
        the index has what was written, and the files are not looked at again.
        """
        try:
            self.settle_now(progress, looks=looks)
        except ReadOnly:
            return  # reported already of the change itself, which could not be written either
        except StoreError as error:
            kind = "lock-timeout" if isinstance(error, LockTimeout) else "not-settled"
            self._recorder.problem(kind, error.message)

    def settle_now(self, progress: Progress | None = None, *, looks: bool = True) -> None:
        """As `settle`, but raises `StoreError` where that fails."""
        issues, self._unsettled = self._unsettled, set()
        if looks:
            self._look(progress)
        self.outgoing.save()
        started = perf_counter()
        if self._backend.settle(issues):
            self._recorder.problem("manifest-rebuilt", took=(perf_counter() - started) * 1_000)
        if issues:
            check_size(self._backend, self._recorder, self._held(), self.index.folder)

    def _held(self) -> int:
        most = self.index.searcher.num_docs
        if most <= MANY_OBSERVATIONS:
            return most
        from store.search.figures import held  # only of a large index

        total, _ = self.index.ask(lambda searcher: held(searcher, self.index.schema))
        return total

    def rebuild(self) -> None:
        """Build the index anew of the files. Raises `StoreError`."""
        self._just_wrote = False
        self.index.rebuild()
        self._opened = True

    def open_existing(self) -> bool:
        """Open the index as it was left; whether there is anything in it.

        It is asked with `fresh=False` until `refresh` looks at the files.
        """
        self._opened = self.index.open()
        return self._opened

    def refresh(self, progress: Progress | None = None) -> bool:
        """Catch up with the files, and settle what was written here; whether anything changed.

        `progress` is called with the issues read so far, and all to read.
        """
        if self._unsettled:
            self.settle(progress)
            return True
        return self._catch_up(progress)

    def refresh_quickly(self, most: int) -> bool:
        """Catch up with the files where at most `most` bytes of them changed; whether that was so.

        Else what is asked here is answered from the index as it was left, or from the newest files
        alone where there is none, and what is written here is settled by who opens memory next.
        For who is done in a moment: until something is written, no file is looked at again.
        """
        self._lags = not self.index.catch_up_quickly(most)
        self._opened = self._just_looked = True
        return not self._lags

    def index_newest(self, most: int) -> bool:
        """Index the newest files first, as `SearchIndex.index_newest` does; whether it did."""
        begun = self.index.index_newest(most)
        self._opened = True
        return begun

    def ask(
        self, question: Callable[[Searcher], T], *, fresh: bool = True, recount: bool = False
    ) -> T:
        """Ask the index. With `recount`, its order and filters by use are up to date."""
        to_count = recount and bool(self.index.tail)
        is_behind = (fresh and not self._just_looked) or self._just_wrote or not self._opened
        if is_behind or to_count:
            self._catch_up(None, recount=recount)
        return self.index.ask(question)

    def issues_of(self, identifiers: Iterable[str]) -> dict[str, int]:
        """The issue of each observation that is there, by its whole id, in step with the files."""
        wanted = list(identifiers)
        if not wanted:
            return {}
        return self.ask(lambda searcher: self.reader(searcher).issues_of(wanted))

    def reader(self, searcher: Searcher) -> IndexReader:
        from store.search.reader import IndexReader  # a recall asks without

        is_whole = all(problem.is_restored for problem in self.index.problems)
        return IndexReader(
            searcher,
            self.index.schema,
            self.index.tail,
            self.outgoing.clean_page,
            is_whole=is_whole,
            ids_of=self.ids_of,
        )

    def _catch_up(self, progress: Progress | None, *, recount: bool = False) -> bool:
        if self._counting and self._opened and not self._unsettled:
            return False
        return self._look(progress, recount=recount)

    def _look(self, progress: Progress | None, *, recount: bool = False) -> bool:
        """Look at the files, and index what changed; whether anything did."""
        action, self._before_first_look = self._before_first_look, None
        if action is not None:
            with suppress(StoreError):  # the doctor reports it, and the next command tries again
                action()
        self._just_wrote = False
        changed = self.index.catch_up(progress, recount=recount)
        self._opened = True
        if self._reports_missing:
            self._count_missing()
        return changed

    def _count_missing(self) -> None:
        if not (vanished := self.index.take_vanished()):
            return
        from store.operations.missing import count_missing  # few commands find that any vanished

        with suppress(StoreError):  # the doctor looks, too
            if missing := count_missing(self._backend, vanished):
                self._recorder.problem("missing", str(missing))
