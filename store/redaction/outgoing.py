"""The gate on the way out: what others wrote past ours is cleaned before an agent is told it.

Finding secrets takes long to load, so what was found clean is remembered by a digest in the cache,
until the rules change; most recalls load no rule at all.
"""

from __future__ import annotations

import os
from hashlib import blake2b
from pathlib import Path

from store.model import Observation
from store.redaction.walk import texts_of

_NAME = "clean"
_DIGEST = 8
"""Bytes of a digest."""
_MOST = 100_000
"""Digests that are kept, the newest: 800 KB."""


class Outgoing:
    """Cleans observations that are told to agents. Not thread-safe by itself."""

    def __init__(self, folder: Path | None) -> None:
        self._path = None if folder is None else folder / _NAME
        self._known: dict[bytes, None] | None = None
        self._cleaned: dict[bytes, Observation] = {}
        self._new = False

    def clean(self, observation: Observation) -> Observation:
        """The observation without private blocks and secrets; itself where it has none.

        Raises `StoreError` where the rules are missing.
        """
        digest = _digest_of(observation)
        if digest in self._loaded():
            return observation
        if digest not in self._cleaned:
            from store.redaction.sanitizer import clean_observation

            cleaned, found = clean_observation(observation)
            if not found:
                self.know(observation)
                return observation
            self._cleaned[digest] = cleaned
        return self._cleaned[digest]

    def know(self, observation: Observation) -> None:
        """Remember that an observation holds nothing to be cleaned."""
        self._loaded()[_digest_of(observation)] = None
        self._new = True

    def save(self) -> None:
        """Keep what is known to be clean. Where it can't be written, it is found out again."""
        if not self._new or self._path is None or not self._path.parent.is_dir():
            return
        self._new = False
        newest = list(self._loaded())[-_MOST:]
        temporary = self._path.with_name(f".{_NAME}.{os.getpid()}-{os.urandom(4).hex()}.tmp")
        try:
            temporary.touch(0o600, exist_ok=False)
            temporary.write_bytes(_rules() + b"".join(newest))
            temporary.replace(self._path)
        except OSError:
            temporary.unlink(missing_ok=True)

    def _loaded(self) -> dict[bytes, None]:
        if self._known is None:
            self._known = dict.fromkeys(_read(self._path))
        return self._known


def _read(path: Path | None) -> list[bytes]:
    """The digests in a file; none where it is another version's, or can't be read."""
    try:
        data = b"" if path is None else path.read_bytes()
    except OSError:
        return []
    rules = _rules()
    if not data.startswith(rules) or len(data) % _DIGEST:
        return []
    return [data[at : at + _DIGEST] for at in range(len(rules), len(data), _DIGEST)]


def _rules() -> bytes:
    """What tells these rules from others: the sizes and times of the files that hold them."""
    paths = sorted(Path(__file__).parent.iterdir())
    stats = [path.stat() for path in paths if path.suffix in {".py", ".json"}]
    return _hash(repr([(it.st_size, it.st_mtime_ns) for it in stats]))


def _digest_of(observation: Observation) -> bytes:
    """A digest of every text of an observation."""
    return _hash("\0".join(texts_of(observation)))


def _hash(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_DIGEST).digest()
