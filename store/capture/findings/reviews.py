"""Reviews: what an agent found in changes that it looked at without making any."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from posixpath import basename

from store.agents.session import Session, Step
from store.agents.transcript import Message
from store.capture.candidate import CAPTURED, Candidate, Known, Passed, passage_of, shorten
from store.capture.requests.request import Request, is_brief
from store.capture.steps.edited_files import is_known, reports_of, writes
from store.capture.steps.paths import project_path
from store.capture.steps.tools import command_of, edits_of
from store.capture.text.accounts import closing_account
from store.capture.text.prose import CODE_NAME
from store.capture.text.review_text import named_faults, names_fault, told_findings
from store.model import Category
from store.notice import notice
from store.text.regex import regex

_LOOKS = regex(
    r"\bgit\b[^|;&]{0,300}\b(?:diff|show|log)\b[^|;&]{0,300}--(?:stat|name-only|name-status)\b"
)
_STAT = regex(r"^[ \t]*([\w@+][\w./@+-]*\.\w{1,8})[ \t]+\|[ \t]+(?:\d+|Bin)", re.M)
_MOST_FILES = 1_100
"""Characters of the list of files."""
_OPENING = 400
"""The characters in which a review says that it found nothing."""
_LONG, _LEAST_FAULTS = 1_000, 2
"""Of a review of so many characters that lists nothing, sentences that say what is wrong where."""
_LEAST_LOOKS = 3
"""Steps from which what was listed is a review, though nobody asked for one."""
_SHORTEST_FINDINGS, _LONGEST_FINDINGS, _LONGEST_WITH_FILES = 120, 1_200, 620
"""Characters of what was found: without a name of code, at most, and beside a list of files."""
_ASKED = regex(
    r"(?<!to )(?<!for )\b(?:review(?! (?:comments?|feedback|findings?))|audit|revis(?:ar|ão)"
    r"|(?:analysis|analy[sz]e) (?:of )?(?:the |these |all )?(?:\w+ )?(?:changes|diff)"
    r"|code[- ]?review\w*)\b",
    re.I,
)
_FOUND_NOTHING = regex(
    r"\b(?:no|not? (?:find|found|see|identify|have)|did(?:n['’]t| not) (?:find|see|identify))\b"
    r"[^.]{0,60}\b(?:issues?|bugs?|blockers?|defects?|problems?|regressions?|findings?)\b",
    re.I,
)
_NAMED_FILE = regex(r"(?<![\w/-])[\w/-]++\.[A-Za-z]\w{0,4}\b")
_DIFFERENCE = regex(r"\bgit\b[^|;&\n]{0,80}\bdiff\b")
_COMMITTED = regex(
    r"\bgh pr\b|\bgit (?:-C \S{1,80} )?(?:show\b|diff\b[^|;&\n]{0,80}"
    r"(?:\.\.|\borigin/|\b(?:main|master|develop|HEAD[~^])|\b[0-9a-f]{7,40}\b))"
)
"""Looks at what stands in commits: what is found in a difference before is mended before."""
_MENDED = notice("mended-since")
_LOOKED_AT = regex(r"\bgit\b[^|;&]{0,80}\b(?:diff|show|log|status)\b|\bgh pr\b")


def reviews(
    session: Session, requests: Sequence[Request], known: Known
) -> Iterator[Candidate | Passed]:
    """A candidate for each request that looked at a difference and only told what it found."""
    for request in (it for it in requests if is_review(it, session.folder)):
        looks = [step for step in request.steps if _LOOKED_AT.search(command_of(step.call))]
        last = request.said[-1]
        files = dict.fromkeys(path for step in looks for path in _STAT.findall(_seen(step)))
        # Where files were counted, their list needs the room.
        found = _found(last.text, _LONGEST_WITH_FILES if files else _LONGEST_FINDINGS)
        if _mended_since(session, last, found):
            yield Passed(found, _MENDED)
            continue
        if looks and all(is_known(step, session, known) for step in looks):
            yield Passed(found, CAPTURED)
            continue
        says_what = CODE_NAME.search(found) or len(found) >= _SHORTEST_FINDINGS
        seen = [command_of(step.call) for step in looks]
        if any(map(_DIFFERENCE.search, seen)) and not any(map(_COMMITTED.search, seen)):
            yield Passed(found, notice("uncommitted"))
            continue
        if not found or not says_what or _FOUND_NOTHING.search(last.text[:_OPENING]):
            yield Passed(found, notice("nothing-found"))
            continue
        head = f"Reviewed {len(files)} changed files" if files else "Review found"
        between = "\n" if found.startswith("- ") else " "
        counted = f"\nFiles: {shorten(', '.join(files), _MOST_FILES)}" if files else ""
        is_own = request.asked and not is_brief(request.asked.text)
        asked = f"\nAsked: {request.title}" if request.title and is_own else ""
        written = [path for step in request.steps for path in reports_of(step)]
        names = dict.fromkeys(project_path(path, session.folder) for path in written)
        report = f"\nReport: {', '.join(filter(None, names))}" if any(names) else ""
        yield Candidate(
            category=Category.CODE_CHANGE,
            content=f"{head}:{between}{found}{asked}{counted}{report}",
            summary=f"{head}: {found.removeprefix('- ')}",
            line=last.line,
            at=last.at,
            passage=passage_of(last.text),
            marks=session.marks(looks),
        )


def _found(text: str, longest: int) -> str:
    """What a review found: its list, else what it says is wrong; empty where a long one says
    hardly anything is.
    """
    if listed := told_findings(text, longest):
        return listed
    if len(text) <= _LONG:
        return closing_account(text, longest, names_fault)
    faults = named_faults(text)
    return shorten(" ".join(faults), longest) if len(faults) >= _LEAST_FAULTS else ""


def _mended_since(session: Session, said: Message, found: str) -> bool:
    """Whether the session went on to change most of the files that a review's findings name."""
    named = {basename(path) for path in _NAMED_FILE.findall(found)}
    changed = {
        basename(edit.path)
        for step in session.steps
        if step.call.line > said.line and not step.failed
        for edit in edits_of(step.call)
    }
    return bool(named) and 2 * len(named & changed) >= len(named)


def asks_review(text: str) -> bool:
    """Whether a message asks for a review."""
    return _ASKED.search(text) is not None


def is_review(request: Request, folder: str = "") -> bool:
    """Whether a request looked at a difference, changed nothing and told what it found.

    `folder` is where the session ran: what was tried out elsewhere changed nothing.
    """
    if not request.said or not request.asked or not asks_review(request.asked.text):
        return False
    if any(writes(step, folder) for step in request.steps):
        return False
    if not any(_LOOKED_AT.search(command_of(step.call)) for step in request.steps):
        # What is no difference, as a plan or a whole project, is reviewed point by point.
        listed = told_findings(request.said[-1].text, _LONGEST_FINDINGS).count("\n- ")
        return len(request.steps) >= _LEAST_LOOKS and listed > 0
    return len(closing_account(request.said[-1].text)) >= _SHORTEST_FINDINGS


def _seen(step: Step) -> str:
    """The difference that a command showed in short, else nothing."""
    shown = step.result is not None and not step.failed and _LOOKS.search(command_of(step.call))
    return step.result.text if shown and step.result else ""
