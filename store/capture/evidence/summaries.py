"""The client's own summaries of a session, cut by their headings.

When the context runs full, or at a checkpoint, the agent sums the session up. Its headings name
what each part is: errors become errors, decisions decisions, what is pending tasks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from store.agents.noise import without_noise
from store.agents.transcript import ContextSummary
from store.capture.candidate import Candidate, passage_of
from store.capture.work import Reading
from store.model import MAX_CONTENT, MAX_PER_CAPTURE, Category
from store.text.markdown import items, without_code
from store.text.shortening import cut

_PART = re.compile(
    r"^(?:#{1,4}\s+)?(?:\d{1,2}\.\s+)?\**(Primary Request and Intent|Key Technical Concepts"
    r"|Files and Code Sections|Errors? and [Ff]ix(?:es)?|Problem Solving|All [Uu]ser [Mm]essages"
    r"|Pending Tasks|Current Work|(?:Optional )?Next Steps?)\**:?\**\s*(.*)$"
)
"""The headings of Claude Code, and of clients that took them over."""
_AROUND = re.compile(
    r"^(?:This session is being continued from a previous conversation"
    r"|(?:Please )?[Cc]ontinue the conversation from where|You['’]ve hit your limit"
    r"|If you need specific details from before compaction|please continue\b)\b.*$",
    re.M,
)
"""What the program writes before a summary and after it, or instead of one."""
_NOTHING = re.compile(
    r"\W*(?:none|nothing|no (?:explicit|pending|remaining|further|tasks?))\b", re.I
)
_FEEDBACK = re.compile(r"user (?:feedback|correct)", re.I)
"""How an error is labelled that the person pointed out."""
_ERROR, _LESSON, _TASK = 200, 40, 15
"""Characters that each of them needs to say something: a slip, such as an unused import, has a
line."""
_LONGEST = 700
"""Characters of one of them."""
_HEADING = re.compile(r"^\s*#{1,3}\s+(.+?)\s*$")
_BULLET = re.compile(r"^\s*[-*]\s+(.+?)\s*$")
_SHORTEST_BULLET = 10
_CATEGORIES = (
    (re.compile(r"^decisions?\b", re.I), Category.DECISION),
    (re.compile(r"^(?:code|file) changes?\b|^modified files\b", re.I), Category.CODE_CHANGE),
    (re.compile(r"^errors?(?: (?:encountered|found))?\b", re.I), Category.ERROR),
    (re.compile(r"^key facts?\b", re.I), Category.KEY_FACT),
)


def find(reading: Reading) -> Iterator[Candidate]:
    """Yield the memories in each summary of a session."""
    lines = [step.call.line for step in reading.session.steps]
    for summary in reading.session.summaries:
        text = _AROUND.sub("", without_noise(summary.text)).strip()
        parts = _parts(text)
        if not parts:
            for category, bullet in bullets(text):
                if bullet == text[:MAX_CONTENT] or category != Category.COMPACTION_SUMMARY:
                    yield _candidate(summary, category, bullet)
            continue
        for item in parts.get("error", ()):
            is_lesson = bool(_FEEDBACK.match(item))
            if len(item) >= (_LESSON if is_lesson else _ERROR) and not _NOTHING.match(item):
                category = Category.LESSON if is_lesson else Category.ERROR
                yield _candidate(summary, category, cut(item, _LONGEST))
        if any(line > summary.line for line in lines):
            continue  # what was pending may be done by now
        for item in parts.get("pending", ()):
            if len(item) >= _TASK and not _NOTHING.match(item):
                yield _candidate(summary, Category.TASK, cut(item, _LONGEST))


def _parts(text: str) -> dict[str, list[str]]:
    """Return the items of a summary by the first word of their heading; code is left out."""
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in without_code(text).splitlines():
        heading = _PART.match(line)
        if heading:
            name = heading[1].lower().split()[0].removesuffix("s")
            lines = found.setdefault(name, [])
            lines += [heading[2]] if heading[2] else []
        else:
            lines.append(line)
    return {name: items("\n".join(lines)) for name, lines in found.items()}


def bullets(summary: str) -> list[tuple[str, str]]:
    """Return the category and text of each bullet of a summary in Markdown that has 10 characters
    or more, by its heading, at most 50; of a summary without such a bullet, all of it, unless it
    has headings alone.
    """
    found: list[tuple[str, str]] = []
    has_text = False
    category: str = Category.COMPACTION_SUMMARY
    for line in summary.splitlines():
        heading, bullet = _HEADING.match(line), _BULLET.match(line)
        if heading:
            named = (kind for pattern, kind in _CATEGORIES if pattern.match(heading[1]))
            category = next(named, Category.COMPACTION_SUMMARY)
            continue
        has_text = has_text or bool(line.strip())
        if bullet and len(bullet[1]) >= _SHORTEST_BULLET:
            found.append((category, bullet[1][:MAX_CONTENT]))
    whole = summary.strip()[:MAX_CONTENT]
    return found[:MAX_PER_CAPTURE] or ([(Category.COMPACTION_SUMMARY, whole)] if has_text else [])


def _candidate(summary: ContextSummary, category: str, text: str) -> Candidate:
    return Candidate(category, text, summary.line, passage_of(text), at=summary.at)
