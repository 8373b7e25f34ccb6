"""The gate on the way out: what others wrote past ours is cleaned before it is injected or shown.

Rows of searches, lists, previews and exports pass here as well as what agents get. What was
found clean is remembered by a digest in the cache, until the rules change: most recalls and
searches load no rule at all.
"""

from __future__ import annotations

import os
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import TypeVar

from store.model import Observation
from store.redaction.personal_choice import is_personal_redacted
from store.redaction.sanitizer import clean_observation, clean_value
from store.redaction.walk import texts_of

T = TypeVar("T")
CLEAN = "clean"
"""The file of digests, in the folder of an index."""
_DIGEST = 8
"""Bytes of a digest."""
_MOST = 100_000
"""Digests that are kept: 800 KB."""


class Outgoing:
    """Cleans observations that leave memory. Threads may share it: at worst one cleans twice."""

    def __init__(self, folder: Path | None) -> None:
        self._path = None if folder is None else folder / CLEAN
        self._kept: Sequence[int] | None = None
        self._new: set[int] = set()
        self._cleaned: dict[int, tuple[Observation, Observation]] = {}
        """By digest what held something to be cleaned, last, and what is shown of it."""
        self._saved = 0

    def clean_page(self, page: Sequence[Observation]) -> list[Observation]:
        """Clean each of the observations that are shown together."""
        return list(map(self.clean, page))

    def clean(self, observation: Observation) -> Observation:
        """Return the observation without private blocks and secrets; itself where it has none.

        Raises `StoreError` where the rules are missing.
        """
        digest = _digest_of(tuple(texts_of(observation)))
        last = self._cleaned.get(digest)
        if last is not None and last[0] == observation:
            return last[1]
        if self._is_known(digest):
            return observation
        cleaned, found = clean_observation(observation)
        if not found:
            self._new.add(digest)
            return observation
        self._cleaned[digest] = observation, cleaned
        return cleaned

    def clean_value(self, value: T, texts: tuple[str, ...]) -> T:
        """Return a value of JSON's shape, whose texts these are, cleaned as `clean` does."""
        digest = _digest_of(texts)
        if self._is_known(digest):
            return value
        cleaned, found = clean_value(value)
        if not found:
            self._new.add(digest)
        return cleaned

    def know(self, texts: Iterable[str]) -> None:
        """Remember that the texts of an observation, or of another value, hold nothing to clean."""
        self._new.add(_digest_of(tuple(texts)))

    def is_clean(self, texts: Iterable[str]) -> bool:
        """Return whether texts that belong together were found to hold nothing to clean."""
        return self._is_known(_digest_of(tuple(texts)))

    def save(self) -> None:
        """Keep what is known to be clean. Where it can't be written, it is found out again."""
        if self._path is None or len(self._new) == self._saved or not self._path.parent.is_dir():
            return
        new = list(self._new)[:_MOST]
        self._saved = len(self._new)
        kept = _read(self._path)
        # Of too many, those go whose digests are greatest: as good as any, and never the new ones.
        data = array("Q", sorted({*kept[: max(0, _MOST - len(new))], *new})).tobytes()
        temporary = self._path.with_name(f".{CLEAN}.{os.getpid()}-{os.urandom(4).hex()}.tmp")
        try:
            temporary.touch(0o600, exist_ok=False)
            temporary.write_bytes(_rules() + data)
            temporary.replace(self._path)
        except OSError:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)

    def _is_known(self, digest: int) -> bool:
        """Look among the new digests and the kept ones, which are in order."""
        if digest in self._new:
            return True
        if self._kept is None:
            self._kept = _read(self._path)
        at = bisect_left(self._kept, digest)
        return at < len(self._kept) and self._kept[at] == digest


def _read(path: Path | None) -> Sequence[int]:
    """Return the digests in a file; none where it is another version's, or can't be read."""
    try:
        data = b"" if path is None else path.read_bytes()
    except OSError:
        return ()
    rules = _rules()
    if not data.startswith(rules) or len(data) % _DIGEST:
        return ()
    return memoryview(data)[len(rules) :].cast("Q")


def _rules() -> bytes:
    """Return the version of these rules: the sizes and times of the files that hold them."""
    paths = sorted(Path(__file__).parent.iterdir())
    stats = [path.stat() for path in paths if path.suffix in {".py", ".json"}]
    return _hash(repr([(stat.st_size, stat.st_mtime_ns) for stat in stats]))


def _digest_of(texts: tuple[str, ...]) -> int:
    # What is clean without personal data's rules may not be so with them.
    rules = ("personal",) if is_personal_redacted() else ()
    return int.from_bytes(_hash("\0".join((*rules, *texts))))


def _hash(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_DIGEST).digest()
