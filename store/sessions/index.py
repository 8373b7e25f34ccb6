"""The index of sessions: every message, and every session as a whole. Derived, in the cache.

Two tantivy indexes in the shape of the memories' own, so that what searches and ranks those does
the same for sessions: one of messages, one of sessions. The searched text of a session is its
digest's: what was asked, decided and changed finds the sessions alike a task better than all that
was said (`python -m tests.bench.swe`). Both can be deleted at any time: digests come back from
their files with the next look, messages with the next reading of the session files.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from tantivy import Document, FieldType, IndexWriter, Occur, Searcher
from tantivy import Query as IndexQuery

from store.agents.client import SessionFile
from store.backends.protocol import Backend
from store.errors import StoreError
from store.model import Observation
from store.redaction.outgoing import Outgoing
from store.search.analyzers import backwards
from store.search.derived_index import DerivedIndex, load_seen
from store.search.documents import count_of, observation_of
from store.search.folder import guarded, opened
from store.search.schema import VERSION
from store.search.trouble import is_damage, reason_of
from store.sessions.digest_record import text_name
from store.sessions.documents import (
    digest_observation,
    document_of,
    message_observations,
    session_key_of,
    session_of,
)
from store.sessions.model import Neighbours, ReadSession, SessionDigest
from store.sessions.records import SessionRecords

T = TypeVar("T")
_MESSAGES, _SESSIONS = _PARTS = ("messages", "sessions")
_HEAP, _HEAP_BULK = 15_000_000, 120_000_000
_LONG, _MOMENT = 5.0, 0.2
"""Seconds to wait for another program that writes the index, and where an answer is urgent."""
_BULK = 2_000
"""Messages from which a writing uses a second thread and more memory."""
_READING = {"reading": "sessions-3"}
"""How files are read: an index of an earlier shape that read them so need not read them again."""
_IDENTITY = {**_READING, "version": VERSION}
_VERSION = re.compile(r"-v(\d+)-")


class FileMark(NamedTuple):
    """A session file as it was when it was read: bytes, and milliseconds since 1970. `session` is
    empty where it turned out to be none.
    """

    size: int
    mtime: int
    session: str


class IndexedDigest(NamedTuple):
    """A digest as it was indexed: its session, and its stamp."""

    session: str
    stamp: str


@dataclass(slots=True)
class Seen:
    """The digests that are indexed, by file name, and the session files whose messages are, by what
    `file_key` makes of their paths.
    """

    digests: dict[str, IndexedDigest] = field(default_factory=dict)
    files: dict[str, FileMark] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        return {"digests": self.digests, "files": self.files}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Seen:
        return cls(
            {name: IndexedDigest(*map(str, kept)) for name, kept in value["digests"].items()},
            {key: FileMark(*mark) for key, mark in value["files"].items()},
        )


def file_key(path: Path | str) -> str:
    """Return the key of a session file: not its path, which may hold what nobody is to keep."""
    return blake2b(str(path).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def mark_of(file: SessionFile, session: str = "") -> FileMark:
    return FileMark(file.size, round(file.modified.timestamp() * 1_000), session)


def unread(files: Sequence[SessionFile], known: Mapping[str, FileMark]) -> list[SessionFile]:
    """Return the files that were not read yet, or have changed since, newest first."""
    fresh = [
        file
        for file in files
        if (mark := known.get(file_key(file.path))) is None or mark[:2] != mark_of(file)[:2]
    ]
    return sorted(fresh, key=lambda file: (file.modified, str(file.path)), reverse=True)


class SessionIndex:
    """The index of one memory's sessions. Safe to share between threads."""

    def __init__(self, backend: Backend, folder: Path | None, outgoing: Outgoing) -> None:
        self._derived = DerivedIndex(folder, _IDENTITY, Seen, _PARTS)
        self.schema = self._derived.schema
        self._records = SessionRecords(backend, outgoing)
        self._guard = threading.RLock()

    @property
    def messages(self) -> Searcher:
        """A view of the messages at the last commit, the same until there is another."""
        self._open()
        return self._derived.searchers[_MESSAGES]

    @property
    def sessions(self) -> Searcher:
        """A view of the sessions at the last commit, the same until there is another."""
        self._open()
        return self._derived.searchers[_SESSIONS]

    @property
    def files(self) -> Mapping[str, FileMark]:
        """The session files whose messages are indexed, as they were when they were read."""
        self._open()
        return self._seen.files

    @property
    def is_open(self) -> bool:
        return self._derived.is_open

    @property
    def _seen(self) -> Seen:
        return self._derived.seen

    def catch_up(self) -> bool:
        """Index the digests that changed on disk, and forget those that are gone; whether any did.

        Reads no session file. Where another program writes the index, what it had is served.
        """
        with self._guard:
            changed = self._open() or self._derived.reload()
            current = self._records.stamps()
            known = {name: kept.stamp for name, kept in self._seen.digests.items()}
            if current == known:
                return changed
            fresh = [name for name, stamp in current.items() if known.get(name) != stamp]
            shown = {name: self._records.read_cleaned(name) for name in fresh}
            digests = {name: digest for name, digest in shown.items() if digest is not None}
            gone = [name for name in known if name not in current]
            with self._derived.held(_MOMENT, optional=True) as free:
                if not free:
                    return changed
                try:
                    self._follow(digests, gone, current)
                except StoreError:
                    return changed  # what was indexed before is served
            return True

    def rebuild(self, is_settled: Callable[[SessionDigest], bool] = lambda _: True) -> None:
        """Build the index anew of the digests and messages that are kept.

        Files that were read are not read again where their session `is_settled`. Raises
        `StoreError`.
        """
        with self._guard:
            others = {digest.id for digest in self._records.digests() if not is_settled(digest)}
            files = {key: mark for key, mark in self.files.items() if mark.session not in others}
            self._make()
            self._seen.files = files
            self.catch_up()

    def add(self, taken: Sequence[ReadSession], marks: Mapping[str, FileMark]) -> None:
        """Index sessions that were read, in place of what was known of them, in one commit.

        `marks` are the files they were read from. Raises `StoreError` where another program has
        been writing the index for five seconds.
        """
        with self._guard:
            self._open()
            with self._derived.held(_LONG) as free:
                if not free:
                    raise StoreError(
                        "Another program is updating the session index.", "Try again later."
                    )
                self._derived.reload()
                self._write(taken)
                stamps = self._records.stamps()
                for read in taken:
                    if (stamp := stamps.get(name := text_name(read.digest.id))) is not None:
                        self._seen.digests[name] = IndexedDigest(read.digest.id, stamp)
                self._seen.files.update(marks)
                self._save()

    def conversation(self, session_id: str) -> list[Observation]:
        """Return the messages of a session in order; none where they are not indexed."""
        of_session = self._of_session(session_id)
        nothing: list[tuple[int, Observation]] = []
        found = self.ask(lambda: list(_in_order(self.messages, of_session)), nothing)
        return [message for _, message in found if message.session_id == session_id]

    def neighbours(self, identifier: str) -> Neighbours:
        """The messages before and after one; empty where there are none, or it is not indexed."""

        def answer() -> Neighbours:
            named = IndexQuery.term_query(self.schema, "id", backwards(identifier), "basic")
            place = next((place for place, _ in _in_order(self.messages, named)), None)
            if place is None:
                return Neighbours()
            first, last = max(0, place - 1), place + 1
            near = IndexQuery.range_query(self.schema, "place", FieldType.Unsigned, first, last)
            of_session = self._of_session(session_of(identifier))
            both = IndexQuery.boolean_query([(Occur.Must, of_session), (Occur.Must, near)])
            found = {at: message.content for at, message in _in_order(self.messages, both)}
            return Neighbours(found.get(place - 1, ""), found.get(place + 1, ""), place)

        return self.ask(answer, Neighbours())

    def ask(self, question: Callable[[], T], missing: T) -> T:
        """Ask the index; `missing` where it turns out damaged, which empties it."""
        try:
            return question()
        except BaseException as error:  # tantivy's panics are no `Exception`
            if not is_damage(error):
                raise
        with self._guard:
            self._make()
        return missing

    def _follow(
        self, digests: Mapping[str, SessionDigest], gone: Sequence[str], stamps: Mapping[str, str]
    ) -> None:
        """Index changed digests, with the messages that are kept, and forget what is gone."""
        forgotten = {self._seen.digests.pop(name).session for name in gone}
        kept = {name: messages for name in digests if (messages := self._records.messages(name))}
        if kept:
            self._write([ReadSession(digests[name], kept[name]) for name in kept])
        with self._writers(_SESSIONS) as (writer,):
            for name, digest in digests.items():
                self._seen.digests[name] = IndexedDigest(digest.id, stamps[name])
                if name not in kept:
                    self._delete(writer, digest.id)
                    writer.add_document(document_of(digest_observation(digest), 0))
        if forgotten:
            self._remove(forgotten)
        files = self._seen.files
        self._seen.files = {
            key: mark for key, mark in files.items() if mark.session not in forgotten
        }
        self._save()

    def _write(self, taken: Sequence[ReadSession]) -> None:
        many = sum(len(read.messages) for read in taken) > _BULK
        with self._writers(*_PARTS, bulk=many) as (messages, sessions):
            for read in taken:
                for writer in (messages, sessions):
                    self._delete(writer, read.digest.id)
                sessions.add_document(document_of(digest_observation(read.digest), 0))
                for place, message in enumerate(message_observations(read.digest, read.messages)):
                    messages.add_document(document_of(message, place))

    def _remove(self, session_ids: set[str]) -> None:
        with self._writers(*_PARTS) as writers:
            for writer in writers:
                for session_id in session_ids:
                    self._delete(writer, session_id)

    def _delete(self, writer: IndexWriter, session_id: str) -> None:
        writer.delete_documents_by_query(self._of_session(session_id))

    def _of_session(self, session_id: str) -> IndexQuery:
        return IndexQuery.term_query(self.schema, "session", session_key_of(session_id))

    @contextmanager
    def _writers(self, *parts: str, bulk: bool = False) -> Iterator[Sequence[IndexWriter]]:
        """Writers of some parts, committed at the end; what they wrote is served then."""
        try:
            writers = [self._writer(part, bulk=bulk) for part in parts]
            yield writers
            for writer in writers:
                writer.commit()
                writer.wait_merging_threads()
            self._derived.show_commit(parts)
        except BaseException as error:  # tantivy's panics are no `Exception`
            if not is_damage(error) and not isinstance(error, OSError):
                raise
            why = reason_of(error, self._derived.folder) or "it is damaged"
            raise StoreError(f"The session index can't be written: {why}.") from error

    def _writer(self, part: str, *, bulk: bool) -> IndexWriter:
        heap, threads = (_HEAP_BULK, 2) if bulk and part == _MESSAGES else (_HEAP, 1)
        return self._derived.writer(part, heap=heap, threads=threads)

    def _open(self) -> bool:
        """Open the index where it is not open yet; whether it was opened."""
        with self._guard:
            if self._derived.is_open:
                return False
            if self._derived.folder is None or not self._derived.open_kept():
                self._make(unless_sound=True)
            return True

    def _make(self, *, unless_sound: bool = False) -> None:
        """Make an empty index: in the folder, or in memory where that can't be."""
        folder = self._derived.folder
        if folder is None:
            self._derived.move_to_memory()
            return

        def fill() -> None:
            self._seen.files = self._take_over(folder)
            self._save()

        try:
            self._derived.make(_LONG, unless_sound=unless_sound, fill=fill)
        except (OSError, StoreError):
            self._derived.move_to_memory()

    def _take_over(self, folder: Path) -> dict[str, FileMark]:
        """Write the messages of kept sessions that an earlier version of a new index has: all, or
        none where it can't be read. Return the session files that need not be read again for it.

        Agents delete their session files after a while, and then these messages are nowhere else.
        """
        earlier = _earlier_than(folder)
        if earlier is None:
            return {}
        sessions = {digest.id for digest in self._records.digests()}
        try:
            with self._writers(_MESSAGES) as (writer,):
                for message in _messages_in(earlier, sessions):
                    writer.add_document(message)
        except StoreError:
            return {}
        found = load_seen(earlier, _READING, Seen)
        files = {} if found is None else found[0].files
        return {key: mark for key, mark in files.items() if mark.session in sessions}

    def _save(self) -> None:
        """Write down what is indexed; a cache that can't be written is built anew next time."""
        with suppress(OSError, StoreError):
            self._derived.save()


def _earlier_than(folder: Path) -> Path | None:
    """Return the folder of the newest earlier version of an index; None where there is none."""
    own = _VERSION.search(folder.name)
    if own is None:
        return None
    before, after = folder.name[: own.start()], folder.name[own.end() :]
    found = {
        version: path
        for path in folder.parent.glob(f"{before}-v*-{after}")
        if (match := _VERSION.search(path.name)) and (version := int(match[1])) < int(own[1])
    }
    return found[max(found)] if found else None


def _messages_in(folder: Path, sessions: Container[str]) -> Iterator[Document]:
    """The messages in an index of another version as documents of this one, of these sessions."""
    index = guarded(partial(opened, folder / "messages"))
    if index is None:
        raise StoreError(f"Can't read the earlier session index in {folder}.")
    for place, message in _in_order(index.searcher(), IndexQuery.all_query()):
        if message.session_id in sessions:
            yield document_of(message, place)


def _in_order(searcher: Searcher, query: IndexQuery) -> Iterator[tuple[int, Observation]]:
    """The messages that a query finds with their places in their sessions, the first first."""
    hits = searcher.search(query, max(1, count_of(searcher, query)), count=False).hits
    addresses = [address for _, address in hits]
    places = map(int, (place or 0 for place in searcher.fast_field_values("place", addresses)))
    ordered = sorted(zip(places, addresses, strict=True), key=itemgetter(0))
    for place, address in ordered:
        yield place, observation_of(searcher.doc(address))
