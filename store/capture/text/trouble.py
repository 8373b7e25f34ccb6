"""Whether a clause says what was wrong or how it was before, rather than what was done about it."""

from __future__ import annotations

import re
from functools import lru_cache

from store.capture.text.causes import names_cause
from store.text.phrases import Phrases
from store.text.regex import regex

CLAUSE_END = regex(r"(?<=[;.!?])\s+")
_TROUBLE = Phrases(
    "bug|bugs|broken|break|breaks|broke|missing|lost|loses|losing|stale|race|overwrote|silent"
    "|silently|error|errors|problem|problems|issue|issues|unable|impossible|rejects|rejected|blocks"
    "|blocked|stuck|hang|hangs|hung|hard to|redundant|bottleneck|bottlenecks|already|unnecessary"
    "|hidden|exposes|exposed|never|cannot|cant|can't|can’t|current|currently|previous|previously"
    "|used to|today|right now|at the moment|until now",
    {
        "fail|crash|wrong|leak|overwrit|incorrect|duplicat|panic|corrupt|mislead|inconsistent"
        "|confus|vulnerab": (
            r"\b(?:fail|crash|wrong|leak|overwrit|incorrect|duplicat|panic|corrupt|mislead"
            r"|inconsistent|confus|vulnerab)"
        ),
        "out": r"\btime[sd]? ?outs?\b",
        " not|n't|n’t": (
            r"\b(?:does|do|did|was|were|is|are|had|has|have|could|would|will|wo)(?: not|n['’]t)\b"
        ),
        "no longer": r"\bno longer (?:exists?|works?|supported|available|needed|used)\b",
    },
)
_OF_THE_WORK = regex(
    r"\blet['’]?s\b|\blet me\b|\bI['’]ll\b"
    r"|^(?:following|as before|next|first|proceeding|starting)\b",
    re.I,
)
"""How the work goes on is no trouble."""
_SINCE = regex(r"\b(?:because|due to)\b|, since\b", re.I)
_DID = regex(
    r"(?:[^\s:–—][^:–—]{0,80}(?::| [–—-]) ?)?\W*(?:(?:also|now|both|it|this|these"
    r"|the (?:change|fix|code)) )*(?!fail|need|expect|miss)(?:\w+ed|made|kept|built|wrote|took"
    r"|set|split|uses|returns|adds|changes|renames|removes|replaces|moves|keeps|makes)\b",
    re.I,
)
"""What begins so tells what was done, with the place where or without."""


@lru_cache(maxsize=256)
def says_trouble(text: str) -> bool:
    """Whether one of a text's clauses says what was wrong, or how it was."""
    return any(map(tells_trouble, CLAUSE_END.split(text)))


def tells_trouble(clause: str) -> bool:
    """Whether a clause says what was wrong, or how it was, so that it had to be changed."""
    if _OF_THE_WORK.search(clause):
        return False
    if tells_deed(clause):
        return _SINCE.search(clause) is not None
    return names_cause(clause) or _TROUBLE.stand_in(clause)


def tells_deed(clause: str) -> bool:
    """Whether a clause begins with what was done."""
    return _DID.match(clause) is not None
