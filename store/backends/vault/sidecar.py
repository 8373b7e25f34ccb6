"""Fields of memories that a vault's Markdown can't hold: issue, counters, marks, exact values.

For each memory, by its key, the fields in which its record differs from its text. Each holds as
long as the text is what it was then: who edits the text by hand has the last word. All of it may
be deleted: the texts are in the vault.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

from store.backends.vault.layout import SIDECAR
from store.errors import Unreadable
from store.model import Location
from store.records import DEFAULTS

Fields = Mapping[str, Mapping[str, Any]]
"""What differs, by field: `is`, its value (none where the record has no such field), and `was`."""
_UNDATED = "undated"
_CONFLICT = b"\n<<<<<<< "
_MEMORY = b'    "'
"""The beginning of a line with a memory."""


def side_key(location: Location, key: str) -> str:
    return key if location is Location.ISSUE else f"archive/{key}"


def read_sidecar(data: bytes) -> dict[str, Fields]:
    """Return the fields of each memory; of a file that git left in conflict, those of both sides.

    Raises `Unreadable`.
    """
    try:
        memories = _both_sides(data) if _CONFLICT in data else json.loads(data)["memories"]
        return {
            str(key): {str(name): dict(one) for name, one in m.items()}
            for key, m in memories.items()
        }
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise Unreadable(
            f"{SIDECAR} is damaged.",
            "Run `memtui doctor --repair` to set it aside; no text is in it alone.",
        ) from error


def _both_sides(data: bytes) -> dict[str, Any]:
    """Return the memories of a file with git's marks, from its lines; where both sides have one,
    theirs.

    No text is lost by that, and a field holds only as long as its text is what it was then.
    """
    lines = (line.strip().rstrip(b",") for line in data.splitlines() if line.startswith(_MEMORY))
    return {key: one for line in lines for key, one in json.loads(b"{%b}" % line).items()}


def write_sidecar(memories: Mapping[str, Fields]) -> bytes:
    """Return the bytes of the sidecar, a memory a line, so that git merges it."""
    lines = (f"{json.dumps(key)}: {json.dumps(memories[key])}" for key in sorted(memories))
    inner = ",\n    ".join(lines)
    return f'{{\n  "version": 1,\n  "memories": {{\n    {inner}\n  }}\n}}\n'.encode("ascii")


def difference(
    written: Mapping[str, Any], record: Mapping[str, Any], *, is_dated: bool
) -> dict[str, dict[str, Any]]:
    """Return the fields in which a record differs from its text."""
    fields: dict[str, dict[str, Any]] = {}
    for name in [*written, *(name for name in record if name not in written)]:
        is_known = name in written or name in DEFAULTS
        if name in record and is_known and _is_same({**DEFAULTS, **written}[name], record[name]):
            continue
        fields[name] = {"was": _short_value(written, name, is_dated)}
        if name in record:
            fields[name]["is"] = record[name]
    return fields


def completed(written: Mapping[str, Any], fields: Fields, *, is_dated: bool) -> dict[str, Any]:
    record = dict(written)
    for name, field in fields.items():
        if field.get("was") != _short_value(written, name, is_dated):
            continue
        if "is" in field:
            record[name] = field["is"]
        else:
            record.pop(name, None)
    return record


def _short_value(written: Mapping[str, Any], name: str, is_dated: bool) -> str:
    """Return a field as the text has it, short; the same where the text has no time of its own."""
    if name not in written:
        return ""
    if name == "timestamp" and not is_dated:
        return _UNDATED
    text = json.dumps(written[name]).encode("ascii")
    return text.decode("ascii") if len(text) <= 24 else blake2b(text, digest_size=6).hexdigest()


def _is_same(one: object, other: object) -> bool:
    return type(one) is type(other) and json.dumps(one) == json.dumps(other)
