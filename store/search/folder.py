"""The folder of an index in the user's cache: its name, opening what is in it, clearing it."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from hashlib import blake2b
from pathlib import Path

from tantivy import Index, Schema
from tantivy import Query as IndexQuery

from store.backends import Location, open_backend
from store.errors import StoreError
from store.platform.home import user_folder
from store.platform.lock import lock, unlock
from store.platform.write import OWN_FILE, make_private
from store.redaction.outgoing import CLEAN
from store.search.schema import VERSION, make_ready
from store.search.trouble import is_damage

GATE = "writer.lock"
SEEN = "seen.json"
_POLL = 0.01
"""Seconds after which the lock of an index is asked for again."""
_BLOCK = 2_048
"""Bytes of documents that are packed together, all of which are unpacked to read one. With
tantivy's own 16,384 that takes twice as long; the index is an eighth smaller then."""


def index_name(identity: str) -> str:
    """The folder of an index in the cache: the hash of its memory's identity, and the version."""
    digest = blake2b(identity.encode("utf-8", "surrogateescape"), digest_size=8)
    return f"{digest.hexdigest()}-v{VERSION}"


def default_cache() -> Path:
    return user_folder("cache")


def cache_file(memory: Location, ending: str) -> Path:
    """A file in the cache that belongs to one memory, in a folder that only its user may open."""
    cache = default_cache()
    make_private(cache)
    return cache / f"{index_name(open_backend(memory).identity)}{ending}"


def opened(folder: Path) -> Index:
    """Return the index in a folder, asked once to see that it answers."""
    index = Index.open(str(folder))
    make_ready(index)
    index.searcher().search(IndexQuery.all_query(), 1)
    return index


def created(folder: Path, schema: Schema) -> Index:
    """Return an empty index in a folder, in place of whatever is there. Raises `StoreError`."""
    clear(folder)
    index = guarded(lambda: _empty(folder, schema))
    if index is None:
        raise StoreError(f"Can't create an index in {folder}.")
    return index


def _empty(folder: Path, schema: Schema) -> Index:
    """Return an empty index whose documents are stored in small blocks, as its settings can say, by
    the thread that indexes them: one more for that only costs time where there are two cores.
    """
    Index(schema, path=str(folder))
    settings = folder / "meta.json"
    meta = json.loads(settings.read_bytes())
    meta["index_settings"] |= {
        "docstore_blocksize": _BLOCK,
        "docstore_compress_dedicated_thread": False,
    }
    settings.write_bytes(json.dumps(meta).encode())
    index = Index.open(str(folder))
    make_ready(index)
    return index


def guarded(make: Callable[[], Index]) -> Index | None:
    """Return the index, or `None` where it is damaged: tantivy's panics are no `Exception`."""
    try:
        return make()
    except BaseException as error:  # pyo3's PanicException derives from BaseException
        if isinstance(error, Exception) or is_damage(error):
            return None
        raise


def make_files_private(folder: Path) -> None:
    """Take the files of an index from everyone else: tantivy makes them as the umask says."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_file(follow_symlinks=False) and entry.stat().st_mode & 0o077:
                Path(entry).chmod(OWN_FILE)


@contextmanager
def held(folder: Path | None, wait: float, *, optional: bool = False) -> Iterator[bool]:
    """Hold the lock of an index; yields whether it was free within `wait` seconds.

    An index in memory, without a folder, has none. A lock that can't be taken at all raises
    `StoreError`, or is not free where it is `optional`.
    """
    if folder is None:
        yield True
        return
    try:
        handle = lock(folder / GATE, time.monotonic() + wait, _POLL)
    except OSError as error:
        if not optional:
            raise StoreError(f"The index can't be written: {error.strerror}.") from error
        handle = None
    try:
        yield handle is not None
    finally:
        if handle is not None:
            unlock(handle)


def clear(folder: Path) -> None:
    """Remove all of a folder but the lock that guards it, and what is known of the texts."""
    for entry in folder.iterdir():
        if entry.name not in (GATE, CLEAN):
            if entry.is_dir():
                from shutil import rmtree  # no hook finds what another version left

                rmtree(entry, ignore_errors=True)
            else:
                entry.unlink(missing_ok=True)


def leave(folder: Path) -> None:
    """Give back the room that an index took in a folder before it came to a first commit."""
    if (folder / SEEN).exists():
        return
    with suppress(OSError, StoreError), held(folder, 0.0) as free:
        if free:
            clear(folder)
