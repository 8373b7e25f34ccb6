"""The tantivy index of a store: opened, kept in step with the files, and replaced when damaged.

It lives in the user's cache folder, or in memory where none can be written. Everything in it can
be deleted at any time and comes back by itself.
"""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import TypeVar

from tantivy import Index, IndexWriter, Searcher
from tantivy import Query as IndexQuery

from store.disk.activity import RecallLog, read_activity, recalled_ids
from store.disk.issue_records import Problem, read_issue, shelf_of
from store.disk.layout import ACTIVITY, issue_of
from store.errors import StoreError
from store.search.schema import (
    VERSION,
    Indexable,
    build_schema,
    digest_of,
    register_tokenizers,
    to_document,
)
from store.search.stamps import (
    Seen,
    Stamp,
    is_changed,
    load_seen,
    save_seen,
    stamp_of,
    stamps_of,
    with_hash,
)

T = TypeVar("T")
Progress = Callable[[int, int], None]
"""Called with the issues read so far and the issues to read in all."""

_SEEN = "seen.json"
_GATE = "writer.lock"
_HEAP = 15_000_000
_HEAP_BULK = 60_000_000
_BULK = 2_000
"""Documents from which a build uses a second thread and more memory."""
BUSY = "Another program is updating the index; this is the state before its update."


@dataclass(frozen=True, slots=True)
class Changes:
    """Which issues and which observations' recalls differ from what the index saw."""

    issues: frozenset[int]
    log_changed: bool
    stamps: Mapping[str, Stamp]

    def __bool__(self) -> bool:
        """Whether there is anything to catch up with."""
        return bool(self.issues) or self.log_changed


class SearchIndex:
    """The index of one store. Safe to share between threads."""

    def __init__(self, store: Path, cache: Path | None) -> None:
        self.store = store
        self.schema = build_schema()
        self.notice = ""
        self._folder = None if cache is None else cache / index_name(store)
        self._identity = {"store": str(store.resolve()), "version": VERSION}
        self._index: Index | None = None
        self._seen = Seen()
        self._log = RecallLog(store)
        self._guard = threading.RLock()

    @property
    def searcher(self) -> Searcher:
        """A view of the last commit. Raises `StoreError` where the index is not open."""
        if self._index is None:
            raise StoreError("The index is not open.", "Call catch_up first.")
        return self._index.searcher()

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The files and records that could not be read when they were last seen."""
        return self._seen.all_problems()

    @property
    def in_memory(self) -> bool:
        """Whether the index lives in memory, because no cache folder could be written."""
        return self._folder is None

    def changes(self) -> Changes:
        """What differs between the files and what the index saw. Reads stats, and fresh files."""
        current = stamps_of(self.store)
        known = self._seen.files
        names = {
            name
            for name, stamp in current.items()
            if is_changed(name, known.get(name), stamp, self.store)
        }
        names |= known.keys() - current.keys()
        issues = {issue for name in names if (issue := issue_of(name)) is not None}
        log_changed = stamp_of(self.store / ACTIVITY) != self._seen.log
        return Changes(frozenset(issues), log_changed, current)

    def catch_up(self, progress: Progress | None = None, *, wait: float = 2.0) -> bool:
        """Bring the index in step with the files; whether anything changed.

        Waits at most `wait` seconds for another program that is updating it; then the last
        commit is served and `notice` says so.
        """
        with self._guard:
            self.notice = ""
            opened = self._open()
            if not self.changes():
                return opened
            try:
                return self._follow(progress, wait) or opened
            except StoreError:
                self._go_to_memory()
            except BaseException as error:  # tantivy's panics are no `Exception`
                if not is_damage(error):
                    raise
                self._start_anew()
            return self._follow(progress, wait) or opened

    def ask(self, question: Callable[[Searcher], T]) -> T:
        """What the last commit answers; an index that turns out damaged is built anew first."""
        try:
            return question(self.searcher)
        except BaseException as error:  # tantivy's panics are no `Exception`
            if not is_damage(error):
                raise
        self.rebuild()
        return question(self.searcher)

    def rebuild(self, progress: Progress | None = None) -> None:
        """Throw the index away and build it from the files."""
        with self._guard:
            self._start_anew()
            self.catch_up(progress)

    def _open(self) -> bool:
        """Open the index where it is not open yet; whether it was opened."""
        if self._index is not None:
            return False
        if self._folder is not None:
            try:
                self._open_folder(self._folder)
                return True
            except (OSError, StoreError):
                self._folder = None
        self._go_to_memory()
        return True

    def _open_folder(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK):
            raise StoreError(f"{folder} can't be written.")
        seen = load_seen(folder / _SEEN, self._identity)
        if seen is not None:
            index = _guarded(lambda: _opened(folder))
            if index is not None:
                self._index, self._seen = index, seen
                return
        self._make_in(folder)

    def _make_in(self, folder: Path) -> None:
        """Make an empty index in a folder, in place of whatever is there."""
        folder.mkdir(parents=True, exist_ok=True)
        with self._writing(5.0) as free:
            if not free:
                raise StoreError("Another program is building the index.")
            _clear(folder)
            self._index = _guarded(lambda: Index(self.schema, path=str(folder)))
            if self._index is None:
                raise StoreError(f"No index can be made in {folder}.")
            register_tokenizers(self._index)
            self._seen = Seen()

    def _start_anew(self) -> None:
        """Replace the index by an empty one; in memory where it can't be in its folder."""
        if self._folder is not None:
            try:
                self._make_in(self._folder)
                return
            except (OSError, StoreError):
                self._folder = None
        self._go_to_memory()

    def _go_to_memory(self) -> None:
        self._folder = None
        self._index = Index(self.schema)
        register_tokenizers(self._index)
        self._seen = Seen()

    def _follow(self, progress: Progress | None, wait: float) -> bool:
        """Index what changed, under the index's lock; whether anything did."""
        with self._writing(wait) as free:
            if not free:
                self.notice = BUSY
                return self._reload()
            self._reload()
            return self._update(self.changes(), progress)

    def _reload(self) -> bool:
        """See another program's commit; whether there was one."""
        if self._folder is None or self._index is None:
            return False
        seen = load_seen(self._folder / _SEEN, self._identity)
        if seen is None or seen == self._seen:
            return False
        self._index.reload()
        self._seen = seen
        return True

    @contextmanager
    def _writing(self, wait: float) -> Iterator[bool]:
        """Hold the index's own lock; yields whether it was free within `wait` seconds."""
        if self._folder is None:
            yield True
            return
        from filelock import FileLock, Timeout

        lock = FileLock(self._folder / _GATE, fallback_to_soft=False, poll_interval=0.01)
        try:
            lock.acquire(timeout=wait)
        except Timeout:
            yield False
            return
        except OSError as error:
            raise StoreError(f"The index can't be written: {error.strerror}.") from error
        try:
            yield True
        finally:
            lock.release()

    def _update(self, changes: Changes, progress: Progress | None) -> bool:
        """Index what changed, in one commit. Must hold the index's lock."""
        if not changes:
            return False
        log_stamp = stamp_of(self.store / ACTIVITY)
        self._log.read_on()
        entries, log_offset = read_activity(self.store, self._seen.log_offset)
        issues = set(changes.issues)
        if self._seen.files:
            issues |= self._issues_of(recalled_ids(entries))
        stamps = dict(changes.stamps)
        by_issue: dict[int, list[str]] = {}
        for name in stamps:
            issue = issue_of(name)
            if issue in issues:
                by_issue.setdefault(issue, []).append(name)
        bulk = sum(stamps[name].size for names in by_issue.values() for name in names) > _BULK * 500
        writer = self._writer(bulk=bulk)
        changed = False
        try:
            for done, issue in enumerate(sorted(issues)):
                if progress is not None:
                    progress(done, len(issues))
                for name in by_issue.get(issue, ()):
                    stamps[name] = with_hash(name, stamps[name], self.store)
                changed |= self._index_issue(writer, issue)
            if changed:
                writer.commit()
                writer.wait_merging_threads()
        except BaseException:
            del writer
            raise
        if progress is not None:
            progress(len(issues), len(issues))
        if changed and self._index is not None:
            self._index.reload()
        files = {name: stamp for name, stamp in self._seen.files.items() if name in stamps}
        files.update({name: stamps[name] for names in by_issue.values() for name in names})
        self._seen = Seen(files, log_stamp, log_offset, self._seen.problems)
        if self._folder is not None:
            save_seen(self._folder / _SEEN, self._seen, self._identity)
        return True

    def _writer(self, *, bulk: bool) -> IndexWriter:
        if self._index is None:
            raise StoreError("The index is not open.")
        heap, threads = (_HEAP_BULK, 2) if bulk else (_HEAP, 1)
        return self._index.writer(heap_size=heap, num_threads=threads)

    def _index_issue(self, writer: IndexWriter, issue: int) -> bool:
        """Bring the documents of one issue in step; whether any changed."""
        records = read_issue(self.store, issue)
        present = self._digests(issue)
        wanted: set[int] = set()
        for place, (name, record) in enumerate(records.standing()):
            shelf = shelf_of(name)
            recalls = self._log.uncounted(record.value)
            digest = digest_of(record.text, shelf, issue, recalls)
            if digest in present or digest in wanted:
                wanted.add(digest)
                continue
            observation = records.observation(name, record)
            if observation is not None:
                wanted.add(digest)
                item = Indexable(observation, record.text, shelf, place, digest, recalls)
                writer.add_document(to_document(item))
        # By query: `delete_documents_by_term` silently misses unsigned values (tantivy 0.27).
        for digest in present - wanted:
            gone = IndexQuery.term_query(self.schema, "digest", digest)
            writer.delete_documents_by_query(gone)
        if records.problems:
            self._seen.problems[issue] = records.problems
        else:
            self._seen.problems.pop(issue, None)
        return present != wanted

    def _digests(self, issue: int) -> set[int]:
        searcher = self.searcher
        query = IndexQuery.term_query(self.schema, "issue", issue)
        count = count_of(searcher, query)
        if not count:
            return set()
        hits = searcher.search(query, count, count=False).hits
        values = searcher.fast_field_values("digest", [address for _, address in hits])
        return {int(value) for value in values if value is not None}

    def _issues_of(self, identifiers: set[str]) -> set[int]:
        if not identifiers:
            return set()
        searcher = self.searcher
        query = IndexQuery.term_set_query(self.schema, "id", sorted(identifiers))
        hits = searcher.search(query, max(1, count_of(searcher, query)), count=False).hits
        values = searcher.fast_field_values("issue", [address for _, address in hits])
        return {int(value) for value in values if value is not None}


def is_damage(error: BaseException) -> bool:
    """Whether an error says that the index is damaged: tantivy's own, or a record cut in it."""
    damaged = isinstance(error, ValueError) and not isinstance(error, UnicodeError)
    return damaged or type(error).__name__ == "PanicException"


def count_of(searcher: Searcher, query: IndexQuery) -> int:
    """How many documents a query finds."""
    return int(searcher.search(query, 1).count)  # type: ignore[attr-defined]


def index_name(store: Path) -> str:
    """The folder of a store's index in the cache: its path's hash and the schema's version."""
    digest = blake2b(str(store.resolve()).encode("utf-8", "surrogateescape"), digest_size=8)
    return f"{digest.hexdigest()}-v{VERSION}"


def default_cache() -> Path:
    """The user's cache folder for memtui."""
    from platformdirs import user_cache_path

    return user_cache_path("memtui", appauthor=False)


def _opened(folder: Path) -> Index:
    index = Index.open(str(folder))
    register_tokenizers(index)
    index.searcher().search(IndexQuery.all_query(), 1)
    return index


def _guarded(make: Callable[[], Index]) -> Index | None:
    """The index, or `None` where it is damaged: tantivy's panics are no `Exception`."""
    try:
        return make()
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException:  # noqa: BLE001 - pyo3's PanicException derives from BaseException
        return None


def _clear(folder: Path) -> None:
    for entry in folder.iterdir():
        if entry.name != _GATE:
            if entry.is_dir():
                shutil.rmtree(entry, ignore_errors=True)
            else:
                entry.unlink(missing_ok=True)
