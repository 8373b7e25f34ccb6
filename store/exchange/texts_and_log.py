"""Named texts and the activity log of a memory, for a copy."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

from store.backends.log_summary import entries_of
from store.backends.protocol import Backend
from store.backends.text_kinds import TextKind, text_path
from store.backends.tombstones import joined
from store.errors import Conflict, NotFound, Unreadable
from store.model import Location
from store.records import DEFAULTS, RawRecord

_KINDS = (TextKind.OPERATIONS, TextKind.RECALLS, TextKind.SESSIONS, TextKind.REMOVED)
"""Messages and checkpoints stay where they are: they are of one machine alone."""
_SLICE = 8_000_000
"""Bytes of the log that are read at once."""
_AT_ONCE = 200
"""Entries in one transaction: 22,000 in one took 148 s, each a version of the row of the log."""


def _digest(record: RawRecord, location: Location, without: Collection[str]) -> bytes:
    try:
        value = record.exact()
        if isinstance(value, dict):
            full = {**DEFAULTS, **value}
            value = {key: field for key, field in full.items() if key not in without}
        text = json.dumps(value, sort_keys=True).encode("ascii")
    except (Unreadable, RecursionError):  # it nests too deeply to be taken apart
        text = record.text
    return blake2b(text, digest_size=16, person=location.encode("ascii")).digest()


class Text(NamedTuple):
    kind: TextKind
    name: str
    data: bytes


def missing_texts(source: Backend, target: Backend, shown: str) -> list[Text]:
    """Return the texts that a target lacks; `shown` names it.

    Raises `Conflict` where it has another one of a name.
    """
    missing = []
    for kind in _KINDS:
        held = set(target.texts.names(kind))
        for name in sorted(source.texts.names(kind)):
            data = _kept(source, kind, name)
            there = _kept(target, kind, name) if name in held else None
            if kind is TextKind.REMOVED and data is not None and there is not None:
                # Each has its own, since an earlier copy: all of them hold.
                both = joined(data, there)
                data, there = (both, None) if both != there else (data, data)
            if data is not None and there not in (None, data):
                raise Conflict(
                    f"{shown} holds another memory: its {text_path(kind, name)} differs. "
                    "It was left as it is.",
                    "Choose an empty place.",
                )
            if data is not None and there is None:
                missing.append(Text(kind, name, data))
    return missing


def copy_texts(texts: Sequence[Text], target: Backend, *, shared: bool) -> None:
    """Keep texts in a target. `shared` leaves the digests of sessions to git."""
    with target.together():
        for kind, name, data in texts:
            private = kind is TextKind.SESSIONS and not shared
            target.texts.keep(
                kind, name, data, durable=kind is not TextKind.RECALLS, private=private
            )


def missing_entries(source: Backend, target: Backend) -> list[dict[str, Any]]:
    """Return the entries of the activity log that a target's lacks, in their order."""
    there = Counter(_entry_digest(entry) for entry in _entries(target))
    missing = []
    for entry in _entries(source):
        digest = _entry_digest(entry)
        if there[digest]:
            there[digest] -= 1
        else:
            missing.append(entry)
    return missing


def copy_log(entries: Sequence[Mapping[str, Any]], target: Backend) -> None:
    """Append entries to a target's log, and take them into its summary."""
    for at in range(0, len(entries), _AT_ONCE):
        with target.together():
            for entry in entries[at : at + _AT_ONCE]:
                target.log.append(entry)
    if entries:
        target.log.summary(complete=True)


def _kept(backend: Backend, kind: TextKind, name: str) -> bytes | None:
    """Return a text; None where it has just expired, or its name is none that a text has."""
    try:
        return backend.texts.read(kind, name)
    except NotFound:
        return None


def _entries(backend: Backend) -> Iterator[dict[str, Any]]:
    start, lines = 0, [b""]
    while lines:
        lines, start = backend.log.lines(start, _SLICE)
        yield from entries_of(lines)


def _entry_digest(entry: Mapping[str, Any]) -> bytes:
    text = json.dumps(entry, sort_keys=True).encode("ascii")
    return blake2b(text, digest_size=16).digest()
