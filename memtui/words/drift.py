"""What became of the code that a memory names, in words."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from memtui.formatting import plural, since
from store.drift.verdicts import Drift
from store.model import Verdict
from store.text.display import visible_line

_FEW = 2
"""The names that are told; more are counted."""
_SHORT_COMMIT = 7


def drift_words(drift: Drift, now: datetime | None = None) -> str:
    """Return the verdict on a memory with what it rests on: `shop/queue.py is now shop/lines.py,
    since 3f2a91c (2d ago)`; without `now` not how long ago.
    """
    parts = [f"gone from the code: {_listed(drift.gone)}"] if drift.gone else []
    parts += [f"{before} is now {after}" for before, after in drift.moved[:_FEW]]
    parts += [f"{plural(more, 'more file')} moved"] if (more := len(drift.moved) - _FEW) > 0 else []
    if len(drift.changed) > _FEW:
        parts.append(f"{plural(len(drift.changed), 'file')} changed")
    elif drift.changed:
        parts.append(f"changed: {_listed(drift.changed)}")
    if parts:
        return visible_line("; ".join(parts) + _since(drift, now))
    if drift.verdict is Verdict.CURRENT:
        return "current: what it names is as it was"
    return "unknown: it names nothing that can be compared"


def _listed(names: Sequence[str]) -> str:
    rest = len(names) - _FEW
    return ", ".join(names[:_FEW]) + (f" and {rest} more" if rest > 0 else "")


def _since(drift: Drift, now: datetime | None) -> str:
    if not drift.commit:
        return ""
    ago = since(datetime.fromtimestamp(drift.time, UTC), now) if now else ""
    return f", since {drift.commit[:_SHORT_COMMIT]}" + (f" ({ago})" if ago else "")
