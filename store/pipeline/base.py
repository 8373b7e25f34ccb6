"""One opened memory: its parts, catching up with the files, settling what was written."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from time import perf_counter
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeVar

from store.backends import open_backend
from store.errors import LockTimeout, ReadOnly, StoreError
from store.event_bus import EventBus
from store.model import Observation
from store.recorder import Recorder
from store.search.folder import default_cache
from store.search.index import SearchIndex
from store.settings import Settings
from store.settings_files import given_settings, load_settings

if TYPE_CHECKING:
    from tantivy import Searcher

    from store.backends.protocol import Backend
    from store.redaction.outgoing import Outgoing
    from store.search.reader import Answers
    from store.search.update import Progress
    from store.validation.prepare import Prepared

T = TypeVar("T")
Clock = Callable[[], datetime]
NewId = Callable[[str, int, datetime], str]


class OpenedMemory:
    """What every part of the door works on: the store, its index, the recorder, the settings."""

    def __init__(
        self,
        location: Path | str | Backend,
        *,
        cache: Path | None = None,
        settings: Settings | None = None,
        clock: Clock | None = None,
        new_id: NewId | None = None,
    ) -> None:
        self._clock = clock or (lambda: datetime.now(UTC))
        self.backend = (
            open_backend(location, self._clock) if isinstance(location, Path | str) else location
        )
        self.path = self.backend.folder
        self._given = settings
        self.reload_settings()
        self.events = EventBus()
        self._new_id = new_id
        self._cache = cache or default_cache()
        self._index = SearchIndex(self.backend, self._cache)
        self._recorder = Recorder(
            self.backend,
            self.events,
            self._clock,
            keep_days=self.settings.recall_texts_days,
            keep_bytes=self.settings.recall_texts_mb * 1_000_000,
        )
        self._opened = False
        self._lags = False
        self._unsettled: set[int] = set()

    def reload_settings(self) -> None:
        """Take the settings from their files again; those that a program gave stay."""
        given = self._given
        loaded = load_settings(self.path) if given is None else given_settings(given)
        self.settings = loaded.settings
        self.settings_sources = loaded.sources
        self.settings_mistakes = loaded.mistakes
        self.settings_notes = loaded.notes

    @cached_property
    def _outgoing(self) -> Outgoing:
        from store.redaction.outgoing import Outgoing

        return Outgoing(self._index.folder)

    def _prepare(self, observation: Observation) -> Prepared:
        """An observation checked, cleaned and completed. Raises `InvalidObservation`."""
        from store.validation.prepare import make_id, prepare

        return prepare(observation, self._clock(), self._new_id or make_id)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Settle what was written. Never raises for derived files: the next write settles them."""
        if self._unsettled and not self._lags:
            self.settle()

    def settle(self, progress: Progress | None = None) -> None:
        """Bring the index and the manifest in step with what was written.

        Where that fails it is told as a problem: the next write settles them.
        """
        try:
            self._settle(progress)
        except ReadOnly:
            return  # said already of the change itself, which could not be written either
        except StoreError as error:
            kind = "lock-timeout" if isinstance(error, LockTimeout) else "not-settled"
            self._recorder.problem(kind, f"{error.message} The next write settles it.")

    def _settle(self, progress: Progress | None = None) -> None:
        issues, self._unsettled = self._unsettled, set()
        self._catch_up(progress)
        self._outgoing.save()
        started = perf_counter()
        if self.backend.settle(issues):
            self._recorder.problem(
                "manifest-rebuilt",
                "Memory manifest rebuilt from issue files "
                f"(took {(perf_counter() - started) * 1_000:,.0f}ms).",
            )

    def open_as_left(self) -> bool:
        """Open the index as it was left, to be asked with `fresh=False` until `refresh` looks at

        the files; whether there is anything in it.
        """
        self._opened = self._index.open()
        return self._opened

    def refresh(self, progress: Progress | None = None) -> bool:
        """Catch up with the files, and settle what was written here; whether anything changed.

        `progress` is told the issues read so far, and all to read.
        """
        if self._unsettled:
            self.settle(progress)
            return True
        return self._catch_up(progress)

    def refresh_quickly(self, most: int) -> bool:
        """Catch up with the files where at most `most` bytes of them changed; whether that was so.

        Else what is asked here is answered from the index as it was left, or from the newest files
        alone where there is none, and what is written here is settled by who opens memory next.
        """
        self._lags = not self._index.catch_up_quickly(most)
        self._opened = True
        return not self._lags

    @property
    def index_notice(self) -> str:
        """Why what is found may lag behind the files, or takes long; empty where all is well."""
        return self._index.notice

    def on_problem(self, listener: Callable[[str], None]) -> None:
        """Have a listener told of what failed while memory went on, a sentence each.

        It is called from the thread in which that happens, and stands in the log too.
        """
        self._recorder.on_problem(listener)

    def record_failure(self, kind: str, message: str, session_id: str = "") -> None:
        """Keep in the activity log that something was to be done and could not be."""
        self._recorder.failed(kind, message, {"sessionId": session_id} if session_id else None)

    def _catch_up(self, progress: Progress | None, *, recount: bool = False) -> bool:
        changed = self._index.catch_up(progress, recount=recount)
        self._opened = True
        return changed

    def _ask(
        self, question: Callable[[Searcher], T], *, fresh: bool = True, recount: bool = False
    ) -> T:
        """What the index answers. With `recount`, its order and filters by use are up to date."""
        if fresh or not self._opened or (recount and self._index.tail):
            self._catch_up(None, recount=recount)
        return self._index.ask(question)

    def _answers(self, searcher: Searcher) -> Answers:
        from store.search.reader import Answers

        return Answers(searcher, self._index.schema, self._index.tail)
