"""Files of the cache: what they hold is derived, and worked out again where it can't be read."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Generic, TypeVar
from zlib import crc32

from store.errors import StoreError
from store.platform.bounds import read_regular
from store.platform.write import replace_derived

T = TypeVar("T")
_MOST_BYTES = 100_000_000


class Cached(Generic[T]):
    """What one file of the cache holds, read again where it was written since."""

    def __init__(self, place: Path, read: Callable[[bytes], T], nothing: T) -> None:
        self._place, self._read, self._nothing = place, read, nothing
        self._loaded: tuple[int, T] = 0, nothing
        self._unwritten: T | None = None

    def load(self) -> T:
        """Return what is kept; nothing where that is damaged, or of another version."""
        if self._unwritten is not None:
            return self._unwritten
        try:
            written_at = self._place.stat().st_mtime_ns
            if written_at != self._loaded[0]:
                self._loaded = written_at, self._read(read_regular(self._place, _MOST_BYTES))
        except (OSError, StoreError, ValueError, TypeError, LookupError):
            return self._nothing
        return self._loaded[1]

    def save(self, data: bytes) -> None:
        """Keep data as it is read: until this is closed where no file can be."""
        self._unwritten = None if keep_cached(self._place, data) else self._read(data)


def with_checksum(data: bytes) -> bytes:
    """Return what the cache keeps of some data, which is read in parts."""
    return b"%08x\n%b" % (crc32(data), data)


def checked(data: bytes) -> bytes:
    """Return data that was kept `with_checksum`. Raises `ValueError` where it is damaged."""
    checksum, _, kept = data.partition(b"\n")
    if checksum != b"%08x" % crc32(kept):
        raise ValueError("damaged")
    return kept


def cached_file(cache: Path, place: Path, kind: str) -> Path:
    """Return the file in the cache for what is derived of a working tree or a memory."""
    name = blake2b(str(place).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
    return cache / f"{name}-{kind}"


def keep_cached(file: Path, data: bytes) -> bool:
    """Write a file of the cache; whether that was possible: else it is derived again."""
    with suppress(StoreError, OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        replace_derived(file, data, file.parent)
        return True
    return False
