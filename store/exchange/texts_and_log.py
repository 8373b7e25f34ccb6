"""The copy of a memory's named texts and activity log: what the target lacks, and adding it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

from store.backends.log_summary import entries_of
from store.backends.protocol import Backend
from store.backends.text_kinds import TextKind, text_path
from store.backends.tombstones import joined
from store.errors import Conflict, NotFound

_KINDS = (
    TextKind.OPERATIONS,
    TextKind.RECALLS,
    TextKind.SESSIONS,
    TextKind.INBOX,
    TextKind.REMOVED,
)
"""Messages and checkpoints stay where they are: they are of one machine alone."""
_SLICE = 8_000_000
"""Bytes of the log that are read at once."""
_AT_ONCE = 200
"""Entries in one transaction: 22,000 in one took 148 s, each a version of the row of the log."""


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
            if data is None or data == there:
                continue
            if kind is TextKind.REMOVED and there is not None:
                data = joined(data, there)  # both removed memories since they were copied
                if data == there:
                    continue
            elif there is not None:
                raise Conflict(
                    f"{shown} holds another memory: its {text_path(kind, name)} differs. "
                    "It was left as it is.",
                    "Choose an empty place.",
                )
            missing.append(Text(kind, name, data))
    return missing


def copy_texts(texts: Sequence[Text], target: Backend, *, shared: bool) -> None:
    """Keep texts in a target. `shared` leaves the digests of sessions to git."""
    with target.together():
        for kind, name, data in texts:
            private = kind is TextKind.INBOX or (kind is TextKind.SESSIONS and not shared)
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
