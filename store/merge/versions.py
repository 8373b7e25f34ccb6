"""Versions of one memory: the one that counts, those of other branches, and proposed ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from store.records import estimate_tokens, first_line

Record = Mapping[str, Any]
"""A memory as it is in a file: camelCase keys, unknown ones included."""

CONFLICT = "conflict"
"""The key of a record for what another branch made of it: a list of objects, each with the keys in
which that version differs; `{"removed": true}` where it was removed there."""
EDITED = "editedAt"
"""The key for the time at which a memory's text was last edited."""
TEXT = ("category", "content", "summary", "tokens")
"""The text of a memory: keys that are edited, and merged, together."""
REMOVED = "removed"
PROPOSED = "proposedBy"
"""The key of a version that no branch made: an agent proposes it."""


def keep_removed(record: Record) -> dict[str, Any]:
    """Return a memory that one side edited and the other removed: kept, and flagged."""
    others = [alternative for alternative in alternatives(record) if REMOVED not in alternative]
    kept = {key: value for key, value in record.items() if key != CONFLICT}
    return {**kept, CONFLICT: [*others, {REMOVED: True}]}


def alternatives(record: Record) -> list[dict[str, Any]]:
    """Versions of a memory from other branches, newest first; empty where all is resolved."""
    found = record.get(CONFLICT)
    if isinstance(found, list) and all(isinstance(item, dict) and item for item in found):
        return found
    return []


def version_text(version: Record) -> str:
    if PROPOSED in version:
        rest = {key: value for key, value in version.items() if key != PROPOSED}
        content = "removing it" if REMOVED in version else version_text(rest)
        return f"{version[PROPOSED]} proposes: {content}"
    if REMOVED in version:
        return "removed on another branch"
    if "content" in version:
        return str(version["content"])
    return ", ".join(f"{key}: {value}" for key, value in version.items())


def resolved(record: Record, choice: int) -> dict[str, Any] | None:
    """Return a memory with one version chosen: 0 is the one that counts, the others follow in
    order.

    `None` where the chosen one was removed. Raises `IndexError` where there is no such version.
    """
    kept = {key: value for key, value in record.items() if key != CONFLICT}
    if choice == 0:
        return kept
    chosen = alternatives(record)[choice - 1]
    if REMOVED in chosen:
        return None
    return {**kept, **{key: it for key, it in chosen.items() if key not in (PROPOSED, "id")}}


def version_of(content: str) -> dict[str, Any]:
    """Return the version of a memory that has another text."""
    return {"content": content, "summary": first_line(content), "tokens": estimate_tokens(content)}


def proposed(record: Record, version: Record, agent: str) -> list[dict[str, Any]]:
    """The versions of a memory with one that an agent proposes, in place of its earlier one."""
    others = [
        alternative for alternative in alternatives(record) if alternative.get(PROPOSED) != agent
    ]
    return [*others, {**version, PROPOSED: agent}]
