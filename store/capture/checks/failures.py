"""Errors: the check that failed, why, and the change after which it passed.

Kept is what another session can use: a cause that was named, with the fix that was seen to work.
A slip in code that the session itself had just written, put right at once, teaches nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from posixpath import basename
from typing import NamedTuple

from store.agents.session import Session, Step
from store.agents.transcript import Message
from store.capture.candidate import Candidate, Passed, shorten
from store.capture.checks.commands import kind_of
from store.capture.requests.request import Request
from store.capture.steps.check_output import (
    failed_cases,
    failure_line,
    has_failed,
    is_check,
    is_slip,
    was_refused,
)
from store.capture.steps.paths import is_elsewhere, is_test, project_path
from store.capture.steps.shell import commands_in
from store.capture.steps.tools import command_of, edits_of, tool_name
from store.capture.text.accounts import aim_of
from store.capture.text.causes import causes_in
from store.model import Category
from store.notice import notice
from store.text.content_words import content_words
from store.text.regex import regex

_LOOKED_AHEAD, _NEAR = 60, 12
"""Steps after a failure among which its check passes, and those that are near it where no check
follows.
"""
_NAMES_SHOWN = 4
"""Failed cases that are named."""
_TELLING = 3
"""Words of meaning from which on an announcement says how: "fix that" does not."""
_LINTS = regex(r"\b(?:\w*lint\w*|fmt|format|prettier|vet|ruff|clippy|rubocop)\b")
_OPTIONS = regex(r"(?<=\w) -.*", re.S)
_OLD_NODE = "Cannot find module 'node:"
_OF_FORM = regex(r"\b(?:formatter|prettier)\b|would (?:be )?(?:reformat|have printed)", re.I)
_RUNS_NOT = regex(
    r"Cannot find module 'node:|Expected version: |Unsupported engine|command not found"
    r"|No module named|is not installed|not recognized as|Cannot connect to the Docker daemon"
    r"|requires? (?:node|python|go|java|rust)\b",
    re.I,
)
"""What a check says where a program, or the right version of it, is missing."""
NOT_OURS = regex(
    r"\b(?:pre-existing|not related to|unrelated|not caused by|were already|not (?:in )?our\b)\b",
    re.I,
)
"""What failed before the session did anything, or elsewhere."""


_OF_ANY_FAILURE = content_words("error errors cannot could find found module path")
_OF_A_RUN = regex(r"\b(?:r[ua]n|execut\w*|tests?|suite|fail\w*|start\w*|install\w*|because)\b")


class _Failure(NamedTuple):
    """A failing run of a check, the run in which the same no longer failed, and what is between."""

    step: Step
    head: str
    line: str
    cases: frozenset[str]
    fixed: Step | None
    between: tuple[Step, ...]


def failures(
    session: Session, requests: Sequence[Request], roots: tuple[str, ...] = ()
) -> Iterator[Candidate | Passed]:
    """A candidate for each failure with something to learn from, the others passed."""
    told: set[str] = set()
    for request in requests:
        for failure in _failures(request.steps):
            candidate = _told(session, request, failure, roots)
            key = candidate.content if candidate else failure.line
            if key not in told:
                told.add(key)
                text = f"{failure.head}: {failure.line}"
                yield candidate or Passed(text, notice("no-cause"))


def command_head(command: str) -> str:
    """The command of a line that checks something, else its first."""
    parts = [part for _, part in commands_in(command)]
    checks = [part for part in parts if _CHECKS.search(part)]
    return shorten((checks or parts or [""])[0], 100)


_CHECKS = regex(r"\b(?:test\w*|lint|build|check|pytest|jest|tsc|mypy|cargo|make|go|npm|run)\b")


def _failures(steps: Sequence[Step]) -> Iterator[_Failure]:
    """The failing checks of a request; what fails again in the same way is one failure."""
    seen: set[str] = set()
    for at, step in enumerate(steps):
        if not is_check(step) or step.call.aside or was_refused(step) or not has_failed(step):
            continue
        output = step.result.text if step.result else ""
        line, head = failure_line(output), command_head(command_of(step.call))
        if not line or not head or line in seen:
            continue
        seen.add(line)
        cases = failed_cases(output)
        later = _passing(steps, at, head, line, cases)
        fixed = steps[later] if later else None
        between = tuple(steps[at + 1 : later or at + 1])
        yield _Failure(step, head, line, cases, fixed, between)


def _passing(
    steps: Sequence[Step], at: int, head: str, line: str, cases: frozenset[str]
) -> int | None:
    """The next run of the same check in which neither the cases nor the line fail any more."""
    runner = head.split()[:2]
    for later in range(at + 1, min(len(steps), at + _LOOKED_AHEAD)):
        step = steps[later]
        if step.result is None or not is_check(step) or was_refused(step):
            continue
        if not any(part.split()[:2] == runner for _, part in commands_in(command_of(step.call))):
            continue
        output = step.result.text
        if line not in output and not cases & failed_cases(output):
            return later if not has_failed(step) or cases else None
    return None


def _told(
    session: Session, request: Request, failure: _Failure, roots: tuple[str, ...]
) -> Candidate | None:
    changed = _changed(failure.between, session, roots)
    cause, where = _cause(request, failure, changed)
    before = [step for step in request.steps if step.call.line < failure.step.call.line]
    if failure.fixed is None and _RUNS_NOT.search(failure.line):
        runs = not kind_of(failure.head) or _runs_otherwise(session, failure)
        return None if runs else _does_not_run(session, failure)
    if (
        not cause
        or _LINTS.search(failure.head)
        or _OF_FORM.search(failure.line)
        or (is_slip(failure.line) and _changed(before, session, roots))
    ):
        return None
    own = _changed(before, session, roots)
    if own and (set(own) & set(changed) or all(is_test(path) for path in changed)):
        return None  # what was just changed itself, or tests that follow it
    outcome = _outcome(session, failure, changed, cause)
    if not outcome:
        return None
    head = _headline(failure)
    end = failure.fixed or failure.step
    return Candidate(
        category=Category.ERROR,
        content=f"{head}\nCause: {cause}\n{outcome}",
        summary=f"{head} – {cause}",
        line=end.call.line,
        at=end.call.at,
        passage=shorten(where.text, 400) if where else failure.line,
        marks=session.marks([failure.step, end]),
    )


def _runs_otherwise(session: Session, failure: _Failure) -> bool:
    """Whether the same program ran later, in another way: that is told as the way to run it."""
    program = failure.head.split()[0]
    return any(
        step.call.line > failure.step.call.line
        and not has_failed(step)
        and program in command_of(step.call).split()
        for step in session.steps
    )


def _does_not_run(session: Session, failure: _Failure) -> Candidate:
    """What cannot be run where the session ran: of the machine, not of the code."""
    needs = " (the Node that ran is older than 14.18)" if _OLD_NODE in failure.line else ""
    program = _OPTIONS.sub("", failure.head)
    text = f"`{program}` does not run here: {failure.line}{needs}"
    return Candidate(
        category=Category.KEY_FACT,
        content=text,
        line=failure.step.call.line,
        at=failure.step.call.at,
        passage=failure.line,
        marks=session.marks([failure.step]),
    )


def _cause(
    request: Request, failure: _Failure, changed: Sequence[str]
) -> tuple[str, Message | None]:
    """Why it failed, as said before the next check, and where; empty where nobody said it."""
    first = failure.step.call.line
    checks = [s.call.line for s in request.steps if s.call.line > first and is_check(s)]
    until = min(checks, default=first + _NEAR)
    said = [each for each in request.said if first < each.line <= until]
    answer = failure.step.after
    after = answer if answer in said and failure.fixed else None
    cause, where = causes_in(said, after)
    if NOT_OURS.search(cause):
        return "", None
    if where is not answer and not _is_about(cause, failure, changed):
        return "", None
    # Where nothing was mended for it, what is said next may speak of something else.
    shared = content_words(cause) & _words_of(failure.line) - _OF_ANY_FAILURE
    about = shared and _OF_A_RUN.search(cause)
    if not failure.fixed and not about:
        return "", None
    return cause, where


def _outcome(session: Session, failure: _Failure, changed: Sequence[str], cause: str) -> str:
    """What was changed until it passed; empty where that teaches nothing.

    What passes again by itself says nothing of its cause.
    """
    if failure.fixed is None:
        gone = _runs_own_script(session, failure) or _went_on(session, failure)
        return "" if gone else "It was not seen to pass in this session."
    if not changed:
        return ""
    first = failure.step.call.line
    begun = (s.before for s in failure.between if s.before and s.before.line > first)
    aims = [aim for said_before in begun if (aim := aim_of(said_before.text))]
    telling = aims and aims[-1] not in cause and len(content_words(aims[-1])) >= _TELLING
    how = f" ({aims[-1]})" if telling else ""
    return f"Fixed by changing {', '.join(changed[:5])}{how}; it passed afterwards."


def _went_on(session: Session, failure: _Failure) -> bool:
    """Whether files were changed after a failure: it may be mended without a check."""
    return any(
        step.call.line > failure.step.call.line and not step.failed and any(edits_of(step.call))
        for step in session.steps
    )


def _runs_own_script(session: Session, failure: _Failure) -> bool:
    """Whether what failed is a script that the session wrote to try something out."""
    words = {basename(word) for word in failure.head.split()}
    return any(
        basename(edit.path) in words
        for step in session.steps
        if tool_name(step.call) == "write"
        for edit in edits_of(step.call)
    )


def _is_about(cause: str, failure: _Failure, changed: Sequence[str]) -> bool:
    """Whether a cause speaks of what failed or of what was changed for it."""
    named = " ".join((failure.line, failure.head, *failure.cases, *changed))
    return bool(content_words(cause) & _words_of(named))


def _words_of(names: str) -> frozenset[str]:
    """The words of a text in which names are written together."""
    return content_words(re.sub(r"[_./:-]", " ", names))


def _headline(failure: _Failure) -> str:
    cases = sorted(case for case in failure.cases if case not in failure.line)
    named = f" ({', '.join(cases[:_NAMES_SHOWN])})" if cases else ""
    return f"`{failure.head}` failed{named}: {failure.line}"


def _changed(steps: Sequence[Step], session: Session, roots: tuple[str, ...]) -> list[str]:
    paths = (
        project_path(edit.path, session.folder, roots)
        for step in steps
        if not step.failed
        for edit in edits_of(step.call)
    )
    return list(dict.fromkeys(p for p in paths if p and not is_elsewhere(p)))
