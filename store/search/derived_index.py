"""An index in the cache that is derived from something else: opened, replaced when damaged, shared.

It is one tantivy index, or several of one schema, in a folder; in memory where none can be written.
`seen.json` next to them holds what they were built from. Several programs share the folder: who
writes holds its lock and replaces `seen.json` last, whose stamp shows the others the commit.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Any, Generic, Protocol, Self, TypeVar

from tantivy import Index, IndexWriter, Searcher

from store.errors import StoreError
from store.platform.file_stamp import FileStamp, stamp_of
from store.platform.write import OWN_FOLDER, make_private, replace_derived
from store.records import compact_json
from store.search.folder import SEEN, created, guarded, held, make_files_private, opened
from store.search.schema import build_schema, make_ready

_SEGMENT = re.compile(r"[0-9a-f]{32}\.[\w.]+", re.ASCII)
Identity = Mapping[str, object]


class SeenSources(Protocol):
    """What an index has seen of its sources; made without arguments, that is nothing."""

    def to_json(self) -> dict[str, Any]: ...

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """Return what `to_json` wrote. Raises an error of a wrong key, type or value."""
        ...


S = TypeVar("S", bound=SeenSources)


class DerivedIndex(Generic[S]):
    """Tantivy indexes and what they have seen. `parts` are their folders below `folder`.

    `identity` is that of an index of these sources and this shape alone. Its owner sees to
    threads.
    """

    def __init__(
        self,
        folder: Path | None,
        identity: Identity,
        seen_type: type[S],
        parts: Sequence[str] = ("",),
    ) -> None:
        self.schema = build_schema()
        self.folder = folder
        """None where the index lives in memory."""
        self.seen = seen_type()
        self.searchers: dict[str, Searcher] = {}
        """A view of the last commit of each part, the same one until there is another."""
        self._identity = identity
        self._seen_type = seen_type
        self._parts = parts
        self._indexes: dict[str, Index] = {}
        self._segments: dict[str, FileStamp] = {}
        """Those of tantivy's files that are never changed once they are written."""
        self._seen_at: FileStamp | None = None

    @property
    def is_open(self) -> bool:
        return bool(self._indexes)

    def held(self, wait: float, *, optional: bool = False) -> AbstractContextManager[bool]:
        """Hold the lock of the folder, as `store.search.folder.held` does."""
        return held(self.folder, wait, optional=optional)

    def is_intact(self) -> bool:
        """Return whether no file of the index was changed by anybody else."""
        return self.folder is None or is_intact(self.folder, self._segments)

    def open_kept(self) -> bool:
        """Answer from what lies in the folder; False where that is nothing, or damaged."""
        assert self.folder is not None
        self._seen_at = stamp_of(self.folder / SEEN)
        found = load_seen(self.folder, self._identity, self._seen_type)
        if found is None or not is_intact(self.folder, found[1]):
            return False
        indexes: dict[str, Index] = {}
        for part in self._parts:
            index = guarded(partial(opened, self.folder / part))
            if index is None:
                return False
            indexes[part] = index
        self.seen, self._segments = found
        self._show(indexes)
        return True

    def make(
        self, wait: float, *, unless_sound: bool = False, fill: Callable[[], None] = lambda: None
    ) -> None:
        """Make an empty index in the folder, in place of whatever is there, and `fill` it.

        `unless_sound` looks once more: while another program writes it, an index seems damaged.
        Raises `OSError`, `StoreError`.
        """
        assert self.folder is not None
        make_private(self.folder)
        with self.held(wait) as free:
            if not free:
                raise StoreError("Another program is building the index.")
            if unless_sound and self.open_kept():
                return
            self.empty()
            fill()

    def empty(self) -> None:
        """Replace the index by an empty one. Must hold the lock. Raises `StoreError`."""
        assert self.folder is not None
        for part in self._parts:
            (self.folder / part).mkdir(OWN_FOLDER, exist_ok=True)
        self._begin({part: created(self.folder / part, self.schema) for part in self._parts})

    def move_to_memory(self) -> None:
        """Begin anew with an empty index in memory."""
        self.folder = None
        indexes = {part: Index(self.schema) for part in self._parts}
        for index in indexes.values():
            make_ready(index)
        self._begin(indexes)

    def reload(self) -> bool:
        """See another program's commit; whether there was one."""
        if self.folder is None:
            return False
        stamp = stamp_of(self.folder / SEEN)
        if stamp == self._seen_at:
            return False
        found = load_seen(self.folder, self._identity, self._seen_type)
        self._seen_at = stamp
        if found is None or found == (self.seen, self._segments):
            return False
        self.show_commit(self._parts)
        self.seen, self._segments = found
        return True

    def index(self, part: str = "") -> Index:
        return self._indexes[part]

    def writer(self, part: str, *, heap: int, threads: int) -> IndexWriter:
        return self._indexes[part].writer(heap_size=heap, num_threads=threads)

    def show_commit(self, parts: Iterable[str]) -> None:
        """Answer from the last commit of some parts from now on."""
        for part in parts:
            self._indexes[part].reload()
            self.searchers[part] = self._indexes[part].searcher()

    def save(self) -> None:
        """Write down what was seen. Must hold the lock. Raises `OSError`, `StoreError`."""
        if self.folder is None:
            return
        self._segments = self._segments_now(self.folder)
        value = {
            "identity": self._identity,
            "segments": {name: list(stamp) for name, stamp in self._segments.items()},
            **self.seen.to_json(),
        }
        replace_derived(self.folder / SEEN, compact_json(value), self.folder)
        self._seen_at = stamp_of(self.folder / SEEN)

    def _begin(self, indexes: Mapping[str, Index]) -> None:
        self.seen, self._segments, self._seen_at = self._seen_type(), {}, None
        self._show(indexes)

    def _show(self, indexes: Mapping[str, Index]) -> None:
        self._indexes = dict(indexes)
        self.searchers = {part: index.searcher() for part, index in indexes.items()}

    def _segments_now(self, folder: Path) -> dict[str, FileStamp]:
        """Return the stamps of the index's own files; a known one keeps that it was given first."""
        found = {}
        for part in self._parts:
            make_files_private(folder / part)
            for path in (folder / part).iterdir():
                if _SEGMENT.fullmatch(path.name):
                    name = str(path.relative_to(folder))
                    if stamp := self._segments.get(name) or stamp_of(path):
                        found[name] = stamp
        return found


def is_intact(folder: Path, segments: Mapping[str, FileStamp]) -> bool:
    """Compare an index's own files with those that are known; missing ones don't count.

    One that is gone was merged into another, or is missed by tantivy itself.
    """
    stamps = ((stamp, stamp_of(folder / name)) for name, stamp in segments.items())
    return all(now is None or now == stamp for stamp, now in stamps)


def load_seen(
    folder: Path, identity: Identity, seen_type: type[S]
) -> tuple[S, dict[str, FileStamp]] | None:
    """Read what an index saw last, and its own files; None where that is missing, damaged or of
    another identity. What `identity` leaves out may be anything.
    """
    try:
        value = json.loads((folder / SEEN).read_bytes())
        if not identity.items() <= value["identity"].items():
            return None
        segments = {name: FileStamp(*map(int, stamp)) for name, stamp in value["segments"].items()}
        return seen_type.from_json(value), segments
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None
