"""Usage: what sessions did with the memories that they were given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from contextlib import suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import NamedTuple

from tantivy import Searcher

from store.agents.client import Home
from store.agents.context_files import context_text
from store.agents.registry import client_named
from store.agents.session import Session
from store.backends.activity import recall_entries
from store.errors import AmbiguousId, NotFound, StoreError
from store.model import Observation
from store.opened_store import OpenedStore
from store.platform.json_fields import string, strings
from store.records import time_or_none
from store.sessions.model import SessionDigest
from store.sessions.service import Sessions
from store.sessions.session_file import read_file
from store.usage.evidence import Recalled, moments_of, outcome_of
from store.usage.kept import UNREAD, KeptUsage, ReadSession
from store.usage.values import Outcome

_AT_ONCE = 64_000_000
"""Bytes of session files that one refresh reads; the next goes on."""
_LEAST_COMMON, _COMMON = 3, 4
"""Sessions that open a file unasked, at least, and one in how many, for it to show nothing."""


class _Recall(NamedTuple):
    """A recall: when it was, the name of its text, and the ids of its memories."""

    at: datetime
    text: str
    ids: tuple[str, ...]


class Openings:
    """The sessions that opened files, by the files' names."""

    def __init__(self, digests: Sequence[SessionDigest]) -> None:
        self._sessions = len(digests)
        self._by_name: dict[str, set[str]] = {}
        for digest in digests:
            for path in (*digest.changed, *digest.read):
                self._by_name.setdefault(path.rpartition("/")[2], set()).add(digest.id)

    def is_common(self, name: str, without: Set[str]) -> bool:
        """Return whether so many sessions open a file of this name that it shows nothing of one:
        `package.json`, `index.ts`; `without` those that were given of it.
        """
        others = self._by_name.get(name, set()) - without
        return len(others) >= max(_LEAST_COMMON, (self._sessions - len(without)) / _COMMON)


class Usage:
    """What became of what was given. It is worked out by `refresh`, in the background; all else
    reads what is kept of that.
    """

    def __init__(self, store: OpenedStore, sessions: Sessions, kept: KeptUsage) -> None:
        self._store, self._sessions, self._kept = store, sessions, kept

    def refresh(self) -> bool:
        """Read the sessions that were given something and have ended, or gone on, since they were
        read; whether there were any.

        For the background: it reads whole transcripts. A session counts once it is indexed or
        captured, and while its file and the texts that it was given are there.
        """
        by_session = self._recalls()
        by_memory = _sessions_by_memory(by_session)
        digests = self._sessions.digests() if by_session else []
        openings = Openings(digests)
        kept, read, size = self._kept.load().sessions, dict[str, ReadSession](), 0
        for digest in digests:  # the newest first
            recalls = by_session.get(digest.id, ())
            path = self._sessions.file_of(digest) if recalls else None
            if path is None or size > _AT_ONCE:
                continue
            with suppress(OSError, StoreError):  # gone, or no session any more
                stat = path.stat()
                stamp = (stat.st_size, stat.st_mtime_ns, len(recalls))
                if kept.get(digest.id, UNREAD).stamp != stamp:
                    found = self._outcomes(path, digest.id, recalls, by_memory, openings)
                    read[digest.id] = ReadSession(recalls[-1].at, stamp, found)
                    size += stat.st_size
        if read:
            self._keep(read)
        return bool(read)

    def _keep(self, read: Mapping[str, ReadSession]) -> None:
        """Keep sessions, without the memories that were forgotten while they were read."""
        held = self._memories({id_ for session in read.values() for id_ in session.outcomes})
        kept = dict(self._kept.load().sessions)
        for name, session in read.items():
            found = {id_: one for id_, one in session.outcomes.items() if id_ in held}
            # What was given in texts that are gone can't be judged again.
            kept[name] = session._replace(outcomes={**kept.get(name, UNREAD).outcomes, **found})
        self._kept.keep(kept)

    def _recalls(self) -> Mapping[str, Sequence[_Recall]]:
        """Return the recalls in the log by session, oldest first; without those that name none, and
        those before an edit, which are about a file that the agent has found already.
        """
        found: dict[str, list[_Recall]] = {}
        for entry in recall_entries(self._store.backend.log):
            session_id, at = string(entry.get("sessionId")), time_or_none(entry.get("timestamp"))
            if session_id and at is not None and not entry.get("about"):
                ids = strings(entry.get("observationIds"))
                recall = _Recall(at, string(entry.get("text")), ids)
                found.setdefault(session_id, []).insert(0, recall)
        return found

    def _outcomes(
        self,
        path: Path,
        session_id: str,
        recalls: Sequence[_Recall],
        by_memory: Mapping[str, Set[str]],
        openings: Openings,
    ) -> Mapping[str, Outcome]:
        """Return what a session did with each memory, as it was given it first, by the memory's id;
        `by_memory` are the sessions that were given one. Raises `OSError`, `Unreadable`.
        """
        session, roots = read_file(path, session_id=session_id)
        moments, known = moments_of(session, roots), _known(session)
        recalls = recalls if moments else ()  # of a client that writes no times
        memories = self._memories({id_ for recall in recalls for id_ in recall.ids})
        found: dict[str, Outcome] = {}
        for recall in recalls:
            try:
                text = self._store.recorder.text_of(recall.text)
            except StoreError:
                continue
            for identifier in recall.ids:
                if identifier in memories and identifier not in found:
                    memory = Recalled(memories[identifier], text, recall.at)
                    is_common = partial(openings.is_common, without=by_memory[identifier])
                    outcome = outcome_of(memory, moments, is_common, known)
                    found |= {identifier: outcome} if outcome is not None else {}
        return found

    def _memories(self, identifiers: Iterable[str]) -> Mapping[str, Observation]:
        """Return those of these memories that are there, as they may be shown."""
        index = self._store.index

        def answer(searcher: Searcher) -> Mapping[str, Observation]:
            reader, found = index.reader(searcher), dict[str, Observation]()
            for identifier in identifiers:
                with suppress(NotFound, AmbiguousId):
                    found[identifier] = index.outgoing.clean(reader.get(identifier))
            return found

        return index.ask(answer)


def _sessions_by_memory(by_session: Mapping[str, Sequence[_Recall]]) -> Mapping[str, Set[str]]:
    """Return the sessions that were given each memory, by its id."""
    found: dict[str, set[str]] = {}
    for session_id, recalls in by_session.items():
        for identifier in {each for recall in recalls for each in recall.ids}:
            found.setdefault(identifier, set()).add(session_id)
    return found


def _known(session: Session) -> str:
    """Return what the client has in a session's context without memory."""
    if not session.folder or not session.agent:
        return ""
    with suppress(StoreError):
        return context_text(client_named(session.agent), Path(session.folder), Home.of_user())
    return ""
