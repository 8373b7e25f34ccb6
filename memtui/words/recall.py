"""Words of a recall: what an injected text holds, and why a memory is in it or not."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from memtui.formatting import count, memories, plural
from store.model import InjectedCounts
from store.recall.values import ScoredCandidate

_VERDICTS: Mapping[str, str] = MappingProxyType(
    {
        "pinned": "pinned",
        "rule": "a standing rule",
        "last-session": "where the last session stopped",
        "touches": "about this work",
        "workflow": "how this project is worked on",
        "open": "an open task",
        "muted": "muted",
        "already-injected": "already told in this session",
        "own-session": "from this session itself",
        "summed-up": "summarized by {by}",
        "repeated": "said better by {by}, which is newer",
        "contradicted": "contradicted by {by}, which is newer",
        "superseded": "superseded by {by}, which is newer",
        "replaced": "replaced by {by}, which is newer",
        "in-prompt": "the prompt says it itself",
        "in-instructions": "the client's own files say it",
        "not-about": "not about this",
        "other-branch": "of another branch",
        "gone": "names code that is gone: {by}",
        "not-among-best": "others answer better",
        "too-long": "needs {needs} {unit}, {left} left",
        "budget-full": "budget full",
    }
)


def injected_in_words(counts: InjectedCounts) -> tuple[str, ...]:
    """Return what an injected text holds: `31 memories`, `4 messages`."""
    every = (
        memories(counts.memories),
        plural(counts.messages, "message"),
        plural(counts.sessions, "session"),
    )
    return tuple(words for words, number in zip(every, counts, strict=True) if number)


def why_included(candidate: ScoredCandidate) -> str:
    """Return why a candidate of a recall is in or out: `budget full`, `muted`."""
    words = _VERDICTS.get(candidate.reason.verdict)
    if words is None:
        strongest = sorted(candidate.factors.items(), key=lambda factor: -factor[1])[:2]
        return ", ".join(name for name, _ in strongest) or "no factor applies"
    reason = candidate.reason
    figures = {"needs": count(reason.needs), "left": count(reason.left), "unit": reason.unit}
    return words.format(by=reason.by, **figures)
