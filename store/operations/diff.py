"""A plan as a readable diff: what would change, record by record."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from store.model import Shelf
from store.operations.plan import BOOKKEEPING, Change, Plan

_LONG = 400


def describe(plan: Plan) -> str:
    """The whole plan in words and marks: `+` made, `-` gone, `~` changed, `>` moved."""
    if plan.is_empty:
        return f"{plan.title}: nothing to do."
    lines = [f"{plan.title}", *(f"  {note}" for note in plan.notes), ""]
    lines += [f"> {move.source} moves to {move.target}" for move in plan.moves]
    archived = {c.id for c in plan.changes if c.shelf is Shelf.ARCHIVE and c.after is not None}
    restored = {c.id for c in plan.changes if c.shelf is Shelf.ARCHIVE and c.after is None}
    moved = archived | restored
    for change in plan.changes:
        if change.shelf is Shelf.ARCHIVE and change.id in moved:
            continue
        lines += _lines(change, archived, restored)
    in_issues = {change.id for change in plan.changes if change.shelf is Shelf.ISSUE}
    only_archive = [
        change
        for change in plan.changes
        if change.shelf is Shelf.ARCHIVE and change.id not in in_issues
    ]
    for change in only_archive:
        lines += _lines(change, set(), set())
    return "\n".join(lines).rstrip() + "\n"


def _lines(change: Change, archived: set[str], restored: set[str]) -> Iterator[str]:
    place = f"#{change.issue}"
    if change.before is None:
        mark, word = ("<", "restored from the archive") if change.id in restored else ("+", "new")
        yield f"{mark} {place} {change.id} ({word})"
        yield f"    {_summary(change.after or {})}"
    elif change.after is None:
        mark, word = (">", "to the archive") if change.id in archived else ("-", "removed")
        yield f"{mark} {place} {change.id} ({word})"
        yield f"    {_summary(change.before)}"
    else:
        yield f"~ {place} {change.id}"
        yield f"    {_summary(change.after if change.forget else change.before)}"
        for key in sorted(change.before.keys() | change.after.keys()):
            old, new = change.before.get(key), change.after.get(key)
            if old != new and key not in BOOKKEEPING:
                if key in change.before:
                    shown = "(a secret, not shown again)" if change.forget else _value(old)
                    yield f"    - {key}: {shown}"
                if key in change.after:
                    yield f"    + {key}: {_value(new)}"


def _summary(record: Mapping[str, Any]) -> str:
    summary = record.get("summary") or record.get("content") or ""
    return f"{record.get('category', '')} · {record.get('agent', '')} · {_value(summary)}"


def _value(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    text = text.replace("\n", "\\n")
    return text if len(text) <= _LONG else text[: _LONG - 1] + "…"
