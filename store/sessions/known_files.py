"""The files of all sessions as recall asks for them, kept beside the index: no digest is read.

Working them out of 300 digests takes a tenth of `memtui inject`; reading them back a tenth of that.
What is kept is of one state of the digests, and worked out anew for another.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import orjson
from tantivy import Order, Searcher
from tantivy import Query as IndexQuery

from store.digest import blake2b
from store.disk.write import replace_derived
from store.errors import StoreError
from store.recall.file_names import files_of_sessions
from store.recall.session_files import FilesOfSessions, SessionFiles
from store.records import format_time, parse_time
from store.search.documents import observation_of
from store.sessions.documents import CHANGED, CREATED, READ, REMOVED
from store.sessions.seen import IndexedDigest

NAME = "files.json"
_MOST = 2_000
"""The newest sessions whose files are known."""


def known_files(
    sessions: Searcher, digests: Mapping[str, IndexedDigest], folder: Path | None
) -> FilesOfSessions:
    """The files of the newest sessions of an index that has indexed these digests.

    They are kept in its folder, where there is one that can be written.
    """
    state = _state_of(digests)
    found = None if folder is None else load(folder / NAME, state)
    if found is None:
        found = files_of_sessions(list(_named(sessions)))
        if folder is not None:
            with suppress(StoreError):  # it is worked out again
                replace_derived(folder / NAME, as_json(found, state), folder)
    return found


def as_json(files: FilesOfSessions, state: str) -> bytes:
    """What is kept: the files of each session by their final names, and the words of those."""
    places = {path: at for at, path in enumerate(files.touching)}
    sessions = files.sessions.values()
    value = {
        "state": state,
        "paths": list(places),
        "words": {word: [places[path] for path in paths] for word, paths in files.by_word.items()},
        "sessions": [
            (
                it.session,
                format_time(it.ended),
                dict(it.changed),
                dict(it.read),
                sorted(it.created),
                sorted(it.removed),
            )
            for it in sessions
        ],
    }
    return json.dumps(value).encode()


def load(path: Path, state: str) -> FilesOfSessions | None:
    """What was kept of a state; None where it is another's, or can't be read."""
    try:
        value = orjson.loads(path.read_bytes())
        if value["state"] != state:
            return None
        paths: list[str] = value["paths"]
        words = {word: [paths[at] for at in found] for word, found in value["words"].items()}
        return FilesOfSessions(map(_session, value["sessions"]), words)
    except (OSError, ValueError, KeyError, IndexError, TypeError):
        return None


def _state_of(digests: Mapping[str, IndexedDigest]) -> str:
    """What tells one state of the digests from another."""
    text = "\n".join(sorted(f"{it.session} {it.stamp}" for it in digests.values()))
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _session(kept: Sequence[Any]) -> SessionFiles:
    name, ended, changed, read, *others = kept
    created, removed = map(frozenset, others)
    return SessionFiles(name, parse_time(ended), changed, read, created, removed)


def _named(sessions: Searcher) -> Iterator[SessionFiles]:
    """The files that each of the newest digests names, where it names any."""
    hits = sessions.search(
        IndexQuery.all_query(), _MOST, count=False, order_by_field="time", order=Order.Desc
    ).hits
    for _, address in hits:
        it = observation_of(sessions.doc(address))
        changed, read = it.extra.get(CHANGED) or {}, it.extra.get(READ) or {}
        created = frozenset(it.extra.get(CREATED) or ())
        removed = frozenset(it.extra.get(REMOVED) or ())
        if changed or read or removed:
            yield SessionFiles(it.session_id, it.timestamp, changed, read, created, removed)
