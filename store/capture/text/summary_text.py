"""What a summary lists as trouble, and what of that teaches nothing."""

from __future__ import annotations

import re

from store.capture.steps.check_output import is_slip
from store.capture.text.causes import tells_cause
from store.model import Category
from store.text.content_words import content_words
from store.text.regex import regex

NOTHING = regex(
    r"^(?:(?:format\w*|lint\w*|style) (?:issues?|errors?|warnings?|fix\w*)\b"
    r"|current(?:ly)? (?:\w+ )?(?:errors?|fail\w+|issues?|problems?)\b|none"
    r"|no (?!\w+ (?:support|way|handling))|nothing|n/a"
    r"|.*\bcurrently (?:resolving|fixing|working)\b|all (?:\w+ )*(?:done|completed?))",
    re.I,
)
"""What lists nothing, or what is still at hand."""
_FEEDBACK = regex(r"^\W*user (?:feedback|correction|asked|said|noted|preferred)", re.I)
_CORRECTED = regex(
    r"\b[Uu]ser (?:rejected|corrected|insisted|prefers|told me|redirected|asked (?:me )?not)\b"
)
_ASKED_WHY = regex(
    r"^\W*(?:user feedback[^:]*:\W*)?(?:the )?user asked\b|^\W*(?:previous|earlier"
    r"|prior) session\b",
    re.I,
)
_EXPECTED = regex(
    r"\bpre-existing\b|\bnot (?:introduced|caused) by\b|\bexpected (?:\w+ )?(?:state|behaviou?r)\b"
    r"|\bmy files had\b|\bnot mine\b|\bindex\.lock\b|\bnot a problem\b|\bresolved when\b"
    r"|\bno (?:code )?changes? (?:was |were )?(?:needed|required|made)\b",
    re.I,
)
"""What went wrong on the way, as it had to, or what was wrong before and was left so."""
_UNSOLVED = regex(
    r"\((?:current|in progress|ongoing|unresolved|open)\)"
    r"|\bnot (?:yet )?(?:fixed|resolved|solved)\b|\bnot yet (?:read|checked|looked at)\b"
    r"|\bstatus: (?:unresolved|open|in progress)\b"
    r"|\bfix (?:is |was )?(?:still )?(?:pending|in progress)\b|\bpending fix\b"
    r"|\battempted fix\b|\bneeds? (?:further )?investigation\b|\bunder investigation\b"
    r"|\b(?:currently|still) investigating\b"
    r"|^[^:]{0,60}\b(?:branch name|wrong branch|worktree|merge conflicts?|rebase|commit message"
    r"|sub-?agents?|spec|brief)\b",
    re.I,
)
"""What the session goes on to solve, and what was wrong with its branch or its helpers."""
_OF_ITSELF = regex(
    r".*\b(?:wrong (?:directory|folder|cwd)|typo)\b"
    r"|[^:]{0,50}: (?:wrote|used|forgot|missed|mistakenly|accidentally|tried)\b"
    r"|^(?!.*\b(?:never|always)\b).{0,90}\b(?:I|[Mm]y)\b(?!\.)",
    re.S | re.I,
)
"""What the agent did wrong itself is put right: it teaches where a rule was made of it."""
_OF_TOOLS = regex(
    r"\b(?:the (?:Write|Edit|Task|Bash|Read) tool|Write tool"
    r"|MCP (?:session|tools?)\b.{0,60}\b(?:terminated|not available)|unknown skill|TeamDelete"
    r"|shutdown_request|stash pop)",
    re.I,
)
"""Trouble with the agent's own tools is none of the project's."""
_MADE_OTHERWISE = regex(
    r"(?:task|step|item|todo) #?\d+\W+(?:switched|changed|moved|renamed|replaced|rewrote|rewritten"
    r"|refactored|converted)\b",
    re.I,
)
"""A step of the work that was done in another way, where nothing went wrong."""
_MISCLAIMED = regex(
    r"\b(?:I (?:incorrectly |wrongly )?claimed|(?:incorrectly|wrongly) (?:claimed|assumed|said)"
    r"|correction to|wrong rationale|(?:my|own) (?:count|fix|plan|edit)"
    r"|could not (?:take a )?screenshot|screenshots? (?:failed|timed out))\b",
    re.I,
)
"""What the agent said and took back, and what its own tools could not show."""
_MISTOOK = regex(
    r"\bI (?:had )?(?:initially |first |wrongly )?(?:thought|assumed|believed|misunderstood)\b"
    r"|\bpushed back\b|\bled to (?:deeper|further)\b",
    re.I,
)
"""What an agent had wrong for a while, and found out."""
_OF_TESTS = regex(r"(?:\w+[ -]){0,3}tests?\b", re.I)
_MENDED_A_TEST = regex(
    r"\bFix(?:ed)?(?: by|:)? (?:\w+ ){0,4}(?:the )?"
    r"(?:`\w*[Tt]est\w*`|(?:tests?|test (?:script|fixtures?|setup))\b)"
    r"|\bFix(?:ed)?(?: by|:)? [^.]{0,60}\bin (?:the )?tests?\b"
)
_NAMED_CAUSE = regex(r"\bcause[sd]?\b|\bbecause\b|\bwas (?:not )?\w+ing\b", re.I)
"""What was wrong with tests that were just written teaches nothing, unless the cause is told."""
_ONLY_MENDED = regex(r"(?:errors?|issues?|problems?): (?:fix(?:ed)?|solution|resolution)\b", re.I)
"""What was done about a trouble that is not told."""
_LACKED = regex(
    r"[^:]{3,60}\b(?:missing|does not implement)\b[^:]{0,40}: (?:fix(?:ed)?|solution): "
    r"(?:added|removed|imported|implemented|defined)\b(?!.*\b(?:because|since|instead|so that)\b)"
    r"[^.;]*\.?\Z",
    re.I,
)
"""What was missing and is there now: the code has it."""
_CITED, _FEW_WORDS = regex(r"\"[^\"]+\"|“[^”]+”"), 3
_REMARK = regex(r"[\"“/,;)]")
"""A remark that the person made, in quotes, or the rest of a line that was cut."""
_RULES = regex(
    r"\b(?:never|always|don['’]t|do not|prefer\w*|instead|rather than|must not|too)\b", re.I
)
"""What a person corrected teaches where it says how it is to be, or not to be."""


def is_feedback(text: str) -> bool:
    """Whether an item is what the person asked for or corrected, rather than an error."""
    return bool(_FEEDBACK.match(text) or _CORRECTED.search(text))


def teaches_nothing(text: str, told: Category) -> bool:
    """Whether what a summary lists as trouble teaches nothing: a slip, a remark, no cause."""
    if is_slip(text) or any(each.match(text) for each in (NOTHING, _REMARK, _ASKED_WHY)):
        return True
    if (
        _ONLY_MENDED.match(text)
        or _LACKED.match(text)
        or _EXPECTED.search(text)
        or _UNSOLVED.search(text)
        or _cites(text)
    ):
        return True
    if _MISCLAIMED.search(text) or (told is Category.ERROR and _OF_TOOLS.search(text)):
        return True
    if told is Category.ERROR and (_OF_ITSELF.match(text) or _MADE_OTHERWISE.match(text)):
        return True
    if told is Category.LESSON and (_MISTOOK.search(text) or not _RULES.search(text)):
        return True
    if told is Category.ERROR and _MENDED_A_TEST.search(text) and "because" not in text:
        return True
    if _OF_TESTS.match(text) and not _NAMED_CAUSE.search(text):
        return True
    return told is Category.ERROR and not tells_cause(text)


def _cites(text: str) -> bool:
    """Whether an item is what the person said, word by word, and nothing on what it was about."""
    cited = _CITED.findall(text)
    return len(cited) > 1 and len(content_words(_CITED.sub("", text))) <= _FEW_WORDS
