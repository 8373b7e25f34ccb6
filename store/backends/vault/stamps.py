"""Stamps of a vault's issues: what differs since they were given, without reading a vault that is
as it was.

A stamp is a hash of the issue's records, then one of the stamps of all files and of the issues
there are. A file that was written just before it was read may change again and look the same: of
these the hash of what was read follows.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from pathlib import Path

from store.backends.protocol import Stamps
from store.backends.vault.folder import Vault, look_at, read_file, told_of
from store.errors import Unreadable
from store.platform.stamp import FileStamp, is_fresh

_SEPARATOR, _IS = "/", "="
_MOST_FRESH = 16
"""Files whose content is compared; with more, the vault is read."""


def stamp_with(records: str, files: str) -> str:
    """The stamp of an issue: of its records, and of all files."""
    return f"{records}{_SEPARATOR}{files}" if files else records


def same_records(stamp: str, other: str) -> bool:
    """Whether two stamps are of the same records."""
    return stamp.partition(_SEPARATOR)[0] == other.partition(_SEPARATOR)[0]


def stamp_of_files(vault: Vault, issues: Iterable[int]) -> str:
    """The stamp of all files as they were read; empty where that would not tell later ones."""
    is_partial = "" in vault.stamps or vault.unreadable() & vault.stamps.keys()
    if is_partial or len(vault.fresh) > _MOST_FRESH:
        return ""
    order = sorted(vault.stamps)
    fresh = (f"{order.index(path)}{_IS}{told}" for path, told in sorted(vault.fresh.items()))
    return _SEPARATOR.join((_hash(vault.stamps, issues), *fresh))


def still_holding(folder: Path, known: Stamps) -> Stamps | None:
    """The stamps that `known` are by now, where no file differs since they were given."""
    suffixes = {stamp.partition(_SEPARATOR)[2] for stamp in known.values()}
    if len(suffixes) != 1 or not (suffix := suffixes.pop()):
        return None
    whole, *fresh = suffix.split(_SEPARATOR)
    stamps, now = look_at(folder).stamps, time.time_ns()
    if _hash(stamps, known) != whole:
        return None
    order, parts = sorted(stamps), [whole]
    try:
        for one in fresh:
            at, _, told = one.partition(_IS)
            path = order[int(at)]
            if told_of(read_file(folder, path)) != told:
                return None
            if is_fresh(stamps[path], now):
                parts.append(one)
    except (FileNotFoundError, Unreadable, ValueError, IndexError):
        return None
    files = _SEPARATOR.join(parts)
    return {issue: stamp_with(it.partition(_SEPARATOR)[0], files) for issue, it in known.items()}


def _hash(stamps: Mapping[str, FileStamp], issues: Iterable[int]) -> str:
    said = repr((sorted(stamps.items()), sorted(issues))).encode("utf-8", "surrogatepass")
    return blake2b(said, digest_size=16).hexdigest()
