"""Findings about memories that no longer fit the code that they name. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from store.doctor.findings import Finding, FindingKind
from store.drift.kept import Verdicts
from store.drift.verdicts import Drift
from store.model import Verdict
from store.notice import Notice, notice

_MOST = 50
"""Memories that are listed one by one."""
_ENDING = 6
"""Characters of an id that name a memory."""


def drift_findings(verdicts: Verdicts) -> Iterator[Finding]:
    """Yield the memories whose code is gone, then those whose was moved; changed ones as one."""
    listed = [
        (identifier, drift)
        for verdict in (Verdict.GONE, Verdict.MOVED)
        for identifier, drift in verdicts.drifted()
        if drift.verdict is verdict
    ]
    for identifier, drift in listed[:_MOST]:
        yield Finding(
            FindingKind.DRIFT, identifier, _notice(identifier[-_ENDING:], drift), memory=identifier
        )
    if (more := len(listed) - _MOST) > 0:
        yield Finding(FindingKind.DRIFT, "", notice("drift-more", memories=more))
    changed = sum(drift.verdict is Verdict.CHANGED for _, drift in verdicts.drifted())
    if changed:
        yield Finding(FindingKind.DRIFT, "", notice("drift-changed", memories=changed))


def _notice(ending: str, drift: Drift) -> Notice:
    if drift.verdict is Verdict.GONE:
        return notice("drift-gone", id=ending, names=", ".join(drift.gone[:2]))
    before, after = drift.moved[0]
    return notice("drift-moved", id=ending, before=before, after=after)
