"""The summaries that agents write of their own sessions: what their headings hold."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from store.agents.noise import without_noise
from store.agents.transcript import ContextSummary
from store.capture.candidate import Candidate, passage_of, shorten
from store.capture.text.chatter import is_chore
from store.capture.text.prose import plain, without_code
from store.capture.text.summary_text import NOTHING, is_feedback, teaches_nothing
from store.model import Category
from store.text.regex import regex

_HEADING = regex(
    r"^(?:#{1,4}\s+)?(?:\d{1,2}\.\s+)?\**(Primary Request and Intent|Key Technical Concepts"
    r"|Files and Code Sections|Errors? and [Ff]ix(?:es)?|Problem Solving|All [Uu]ser [Mm]essages"
    r"|Pending Tasks|Current Work|(?:Optional )?Next Steps?)\**:?\**\s*(.*)$"
)
_PART = regex(r"\s*(?:</?\w+>\s*$|#{1,3}\s)")
_TEACHES = regex(
    r"<technical_details>|#\s+(?:technical details|discover\w+|gotchas|constraints|learnings?)\b",
    re.I,
)
"""The parts of other programs' summaries that hold what was found out."""
_LONGEST_FACT = 600
"""Characters of a fact."""
_BULLET = regex(r"^(\s*)(?:[-*•]|\d{1,2}[.)])\s+(.*)$")
_PATH = regex(r"(?<![\w.@~-])`?((?:[\w.@~-]+/)*[\w.@-]+\.\w{1,8}|(?:[\w.@~-]+/){2,}[\w.@-]+)`?")
_AFTER_PATH = regex(r"^/?`?[\s:(–—-]*")
"""What stands between a path and what is told of it; `(new)` and the like tell something."""
_LABELLED = regex(
    r"(?:the )?(?:root )?(?:cause|causes|fix|fixed|fixes|solution|resolution|resolved|status|result"
    r"|error|problem|why|reason|impact|lesson)(?: \w+)?: ",
    re.I,
)
"""What says one side of the trouble named before it."""
_OWN_HEADING = regex(r"#{2,6} (?:(?:error|issue|problem) #?\d+\W+)?", re.I)
_ASIDE = regex(r"(?:[\w ]{3,20}:|(?:user feedback|status): .*)\Z", re.I)
"""A label whose text was code, and what came of it meanwhile."""
_A_FACT = 8
"""Words from which a line is a fact by itself."""
_CHANGED = regex(
    r"\b(?:add|chang|creat|delet|fix|implement|introduc|mov|new|now|remov|renam|refactor|replac|rewr|updat"
    r"|modif|extract|split|wrap|ensur|instead)",
    re.I,
)
_OF_THE_PROJECT = regex(
    r"`[^`]+`|(?<!\w)\w+_\w+|(?<![a-z])[a-z]+[A-Z]\w+|\w/\w|\d|\b(?:not|never|only|must)\b"
)
"""A fact without a name, path, number or limit is one of the trade in general."""
_SAYS_HOW = regex(
    r"\b(?:not|never|only|must|because|when|while|if|unless|until|instead|requires?|needs?|but|already"
    r"|before|after|fails?|can(?:not|['’]t)|(?:do|does|is|are)n['’]t|without|no longer|so that"
    r"|since"
    r"|always|default\w*|overrid\w+)\b|→|=>|->",
    re.I,
)
"""What limits, orders or explains."""
_SETS_A_RULE = regex(
    r"\b(?:not|never|must|required?s?|cannot|because|unless|\w+n['’]t|still)\b", re.I
)
"""One of the facts tells what must be, or what fails; the others name what the code has."""
_AROUND = regex(
    r"^(?:This session is being continued from a previous conversation"
    r"|(?:Please )?[Cc]ontinue the conversation from where|You['’]ve hit your limit"
    r"|If you need specific details from before compaction)\b.*$",
    re.M,
)
"""What the program writes before a summary and after it, or instead of one."""
_CLOSING = regex(r"^(?:please )?continue (?:the conversation|from where|with the last task)", re.I)


class _Item(NamedTuple):
    """A bullet with everything under it. `lines` are its own and its children's texts."""

    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        head, *rest = self.lines
        if not rest:
            return head
        return f"{head.rstrip(':')}: " + " ".join(
            line if line.endswith((".", "!", "?")) else line + "." for line in rest
        )


def sections(text: str) -> dict[str, list[_Item]]:
    """The bullets of a summary by their section's heading; code is left out."""
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in without_code(text).splitlines():
        heading = _HEADING.match(line)
        if heading:
            lines = found.setdefault(heading.group(1).lower(), [])
            lines += [heading.group(2)] if heading.group(2) else []
        elif line.strip() and not _CLOSING.match(line.strip()):
            lines.append(line)
    return {heading: list(_items(lines)) for heading, lines in found.items()}


def _items(lines: list[str]) -> Iterator[_Item]:
    depth: int | None = None
    open_item: list[str] = []
    for line in lines:
        bullet = _BULLET.match(line)
        indent = len(bullet.group(1)) if bullet else len(line) - len(line.lstrip())
        if depth is None:
            depth = indent
        if open_item and (bullet is not None or indent <= depth) and indent <= depth:
            yield _Item(tuple(open_item))
            open_item = []
        open_item.append(plain(bullet.group(2) if bullet else line.strip()))
    if open_item:
        yield _Item(tuple(open_item))


def accounts(summaries: tuple[ContextSummary, ...]) -> dict[str, str]:
    """What summaries say was changed in which file, by the path they name."""
    found: dict[str, str] = {}
    for summary in summaries:
        for item in sections(summary.text).get("files and code sections", ()):
            path = _PATH.search(item.lines[0])
            after = _AFTER_PATH.sub("", item.lines[0][path.end() :]) if path else ""
            told = (" ".join(item.lines[1:]) or after).strip(" -–—:*")
            if told.count(")") > told.count("("):
                told = told.removesuffix(")")
            if path and _CHANGED.search(told):
                found[path.group(1)] = shorten(told, 400)
    return found


def summary_candidates(
    summary: ContextSummary, *, is_last: bool = True, is_first: bool = True
) -> Iterator[Candidate]:
    """What a summary says, as candidates; files are left to the code changes.

    What it calls pending is open only where the session did nothing more: `is_last`. What was asked
    and solved it tells only where the transcript begins with it: `is_first`.
    """
    text = _AROUND.sub("", without_noise(summary.text)).strip()
    parts = sections(text)
    if not parts:
        if text:
            yield from _by_spec(summary, text)
        return
    facts = [item.text for item in parts.get("key technical concepts", ())]
    facts = [each for each in facts if len(each) >= 40 and _teaches(each)]
    if any(map(_SETS_A_RULE.search, facts)):
        yield _candidate(summary, Category.KEY_FACT, "\n".join(facts))
    for heading in ("errors and fixes", "error and fix", "errors and fix"):
        for item in _whole(parts.get(heading, ())):
            told = Category.LESSON if is_feedback(item.text) else Category.ERROR
            if len(item.text) >= 40 and not teaches_nothing(item.text, told):
                yield _candidate(summary, told, item.text)
    for item in parts.get("pending tasks", ()) if is_last else ():
        is_step = NOTHING.match(item.text) or is_chore(item.text)
        if not is_step and len(item.text) >= 15:
            yield _candidate(summary, Category.TASK, item.text)
    goal = [item.text for item in parts.get("primary request and intent", ())]
    solved = [item.text for item in parts.get("problem solving", ())]
    if is_first and (goal or solved):
        lines = ["Asked: " + "; ".join(goal)] if goal else []
        lines += ["Solved: " + "; ".join(solved)] if solved else []
        yield _candidate(summary, Category.COMPACTION_SUMMARY, "\n".join(lines))


def _teaches(fact: str) -> bool:
    """Whether a fact is of this project, and says more than that something is there."""
    if len(fact.split()) < _A_FACT:
        return False
    return bool(_OF_THE_PROJECT.search(fact) and _SAYS_HOW.search(fact))


def _whole(items: Iterable[_Item]) -> Iterator[_Item]:
    """The items, each with those after it that only say its cause or its fix; those below a heading
    of their own are one.
    """
    held: _Item | None = None
    is_headed = False
    for item in items:
        heading = _OWN_HEADING.match(item.lines[0])
        if held is not None and not heading and (is_headed or _LABELLED.match(item.text)):
            more = [line for line in item.lines if not (is_headed and _ASIDE.match(line))]
            held = _Item((*held.lines, *more))
            continue
        if held is not None:
            yield held
        is_headed = heading is not None
        held = _Item((item.lines[0][heading.end() :], *item.lines[1:])) if heading else item
    if held is not None:
        yield held


def _by_spec(summary: ContextSummary, text: str) -> Iterator[Candidate]:
    """What a summary in another form teaches; one without any list is kept whole."""
    from store.capture.extractor import extract_observations

    for item in _taught(text):
        if _teaches(item.text):
            yield _candidate(summary, Category.KEY_FACT, shorten(item.text, _LONGEST_FACT))
    extracted = extract_observations(text)
    is_whole = len(extracted) == 1 and extracted[0].content == text.strip()
    for observation in extracted:
        if is_whole or observation.category != Category.COMPACTION_SUMMARY:
            yield _candidate(summary, observation.category, observation.content)


def _taught(text: str) -> list[_Item]:
    """The items of the parts of a summary that say how things are, not what was done."""
    lines: list[str] = []
    inside = False
    for line in without_code(text).splitlines():
        if _PART.match(line):
            inside = bool(_TEACHES.search(line))
        elif inside and line.strip():
            lines.append(line)
    return list(_items(lines))


def _candidate(summary: ContextSummary, category: str, text: str) -> Candidate:
    return Candidate(
        category=category,
        content=text,
        line=summary.line,
        at=summary.at,
        passage=passage_of(text),
    )
