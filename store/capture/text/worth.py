"""What something must tell to be a memory of its own, by points.

Of 260 changes of 14 projects that were judged by eye, as a developer who comes back to that project
would, 67% were wanted: 89% of those with two points, 76% of those with one. Each point stands for
what made that share at least a tenth higher, or lower, whichever project was left out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from store.capture.steps.paths import is_test
from store.capture.text.prose import CODE_NAME
from store.capture.text.trouble import says_trouble
from store.text.phrases import Phrases
from store.text.regex import regex

_NAMES_TROUBLE = regex(
    r"\W*(?:the |a |an |this )?(?:root cause|(?:real |actual |underlying )?"
    r"(?:problem|issue|bug|cause|culprit))s?\b|(?:[\w-]+ ){1,4}(?:cause|culprit): ",
    re.I,
)
"""What begins so tells what was wrong, not what was done."""
_IS_BECAUSE = regex(
    r"(?:since|because|given)\b[^.;]{10,}|[^.;]{0,120}\b(?:is|are|was|were|has|had|fail(?:s|ed)?)\b[^.;]{0,60}\bbecause\b",
    re.I,
)
_OPENS_ASIDE = Phrases(
    patterns={
        "answer|even |worth |out of scope|nothing|in theory|resolved by|updated your|for context"
        "|to be clear": (
            r"^\W*(?:answers? from|even (?:if|though|when)|worth \w+ing|out of scope|nothing"
            r"|in theory|resolved by|updated your|for context|to be clear)\b"
        ),
        "": r"^\W*(?:no|yes|(?:low|medium|high)(?: severity)?)(?: ?[–—:,-]| from\b)",
        "warning|ensure|mean": (
            r"^\W*(?:this|these|those|both|all) (?:\w+ )?(?:warnings?|ensures?|means)\b"
        ),
        "is clear": r"^\W*the (?:issue|problem) is clear\b",
        "the fix |with ": r"^\W*(?:the fix (?:ensures|is|was)|with (?:this|that|the fix))\b",
        "ran": r"^\W*re-?ran\b",
        "as |like ": r"^\W*(?:as|like) (?:you|we|i)\b",
        "if i ": r"^\W*[^.;]{0,60}\bif i (?:used|had|ran)\b",
    }
)
_LEADS_IN = regex(
    r"(?<!\W)\W*+(?:here(?:['’]s| is| are)\b[^.:;`]{0,60}|(?:in )?summary"
    r"|(?:the )?(?:short )?answers?|notes?|why (?:this|it) works)(?: [^.:;`]{0,40})?: (?=\S)",
    re.I,
)
_STILL_FAILS = regex(
    r"\b(?:still|therefore) fail(?:s|ed|ing)?\b|\bstill (?:is|are) failing\b", re.I
)
"""What fails after a change is not why it was made."""
_TEXTS = (".md", ".mdx", ".rst", ".txt")
_LOOKS = (".css", ".scss", ".html", ".svg", ".tsx", ".jsx", ".vue")
"""Files of which one sees what was changed."""
_LOOK = regex(
    r"\b(?P<pure>layout|align\w*|icon|logo|badge|border|colou?r|spacing|padding|margin|font"
    r"|visual\w*|svg|styl(?:e|ing))s?\b|\b(?P<other>tab|grid|card|column|header|ui|label|modal|button"
    r"|banner)s?\b",
    re.I,
)
"""Words for how a page looks; the others may be of something else."""
_MANY_LOOKS = 3
"""Different words of which a text is about how a page looks."""
_CUT = regex(r"`[^`]*`[)\]]")
"""What begins so is the end of a sentence."""
_A_LIST = 2
"""Clauses that semicolons part, from which on they were the items of a list."""
_A_CLAUSE = 120
"""Characters up to which it says too little without a name."""


def worth_of(
    lead: str, done: str, files: Sequence[str], *, is_planned: bool, are_several: bool
) -> int:
    """The points of a change: `lead` says why it was made, by a plan or a person if `is_planned`.

    `are_several`: several requests were answered by it. One point makes it a memory of its own.
    """
    names_trouble = bool(_NAMES_TROUBLE.match(lead) or _IS_BECAUSE.match(lead))
    points = is_planned + names_trouble + ("`" in lead and "`" in done)
    if not is_planned and not CODE_NAME.search(lead):
        points -= 2 if len(lead) < _A_CLAUSE else 1
    points -= are_several
    points -= tells_looks(lead) or all(path.lower().endswith(_LOOKS) for path in files)
    is_aside = all(path.lower().endswith(_TEXTS) for path in files) or all(map(is_test, files))
    return points - 2 * (is_aside and not names_trouble)


def tells_looks(text: str) -> bool:
    """Whether a text is about how a page looks: one sees that."""
    found = [(match["pure"], match[0].lower().rstrip("s")) for match in _LOOK.finditer(text)]
    return any(pure for pure, _ in found) and len({it for _, it in found}) >= _MANY_LOOKS


def is_found_out(found: str) -> bool:
    """Whether what was found for a question is more than how the code goes, step by step, or what
    might be done: it says what is wrong, lacking or limited, in sentences.

    Of 65 findings judged by eye 71% of those that do were wanted, 29% of the others.
    """
    if _NAMES_TROUBLE.match(found):
        return True
    begins = found[:1].isupper() or (found.startswith("`") and not _CUT.match(found))
    return begins and says_trouble(found) and found.count(";") < _A_LIST


def to_the_point(clauses: Sequence[str]) -> list[str]:
    """The clauses without those that begin beside the point, with what might be, what is not
    meant, or "no"; and without what leads to others.
    """
    told = (_LEADS_IN.sub("", each, count=1) for each in clauses)
    return [it for it in told if it and not (_OPENS_ASIDE.stand_in(it) or _STILL_FAILS.search(it))]
