"""Stamps of a vault's issues: what differs since they were given, without reading a vault that is
as it was.

A stamp is a hash of the issue's records, then one of the stamps of all files and of the issues
there are: none while a file is so fresh that it may change again and look the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import blake2b
from pathlib import Path

from store.backends.protocol import Stamps
from store.backends.vault.folder import Vault, look_at
from store.platform.stamp import FileStamp

_SEPARATOR = "/"


def stamp_with(records: str, files: str) -> str:
    """The stamp of an issue: of its records, and of all files."""
    return f"{records}{_SEPARATOR}{files}" if files else records


def has_same_records(stamp: str, other: str) -> bool:
    """Return whether two stamps are of the same records."""
    return stamp.partition(_SEPARATOR)[0] == other.partition(_SEPARATOR)[0]


def stamp_of_files(vault: Vault, issues: Iterable[int]) -> str:
    """The stamp of all files as they were read; empty where that would not tell later ones."""
    is_partial = "" in vault.stamps or vault.unreadable() & vault.stamps.keys()
    if is_partial or vault.is_fresh:
        return ""
    return _hash(vault.stamps, issues)


def is_unchanged(folder: Path, known: Stamps) -> bool:
    """Return whether no file differs since the stamps were given."""
    files = {stamp.partition(_SEPARATOR)[2] for stamp in known.values()}
    return files == {_hash(look_at(folder).stamps, known)}


def _hash(stamps: Mapping[str, FileStamp], issues: Iterable[int]) -> str:
    said = repr((sorted(stamps.items()), sorted(issues))).encode("utf-8", "surrogatepass")
    return blake2b(said, digest_size=16).hexdigest()
