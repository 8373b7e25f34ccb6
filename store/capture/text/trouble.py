"""Whether a clause says what was wrong or how it was before, rather than what was done about it."""

from __future__ import annotations

import re
from functools import lru_cache

from store.capture.text.causes import names_cause
from store.text.regex import regex

CLAUSE_END = regex(r"(?<=[;.!?])\s+")
_TROUBLE = regex(
    r"\b(?:fail\w*|crash\w*|bugs?|broken|breaks?|broke|wrong\w*|missing|lost|los(?:es|ing)|stale"
    r"|race|leak\w*|overwrit\w*|overwrote|incorrect\w*|silent(?:ly)?"
    r"|errors?|time[sd]? ?outs?|problems?|issues?|unable|impossible|reject(?:s|ed)"
    r"|block(?:s|ed)|duplicat\w*"
    r"|stuck|hangs?|hung|panic\w*|corrupt\w*|mislead\w*|inconsistent\w*|hard to"
    r"|redundant|bottlenecks?|already|unnecessary|hidden|confus\w*|vulnerab\w*|expos(?:es|ed)"
    r"|never|cannot|can['’]?t"
    r"|(?:does|do|did|was|were|is|are|had|has|have|could|would|will|wo)(?: not|n['’]t)"
    r"|current(?:ly)?|previous(?:ly)?|used to|today|right now|at the moment|until now"
    r"|no longer (?:exists?|works?|supported|available|needed|used))\b",
    re.I,
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
    return names_cause(clause) or _TROUBLE.search(clause) is not None


def tells_deed(clause: str) -> bool:
    """Whether a clause begins with what was done."""
    return _DID.match(clause) is not None
