"""An index that an earlier version wrote: its messages are taken over, not lost.

Agents delete their session files after a while, and then these messages are nowhere else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path

from tantivy import Document, IndexWriter
from tantivy import Query as IndexQuery

from store.errors import StoreError
from store.search.documents import observation_of
from store.search.folder import SEEN, guarded, opened
from store.sessions.documents import document_of
from store.sessions.index import FORMAT, FileMark
from store.sessions.records import SessionRecords

_VERSION = re.compile(r"-v(\d+)-")


def take_over(
    folder: Path,
    records: SessionRecords,
    writers: Callable[[], AbstractContextManager[Sequence[IndexWriter]]],
) -> dict[str, FileMark]:
    """Write what an earlier version of a new index has of sessions that are kept: all, or nothing
    where it can't be read. The session files that need not be read again for it.
    """
    earlier = _earlier_than(folder)
    if earlier is None:
        return {}
    sessions = {digest.id for digest in records.all()}
    try:
        with writers() as (made,):
            for message in _messages_in(earlier, sessions):
                made.add_document(message)
    except StoreError:
        return {}
    return {key: mark for key, mark in _files_read(earlier).items() if mark.session in sessions}


def _earlier_than(folder: Path) -> Path | None:
    """The folder of the newest earlier version beside an index; None where there is none."""
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
    searcher = index.searcher()
    everything = IndexQuery.all_query()
    hits = searcher.search(everything, max(1, searcher.num_docs), count=False).hits
    addresses = [address for _, address in hits]
    places = searcher.fast_field_values("place", addresses)
    for place, address in zip(places, addresses, strict=True):
        message = observation_of(searcher.doc(address))
        if message.session_id in sessions:
            yield document_of(message, int(place or 0))


def _files_read(folder: Path) -> dict[str, FileMark]:
    """The session files that an index of another version has read; none where it read them in
    another way: they are to be read again.
    """
    try:
        value = json.loads((folder / SEEN).read_bytes())
        if value["format"].rpartition("-")[0] != FORMAT.rpartition("-")[0]:
            return {}
        return {key: FileMark(*mark) for key, mark in value["files"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}
