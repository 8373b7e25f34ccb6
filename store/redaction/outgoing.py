"""The gate on the way out: what others wrote past ours is cleaned before it is told or shown.

Rows of searches, lists, previews and exports pass here as well as what agents are told. Finding
secrets takes long to load, so what was found clean is remembered by a digest in the cache, until
the rules change; most recalls and searches load no rule at all. What is not known yet is screened,
and only what may hold a secret is read by the rules.
"""

from __future__ import annotations

import os
from array import array
from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from store.model import Observation
from store.redaction.walk import texts_of

_NAME = "clean"
_DIGEST = 8
"""Bytes of a digest."""
_MOST = 100_000
"""Digests that are kept: 800 KB."""
_MET = 8_192
"""Observations that are known as objects."""
Texts = tuple[str, ...]
"""Every text of an observation, or of another value that is cleaned as a whole."""


class Outgoing:
    """Cleans observations that leave memory. Threads may share it: at worst one cleans twice."""

    def __init__(self, folder: Path | None) -> None:
        self._path = None if folder is None else folder / _NAME
        self._kept: Sequence[int] | None = None
        self._new: set[int] = set()
        self._cleaned: dict[int, Observation] = {}
        self._met: dict[int, tuple[Observation, Observation]] = {}
        self._passed: set[int] = set()
        self._saved = 0

    def clean_page(self, page: Sequence[Observation]) -> list[Observation]:
        """What `clean` makes of each of the observations that are shown together, in less time.

        Those that nothing is known of are screened at once. What passed is known for a while: the
        next letter typed finds most of it again.
        """
        texts = [tuple(texts_of(it)) for it in page]
        digests = {it: _digest_of(it) for it in texts if hash(it) not in self._passed}
        held = self._suspects(digests)
        self._passed.update(hash(it) for it in digests if it not in held)
        if len(self._passed) > _MET:
            self._passed.clear()
        if not held:
            return list(page)
        return [
            self.clean(it) if all_of in held else it for it, all_of in zip(page, texts, strict=True)
        ]

    def clean(self, observation: Observation) -> Observation:
        """The observation without private blocks and secrets; itself where it has none.

        What is asked about again, the same object, is not read again. Raises `StoreError` where
        the rules are missing.
        """
        met = self._met.get(id(observation))
        if met is not None and met[0] is observation:
            return met[1]
        clean = self._clean(observation)
        self._meet(observation, clean)
        return clean

    def expect(self, page: Sequence[Observation]) -> None:
        """Clean at once what `clean` is about to be asked for one by one, in less time."""
        new = [it for it in page if id(it) not in self._met]
        for observation, clean in zip(new, self.clean_page(new), strict=True):
            self._meet(observation, clean)

    def leave(self) -> None:
        """Let go of the observations known as objects: who reads them anew gets others."""
        self._met.clear()

    def _meet(self, observation: Observation, clean: Observation) -> None:
        if len(self._met) >= _MET:
            self._met.clear()
        self._met[id(observation)] = observation, clean

    def _clean(self, observation: Observation) -> Observation:
        texts = tuple(texts_of(observation))
        digest = _digest_of(texts)
        if digest not in self._cleaned:
            if not self._suspects({texts: digest}):
                return observation
            from store.redaction.sanitizer import clean_observation

            cleaned, found = clean_observation(observation)
            if not found:
                self._new.add(digest)
                return observation
            self._cleaned[digest] = cleaned
        return self._cleaned[digest]

    def _suspects(self, digests: Mapping[Texts, int]) -> Collection[Texts]:
        """Those of some observations that may hold a secret; the others are known from now on."""
        new = [it for it, digest in digests.items() if not self._is_known(digest)]
        if not new:
            return ()
        from store.redaction.screen import suspects

        held = frozenset(suspects(new))
        self._new.update(digests[it] for it in new if it not in held)
        return held

    def is_clean(self, all_of: Texts) -> bool:
        """Whether texts that belong together are known to hold nothing, or pass the screen now.

        Raises `StoreError` where the rules are missing.
        """
        return not self._suspects({all_of: _digest_of(all_of)})

    def know(self, observation: Observation) -> None:
        """Remember that an observation holds nothing to be cleaned."""
        self.know_texts(tuple(texts_of(observation)))

    def know_texts(self, all_of: Texts) -> None:
        """Remember that texts which belong together hold nothing to be cleaned."""
        self._new.add(_digest_of(all_of))

    def save(self) -> None:
        """Keep what is known to be clean. Where it can't be written, it is found out again."""
        if self._path is None or len(self._new) == self._saved or not self._path.parent.is_dir():
            return
        new = list(self._new)[:_MOST]
        self._saved = len(self._new)
        kept = _read(self._path)
        # Of too many, those go whose digests are greatest: as good as any, and never the new ones.
        data = array("Q", sorted({*kept[: max(0, _MOST - len(new))], *new})).tobytes()
        temporary = self._path.with_name(f".{_NAME}.{os.getpid()}-{os.urandom(4).hex()}.tmp")
        try:
            temporary.touch(0o600, exist_ok=False)
            temporary.write_bytes(_rules() + data)
            temporary.replace(self._path)
        except OSError:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)

    def _is_known(self, digest: int) -> bool:
        """Whether a digest is among the new or the kept ones, which are in order."""
        if self._kept is None:
            self._kept = _read(self._path)
        if digest in self._new:
            return True
        at = bisect_left(self._kept, digest)
        return at < len(self._kept) and self._kept[at] == digest


def _read(path: Path | None) -> Sequence[int]:
    """The digests in a file; none where it is another version's, or can't be read."""
    try:
        data = b"" if path is None else path.read_bytes()
    except OSError:
        return ()
    rules = _rules()
    if not data.startswith(rules) or len(data) % _DIGEST:
        return ()
    return memoryview(data)[len(rules) :].cast("Q")


def _rules() -> bytes:
    """What tells these rules from others: the sizes and times of the files that hold them."""
    paths = sorted(Path(__file__).parent.iterdir())
    stats = [path.stat() for path in paths if path.suffix in {".py", ".json"}]
    return _hash(repr([(it.st_size, it.st_mtime_ns) for it in stats]))


def _digest_of(texts: Texts) -> int:
    """A digest of texts that belong together."""
    return int.from_bytes(_hash("\0".join(texts)))


def _hash(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_DIGEST).digest()
