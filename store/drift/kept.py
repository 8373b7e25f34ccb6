"""The verdicts that were worked out last, in the cache: what a recall or a list reads of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any
from zlib import crc32

import orjson

from store.backends.user_data import project_root
from store.drift.verdicts import UNKNOWN, Drift, drift_of
from store.merge.versions import EDITED
from store.model import DRIFTED, Observation
from store.platform.cached import Cached, cached_file, checked, with_checksum
from store.platform.json_fields import mapping, string
from store.platform.project import folders_of, trees_stamp

ANCHOR = "anchor"
"""The key of a record for what the files that it names held when it was made."""
_VERSION = 6
Entry = Sequence[Any]


class Verdicts:
    """Verdicts by the memories' ids: an entry has its memory's stamp, the verdict as a record, and
    the files and the names of code that it rests on. The first line of the file has what drifted,
    which is all that most ask for: the rest is read where it is asked for.
    """

    def __init__(self, data: bytes) -> None:
        """Raises `ValueError`, `TypeError` or `LookupError` for what is damaged, or of another
        version.
        """
        first, _, self._rest = checked(data).partition(b"\n")
        record = orjson.loads(first)
        if record["version"] != _VERSION:
            raise ValueError("of another version")
        self._drifted: Mapping[str, Entry] = record["drifted"]

    @cached_property
    def _whole(self) -> Mapping[str, Any]:
        return mapping(orjson.loads(self._rest)) if self._rest else {}

    @property
    def head(self) -> str:
        """The commit that they were worked out for."""
        return string(self._whole.get("head"))

    @property
    def index(self) -> tuple[int, ...]:
        """The stamp of the index of names that they were worked out with."""
        return tuple(self._whole.get("index", ()))

    @property
    def names(self) -> Mapping[str, bool]:
        """Whether the code had each name that they rest on."""
        return mapping(self._whole.get("names"))

    @property
    def files(self) -> Mapping[str, Entry]:
        """The stamps of the files that they rest on, and of what commits did to these."""
        return mapping(self._whole.get("files"))

    @cached_property
    def entries(self) -> Mapping[str, Entry]:
        return {**mapping(self._whole.get("others")), **self._drifted}

    def drift_of(self, observation: Observation) -> Drift:
        """Return how a memory drifted; nothing is known of one that was changed since."""
        return _known(self._drifted, observation)

    def of(self, observation: Observation) -> Drift:
        """Return the verdict on a memory, that it is current too."""
        return _known(self.entries, observation)

    def drifted(self) -> Iterator[tuple[str, Drift]]:
        for identifier, entry in self._drifted.items():
            if (drift := drift_of(entry[1])).is_drifted:
                yield identifier, drift

    def ids(self, verdict: str) -> Sequence[str]:
        entries = self._drifted if verdict in DRIFTED else self.entries
        return [identifier for identifier, entry in entries.items() if entry[1][0] == verdict]


def _known(entries: Mapping[str, Entry], observation: Observation) -> Drift:
    entry = entries.get(observation.id)
    return UNKNOWN if entry is None or entry[0] != stamp_of(observation) else drift_of(entry[1])


def written(
    head: str,
    index: tuple[int, ...],
    names: Mapping[str, bool],
    files: Mapping[str, Entry],
    entries: Mapping[str, Entry],
) -> bytes:
    """Return verdicts as `Verdicts` reads them."""
    drifted = {key: entry for key, entry in entries.items() if entry[1][0] in DRIFTED}
    others = {key: entry for key, entry in entries.items() if key not in drifted}
    whole = {"head": head, "index": index, "names": names, "files": files, "others": others}
    first = orjson.dumps({"version": _VERSION, "drifted": drifted})
    return with_checksum(first + b"\n" + orjson.dumps(whole))


NO_VERDICTS = Verdicts(written("", (), {}, {}, {}))


class KeptVerdicts(Cached[Verdicts]):
    """The verdicts of one memory in the cache."""

    def __init__(self, cache: Path, memory: Path) -> None:
        super().__init__(cached_file(cache, memory, "drift"), Verdicts, NO_VERDICTS)
        self._memory = memory
        self._kept_trees: tuple[object, Sequence[Path]] = None, ()

    def trees(self) -> Sequence[Path]:
        """Return the working trees of the repository that memory lies in; none where there is none.
        Kept until git adds or removes one: to find eight takes 1.2 ms.
        """
        root = project_root(self._memory)
        stamp = trees_stamp(root)
        if stamp != self._kept_trees[0]:
            self._kept_trees = stamp, folders_of(root) if stamp else ()
        return self._kept_trees[1]


def stamp_of(observation: Observation) -> int:
    """Return what changes where a memory names other code, or is anchored elsewhere."""
    extra = observation.extra
    made = [extra.get(key) for key in (ANCHOR, EDITED, "commit")], observation.timestamp.timestamp()
    return crc32(f"{observation.content}\n{made}".encode("utf-8", "replace"))
