"""The verdicts that were worked out last, in the cache: what a recall or a list reads of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple
from zlib import crc32

import orjson

from store.backends.user_data import project_root
from store.drift.verdicts import UNKNOWN, Drift, drift_of, drift_record
from store.errors import StoreError
from store.merge.versions import EDITED
from store.model import Observation
from store.platform.bounds import read_regular
from store.platform.json_fields import string
from store.platform.project import folders_of, trees_stamp
from store.platform.write import replace_derived

ANCHOR = "anchor"
"""The key of a record for what the files that it names held when it was made."""
_VERSION = 1
_MOST_BYTES = 100_000_000


class Verdicts(NamedTuple):
    """Verdicts by the memories' ids, each with its memory's stamp and the files it rests on. They
    are of a commit and of the code's names, and of `files` as they were.
    """

    head: str = ""
    names: tuple[int, ...] = ()
    files: Mapping[str, Sequence[int]] = MappingProxyType({})
    memories: Mapping[str, tuple[int, Drift, Sequence[str]]] = MappingProxyType({})

    def of(self, observation: Observation) -> Drift:
        """Return the verdict on a memory; of one that was changed since, no drift counts."""
        entry = self.memories.get(observation.id)
        if entry is None or (entry[1].is_drifted and entry[0] != stamp_of(observation)):
            return UNKNOWN
        return entry[1]


NO_VERDICTS = Verdicts()


class KeptVerdicts:
    """The verdicts of one memory in the cache, read again where they were written since."""

    def __init__(self, cache: Path, memory: Path) -> None:
        self._memory = memory
        self._place = cached_file(cache, memory, "drift")
        self._loaded: tuple[int, Verdicts] = 0, NO_VERDICTS
        self._kept_trees: tuple[object, Sequence[Path]] = None, ()

    def load(self) -> Verdicts:
        """Return what is kept; nothing where that is damaged, or of another version."""
        try:
            written = self._place.stat().st_mtime_ns
            if written != self._loaded[0]:
                self._loaded = written, _read(read_regular(self._place, _MOST_BYTES))
        except (OSError, StoreError, ValueError, TypeError, LookupError, AttributeError):
            return NO_VERDICTS
        return self._loaded[1]

    def ids(self, verdict: str) -> Sequence[str]:
        """Return the ids of the memories that have a verdict."""
        memories = self.load().memories.items()
        return [identifier for identifier, (_, drift, _) in memories if drift.verdict == verdict]

    def save(self, verdicts: Verdicts) -> None:
        memories = verdicts.memories.items()
        record = {
            "version": _VERSION,
            **verdicts._asdict(),
            "memories": {
                identifier: [stamp, drift_record(drift), files]
                for identifier, (stamp, drift, files) in memories
            },
        }
        with suppress(StoreError, OSError):  # it is worked out again the next time
            self._place.parent.mkdir(parents=True, exist_ok=True)
            replace_derived(self._place, orjson.dumps(record), self._place.parent)

    def trees(self) -> Sequence[Path]:
        """Return the working trees of the repository that memory lies in; none where there is none.
        Kept until git adds or removes one: to find eight takes 1.2 ms.
        """
        root = project_root(self._memory)
        stamp = trees_stamp(root)
        if stamp != self._kept_trees[0]:
            self._kept_trees = stamp, folders_of(root) if stamp else ()
        return self._kept_trees[1]


def _read(data: bytes) -> Verdicts:
    record = orjson.loads(data)
    if record["version"] != _VERSION:
        return NO_VERDICTS
    memories = {
        identifier: (int(stamp), drift_of(drift), list(files))
        for identifier, (stamp, drift, files) in record["memories"].items()
    }
    return Verdicts(string(record["head"]), tuple(record["names"]), record["files"], memories)


def stamp_of(observation: Observation) -> int:
    """Return what changes where a memory names other code, or is anchored elsewhere."""
    extra = observation.extra
    made = [extra.get(key) for key in (ANCHOR, EDITED, "commit")], observation.timestamp.timestamp()
    return crc32(f"{observation.content}\n{made}".encode("utf-8", "replace"))


def cached_file(cache: Path, place: Path, kind: str) -> Path:
    """Return the file in the cache for what is derived of a working tree or a memory."""
    name = blake2b(str(place).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
    return cache / f"{name}-{kind}"
