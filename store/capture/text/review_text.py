"""The findings of a review, as a list tells them: each whole, with what its sentences lean on."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from store.capture.candidate import shorten
from store.capture.text.prose import plain, sentences, without_code
from store.text.regex import regex

_ITEM = regex(r"(\s*)(?:[-*•]|\d{1,2}[.)])\s+(?=\S)")
_BOLD_LEAD = regex(r"\*\*[^*\n]{12,160}[.:]\*\* +\S")
"""A paragraph that begins with its point."""
_NUMBER_ALONE = regex(r"(?<=[.!?]) [A-Z]{0,3}-?\d{1,3}[.)]$")
"""The number at the end of a text of what was cut off behind it."""
_HEADING = regex(r"\s{0,3}(?:#{1,6}\s+\S|\*\*[^*]+\*\*:?(?:\s*\([^()]{1,80}\))?\s*$)")
_RATED = regex(
    r"\W*(?:\d+\W+)?(?:blockers?|blocking|critical|high|medium|low|major|minor|p[0-3])\b", re.I
)
_COUNTED = regex(r"\s{0,3}(?:#{2,6}\s+|\*\*)(?:\w+ )?#?\d{1,2}[.):]\s+(?:`[^`]+`|\w+) \w+")
"""A heading that counts: "### 3. Rounding happens twice"."""
_FAULT = regex(
    r"\b(?:bugs?|blockers?|critical|high|medium|low|major|minor|p[0-3]|missing|misses|wrong\w*|truncat\w*|incorrect"
    r"|fail\w*|break\w*|broken|leak\w*|race|panic\w*|crash\w*|raises?|los(?:e|es|t|ing)|never|silent\w*|unsafe"
    r"|should|must|unused|dead|duplicat\w*|stale|inconsisten\w*|undefined|untested|ignor\w*|slow|risk\w*"
    r"|without|cannot|can(?:['’]t|not)|(?:do|does|is|are|was)(?:n['’]t| not)|instead of"
    r"|no longer)\b",
    re.I,
)
_ELSE = regex(
    r"\b(?:experience|overview|summary|changes|changed|strengths?|positives?|praise|good|verdict"
    r"|tests?|verif\w+|assumptions?|questions?|residual|scope|coverage|looks|works)\b",
    re.I,
)
"""A heading below which a review tells something else than what it found."""
_OF_THE_REVIEW = regex(
    r"\bI (?:could(?:n['’]t| not)|ran|did(?:n['’]t| not)|checked|reviewed|read)\b"
    r"|^(?:verification|test(?:ing)?) notes?\b|\bpre-existing\b|\bunrelated to\b"
    r"|\bnot a new finding\b|^residual\b|\bconsider (?:\w+ly )?\w+ing\b"
    r"|^[^\w`]*+(?:`[^`]+`\W++)?(?:clarified|fixed|updated|added|removed|renamed)\b",
    re.I,
)
_FINE = regex(
    r"\b(?:no|nor any) (?:[\w/>-]+ ){0,3}(?:risks?|regressions?|leaks?|vectors?|injections?|issues?"
    r"|escalation|impact|concerns?|vulnerabilit\w+|paths?|sinks?|xss|ssrf)\b"
    r"|\b(?:is|are) (?:still |indeed |all )?(?:avoided|correct|safe|sound|fine|harmless)\b"
    r"|\bnot an? (?:security )?(?:bug|issue|problem|concern)\b|\b(?:can(?:not|['’]t)) be injected\b"
    r"|\bnothing to worry\b|\bno new \w+|\blooks? (?:good|right|correct|fine)\b"
    r"|\b(?:is|are) acceptable\b|\bdisplay-only\b|\bcannot influence\b"
    r"|\bno (?:smuggling|credentials)\b"
    r"|\brejected\.|\bcorrect(?:ly)?[.)]?$|✅|✓|\b(?:doesn['’]t|does not) (?:add|introduce)\b",
    re.I,
)
"""A point of a review that says all is well."""
_ADVICE = regex(
    r"\W*(?:(?:suggest\w*|recommend\w*|possible|minimal|actionable) )?"
    r"(?:action|fix|remedy|suggestion|recommendation)s?\W*:",
    re.I,
)
_WRAPPED, _GOES_ON = 55, regex(r"[a-z`(]")
"""From so many characters on a line without an end goes on in one that begins in lower case."""
_PLACE = regex(r"`[^`\n]+`|\b\w+\.\w{1,4}:\d+")
_LEAST_ROOM, _A_TITLE = 160, 4
"""Characters without which no further finding is told, and words of a rating that is a title."""


def names_fault(text: str) -> bool:
    """Whether a text of a review says what is wrong or risky, rather than how it is made."""
    return _FAULT.search(text) is not None and not _OF_THE_REVIEW.search(text)


def named_faults(text: str) -> list[str]:
    """The sentences of a review that say what is wrong, and where."""
    told = (it for it in sentences(text) if names_fault(it) and _PLACE.search(it))
    told = (it for it in told if not it.startswith("Consider"))
    return [it for it in told if not it.endswith((":", "?")) and not _FINE.search(it)]


def told_findings(text: str, longest: int) -> str:
    """The findings that a review lists, a line each; empty where it lists none.

    In the review's order, in about `longest` characters; how many had no room is said. What is
    advised for a finding is left out.
    """
    found = [told for item in _items(text) if (told := _told(item))]
    if len(found) < 2:
        return whole_sentences(found[0], longest) if found else ""
    lines: list[str] = []
    left = longest
    for at, finding in enumerate(found):
        if left < _LEAST_ROOM:
            lines.append(f"And {len(found) - at} more.")
            break
        kept_free = _LEAST_ROOM * min(len(found) - at - 1, 2)
        lines.append(f"- {whole_sentences(finding, max(_LEAST_ROOM, left - kept_free))}")
        left -= len(lines[-1])
    return "\n".join(lines)


def whole_sentences(text: str, longest: int) -> str:
    """The first sentences of a text that fit, else as much of the first as does."""
    kept = ""
    for sentence in sentences(text):
        if kept and len(kept) + len(sentence) >= longest:
            break
        kept = f"{kept} {sentence}".strip()
    return shorten(_NUMBER_ALONE.sub("", kept), longest)


def _items(text: str) -> Iterator[list[str]]:
    """The items of a review's lists, and what stands below a heading that is one, by lines."""
    item: list[str] = []
    by_heading = skipped = False
    depth = -1
    after_blank = False
    for line in without_code(text).splitlines():
        if not line.strip():
            after_blank = True
            continue
        bullet = _ITEM.match(line)
        if _HEADING.match(line):
            yield item
            title = plain(line.lstrip("# "))
            numbered = _COUNTED.match(line)
            is_item = numbered or (_RATED.match(title) and len(title.split()) >= _A_TITLE)
            by_heading = bool(is_item)
            skipped = not by_heading and bool(_ELSE.search(title))
            item, depth = ([title] if by_heading else []), -1
        elif not by_heading and _BOLD_LEAD.match(line):
            yield item
            item, depth = ([] if skipped else [plain(line)]), 0
        elif bullet and not by_heading and (depth < 0 or len(bullet[1]) <= depth):
            yield item
            item, depth = ([] if skipped else [plain(line)]), len(bullet[1])
        elif item and not by_heading and after_blank and not line[0].isspace():
            yield item
            item = []
        elif item and not after_blank and _goes_on(item[-1], line):
            item[-1] += f" {plain(line)}"
        elif item:
            item.append(plain(line))
        after_blank = False
    yield item


def _goes_on(told: str, line: str) -> bool:
    """Whether a line is the rest of one that a text of fixed width was cut into."""
    is_open = len(told) >= _WRAPPED and told[-1] not in ".!?:;"
    return is_open and _GOES_ON.match(line.lstrip()) is not None and not _ADVICE.match(line)


def _told(item: Sequence[str]) -> str:
    """A finding in one line, its title first; empty where it names no fault or no place."""
    told: list[str] = []
    for line in item:
        if _ADVICE.match(line):
            break
        told += [each for each in sentences(line) if not _OF_THE_REVIEW.search(each)]
    if len(told) > 1 and not told[0].endswith((".", "!", ":", ";")):
        told[0] += ":"
    text = " ".join(told)
    if _FINE.search(text):
        return ""
    return text if told and names_fault(text) and _PLACE.search(text) else ""
