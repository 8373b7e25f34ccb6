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


def drift_words(drift: Drift, now: datetime) -> str:
    """Return what became of a memory's code: `shop/queue.py is now shop/lines.py, since 3f2a91c`;
    empty where nothing drifted.
    """
    parts = []
    if drift.gone:
        parts.append(f"{_listed(drift.gone)} gone from the code")
    for before, after in drift.moved[:_FEW]:
        parts.append(f"{before} is now {after}")
    if len(drift.changed) > _FEW:
        parts.append(f"{plural(len(drift.changed), 'file')} changed")
    elif drift.changed:
        parts.append(f"{_listed(drift.changed)} changed")
    if not parts:
        return ""
    return visible_line("; ".join(parts) + _since(drift, now))


def verdict_words(drift: Drift, now: datetime) -> str:
    """Return the verdict with what it rests on, for a memory shown in full."""
    match drift.verdict:
        case Verdict.CURRENT:
            return "current: what it names is as it was"
        case Verdict.UNKNOWN:
            return "unknown: nothing that it names can be compared"
    return f"{drift.verdict}: {drift_words(drift, now)}"


def _listed(names: Sequence[str]) -> str:
    rest = len(names) - _FEW
    return ", ".join(names[:_FEW]) + (f" and {rest} more" if rest > 0 else "")


def _since(drift: Drift, now: datetime) -> str:
    if not drift.commit:
        return ""
    ago = since(datetime.fromtimestamp(drift.time, UTC), now)
    return f", since {drift.commit[:_SHORT_COMMIT]}" + (f" ({ago})" if ago else "")
