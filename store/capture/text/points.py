"""The points of a message that say more than what was done: why, what not, what to mind."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from store.capture.candidate import shorten
from store.capture.text.facts import ENOUGH, MUCH, teaches
from store.capture.text.prose import (
    CODE_NAME,
    announces,
    leans,
    parted,
    plain,
    stopped,
    without_code,
)
from store.capture.text.trouble import tells_deed
from store.capture.text.worth import is_found_out
from store.text.content_words import content_words
from store.text.regex import regex

_HEADING = regex(r"\s{0,3}(?:#{1,6}\s+(?=\S)|\*\*(?=[^*]+\*\*:?\s*$))")
_ITEM = regex(r"(\s*)(?:[-*•]|\d{1,2}[.)])\s+(?=\S)")
_WORD = regex(r"\w")
_ROW = regex(r"\s*\|")
_HEAD, _LEAD, _TEXT, _LISTED = "head", "lead", "text", "item"
"""A heading; a line that leads to what follows it; a paragraph; an item of a list."""
_LABEL = regex(r"([^:.?!]{3,60}): (?=\S)")
_CALLS_IT = regex(
    r"(?:(?:the|one|an?|another|two|three|four|few|real|actual|some|known|important|main|key|critical|small"
    r"|side) )*"
    r"(?:root cause|cause|culprit|trigger|reasons|insight|takeaway|lessons?|caveats?|gotchas?|catch"
    r"|why (?!(?:this|it|that)\b(?! (?:happen|fail|broke|break|does|did|is n|was n)))\w+"
    r"|pitfall|trap|trade-?offs?|limits?|limitations?|constraints?|heads[- ]up|judge?ment calls?"
    r"|notes?|side note|subtle\w*|landmine|near[- ]miss|(?:deliberate|intentional)(?:ly)?"
    r"|by design|left alone|kept as(?:[- ]is)?|breaking change|discovery|surprise"
    r"|worth (?:knowing|noting|flagging|remembering|a note|calling out)"
    r"|things? (?:worth|to) (?:know|not|mind|flag)\w*|(?:things? )?(?:that )?needs? your \w+"
    r"|(?:flagged|left) for \w+|to (?:be )?verif\w+)\b",
    re.I,
)
"""How agents call what the next session should know."""
_MAY_CALL_IT = regex(
    r"\b(?:cause|culprit|trigger|reasons|why|insight|takeaway|lesson|caveat|gotcha|catch|pitfall"
    r"|trap|trade-?off|limit|constraint|heads[- ]up|judge?ment|note|subtle|landmine|near[- ]miss"
    r"|deliberate|intentional|by design|left alone|kept as|breaking change|discovery|surprise"
    r"|worth|things?|problem|issue|bug|symptom|error|failure|reason|flagged|left for|needs? your)",
    re.I,
)
_FOUND = regex(
    r"\b(?:cause|culprit|bug)s? (?:\w+ )?(?:pinned|found|confirmed|verified|identified)\b", re.I
)
"""Who says that a cause was found has not told it yet."""
_NAMES_IT = regex(
    r"(?:the|that|your) (?:\w+ ){0,2}(?:error|problem|issue|failure|bug|cause|culprit|reason)"
    r" (?:was|is|came|comes|lies)\b(?! (?:now|fixed|gone|resolved|solved|clear|still|not))",
    re.I,
)
"""What begins so says what it was."""
_PROBLEM = regex(r"(?:the )?(?:root )?(?:problem|issue|bug|symptom|cause): ", re.I)
_SOLUTION = regex(r"(?:the )?(?:solution|fix|resolution|key insight)\b", re.I)
_SOLVED = regex(r"[.!] (?:the )?(?:solution|fix|resolution): ", re.I)
_OF_THE_WORK = regex(
    r"\W*(?:verif\w+|validat\w+|test\w*|checks?|proof|next|commit\w*|push\w*|files?|usage|run\b"
    r"|options? |what (?:i |was |has )?(?:changed?|landed|did|it covers)|changes|details|summary"
    r"|fix(?:es)?\b|improvements?|findings?|suggest\w*|recommend\w*|propos\w+|questions?|status"
    r"|nits?|worth fixing|the ask)",
    re.I,
)
"""Heads below which stands what was done, checked or might be done."""
_REPORTS = regex(
    r"\W*`?(?:[0-9a-f]{7,40}\b|test_?[A-Z]\w*|\[?(?:critical|high|medium|low|minor|major|nit)\b"
    r"|verdict\b|better\b)",
    re.I,
)
_OF_AGENTS = regex(
    r"\bsub-?agents?\b|\bagents?['’]s? \w|\bworktrees?'? \w+ (?:was|were)\b|\b\d+ commits?\b"
    r"|\b(?:the|this) (?:push|commit) \w|\byour working tree\b"
    r"|\b(?:background|that) (?:task|session)\b",
    re.I,
)
"""How the work was divided, and what git did."""
_OF_ONE = regex(r"\bI(?:['’]\w+)? \w|\b(?:[Ii]f you['’]d rather|[Ss]ay the word|[Yy]our call)\b")
"""What the agent tells of itself, and what it leaves to the person."""
_I_DID_SINCE = regex(
    r"I (?:used|chose|kept|left|took|picked|set)\b.{0,160}\b(?:because|since)\b", re.I
)
"""What the agent did for a reason that holds for whoever comes next."""
_DOES = regex(r"(?:prevent|ensure|make|avoid|allow|keep|extend|expose)s?\b|why this\b", re.I)
"""What begins so says what the change is good for."""
_MAY = regex(r"\b(?:may|might) (?:need|want|have) to\b", re.I)
_OF_OTHERS = regex(r"(?:they|these|those|it|that)\b", re.I)
"""What begins so is about something that is not told."""
_GOES_ON = regex(r"(?:fix|launch|runn?|check|delegat|apply|commit|push|mov|updat|add)ing\b", re.I)
"""What begins so tells how the work goes on."""
_IS_NOW = regex(r"\bnow\b|\b(?:covers?|consolidated) ", re.I)
"""What is so now was done."""
CALLED = 10
"""How much a point teaches that is called a cause, a caveat or the like: more than any other."""
_FEW_WORDS, _MANY_WORDS = 7, 12
"""Words of a point that says something by itself, with a name of code and without."""
_LONGEST_POINT, _ROOM, _LONGEST_HEAD = 420, 560, 80
"""Characters of a point, of one that a heading calls so, and of a line that leads to others."""


class _Point(NamedTuple):
    """A paragraph, an item of a list or what stands below a heading that calls it a point."""

    head: str
    text: str


def told_points(text: str) -> Iterator[tuple[str, int]]:
    """The points of a message that teach something, each with how much."""
    for point in _points(text):
        if _is_of_the_work(point):
            continue
        told = parted(point.text)
        if found := _called(point) or _named(told) or _taught(told):
            yield found


def called_points(text: str) -> Iterator[tuple[str, int]]:
    """The points of a message that are called a cause, a caveat or the like."""
    if _MAY_CALL_IT.search(text) is None:
        return  # most messages say only how the work goes
    for point in _points(text):
        if not _is_of_the_work(point) and (found := _called(point)):
            yield found


def _is_of_the_work(point: _Point) -> bool:
    return _OF_THE_WORK.match(point.head) is not None or _reports(point.text)


def _reports(text: str) -> bool:
    """Whether a point tells of commits, tests or ratings, or how the work was divided."""
    return _REPORTS.match(text) is not None or _OF_AGENTS.search(text) is not None


def _called(point: _Point) -> tuple[str, int] | None:
    """What a point tells that is called a cause, a caveat or the like, and says enough."""
    if _PROBLEM.match(point.text) and _SOLVED.search(point.text):
        head = "" if _calls_it(point.head) or not point.head else f"{point.head}: "
        return _fitting(parted(head + point.text), _ROOM), CALLED
    is_below = _calls_it(point.head)
    told = parted(f"{point.head}: {point.text}" if is_below else point.text)
    at = next((at for at, it in enumerate(told) if _CALLS_IT.match(it) and _LABEL.match(it)), None)
    if at is None or _OF_ONE.search(told[at]) or _MAY.search(told[at]):
        return None
    bare = _LABEL.sub("", told[at], count=1)
    if _OF_OTHERS.match(bare) or (not is_below and (tells_deed(bare) or _DOES.match(bare))):
        return None
    kept = [each for each in told[at:] if not _OF_ONE.search(each)]
    found = _fitting(kept, _ROOM if is_below else _LONGEST_POINT)
    least = _FEW_WORDS if CODE_NAME.search(found) else _MANY_WORDS
    return (found, CALLED) if len(content_words(found)) >= least else None


def _named(told: list[str]) -> tuple[str, int] | None:
    """A point that says what the fault was, from there on."""
    at = next((at for at, it in enumerate(told) if _NAMES_IT.match(it)), None)
    found = _fitting(told[at:], _LONGEST_POINT) if at is not None else ""
    says_much = CODE_NAME.search(found) and len(content_words(found)) >= _MANY_WORDS
    return (found, CALLED) if says_much else None


def _calls_it(head: str) -> bool:
    """Whether what stands below a heading is a cause, a caveat or the like."""
    return _CALLS_IT.match(head) is not None and not _FOUND.search(head)


def _taught(told: list[str]) -> tuple[str, int] | None:
    """A point with the sentence that teaches most: from its first sentence on, so that it stands
    alone.
    """
    weights = [teaches(each) for each in told]
    best = max(range(len(told)), key=lambda at: weights[at], default=0)
    if told and _cannot_open(told[0]) and weights[best] >= MUCH:
        told, weights, best = told[best:], weights[best:], 0
    if not told or weights[best] < ENOUGH or _cannot_open(told[0]):
        return None
    kept = [it for at, it in enumerate(told) if not at or (weights[at] >= 0 and _is_told(it))]
    found = _fitting(kept, _LONGEST_POINT)
    if told[best] not in found:
        found = _fitting([told[0], *kept[kept.index(told[best]) :]], _LONGEST_POINT)
    if told[best] not in found or (weights[best] < MUCH and not is_found_out(found)):
        return None
    return (found, weights[best]) if len(content_words(found)) >= _FEW_WORDS else None


def _cannot_open(sentence: str) -> bool:
    return not _is_told(sentence) or leans(sentence) or _tells_deed(sentence)


def _is_told(sentence: str) -> bool:
    """Whether a sentence neither asks nor tells of the agent itself."""
    of_one = _OF_ONE.search(sentence) and not _I_DID_SINCE.match(sentence)
    return not (sentence.endswith("?") or of_one)


def _tells_deed(sentence: str) -> bool:
    """Whether a sentence tells what was done, with or without its title before it."""
    label = _LABEL.match(sentence)
    bare = sentence[label.end() :] if label else sentence
    is_deed = any(tells_deed(it) or _DOES.match(it) for it in (sentence, bare))
    return is_deed or _IS_NOW.search(sentence) is not None


def _fitting(told: list[str], longest: int) -> str:
    """The first sentences that fit, without what leads to nothing; of the first what fits."""
    kept: list[str] = []
    for each in told:
        if kept and (announces(each) or _GOES_ON.match(each)):
            break
        if kept and len(" ".join(kept)) + len(each) > longest:
            break
        kept.append(each)
    while len(kept) > 1 and kept[-1].endswith((":", "?", ":.")):
        kept.pop()
    return shorten(" ".join(map(stopped, kept)), longest)


def _points(text: str) -> Iterator[_Point]:
    """The paragraphs and items of a message; what stands below a heading that calls it a cause, a
    caveat or the like is one, and so are a problem and its solution.
    """
    head = lead = ""
    below: list[str] = []
    for kind, told in _blocks(text):
        above = lead or head
        joins = _joins(above, below, told) and kind not in (_HEAD, _LEAD)
        if below and not joins:
            yield _Point(above, " ".join(map(stopped, below)))
            below = []
        if kind == _HEAD:
            head, lead = told, ""
        elif kind == _LEAD:
            lead = told
        elif joins or _calls_it(above) or _PROBLEM.match(told):
            below.append(told)
        else:
            lead = lead if kind == _LISTED else ""
            yield _Point(lead or head, told)
    if below:
        yield _Point(lead or head, " ".join(map(stopped, below)))


def _joins(above: str, below: Sequence[str], told: str) -> bool:
    """Whether a paragraph goes on with those before it."""
    if below and _PROBLEM.match(below[0]):
        return _SOLUTION.match(told) is not None
    return bool(below) and _calls_it(above)


def _blocks(text: str) -> Iterator[tuple[str, str]]:
    """The headings, and the paragraphs and items with what stands further in below them."""
    item: list[str] = []
    kind, depth = _TEXT, 0
    for line in (*without_code(text).splitlines(), ""):
        bullet = _ITEM.match(line)
        is_below = line[:1].isspace() and not (bullet and len(bullet[1]) <= depth)
        if item and line.strip() and is_below:
            item.append(plain(line))
            continue
        if item:
            yield kind, " ".join(map(stopped, item))
            item = []
        told = plain(line.lstrip("# "))
        if not _WORD.search(told) or _ROW.match(line):
            continue
        if _HEADING.match(line) and not told.endswith(":"):
            yield _HEAD, told
        elif told.endswith(":") and len(told) <= _LONGEST_HEAD and not bullet:
            yield _LEAD, told.rstrip(":")
        else:
            kind, item = _LISTED if bullet else _TEXT, [told]
            depth = len(bullet[1]) if bullet else 0
