"""A check that failed and passed later: the command, what it printed, what was changed in between.

A test that the agent wrote first, and a slip put right at the next run, are left out: kept is what
failed before the session changed anything, or more than once in the same way; not where only tests
were changed, to follow the code.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from store.agents.session import Step
from store.agents.transcript import Message
from store.capture.candidate import Candidate, Passed, listed, passage_of
from store.capture.markdown import opening
from store.capture.steps.check_commands import check_in, kind_of
from store.capture.steps.check_output import (
    failed_cases,
    failure_line,
    has_failed,
    is_check,
    was_refused,
)
from store.capture.steps.paths import is_test
from store.capture.steps.shell import commands_in
from store.capture.steps.tools import command_of, edits_of
from store.capture.work import Reading
from store.model import Category
from store.notice import notice

_LOOKED_AHEAD = 60
"""Steps after a failure among which its check passes."""
_CASES = 3
"""Failed cases that are named."""
_FILES, _SAYS_SOMETHING, _SAID = 200, 60, 320
"""Characters of the files, and of what the agent says of a failure, at least and at most."""
_OF_NO_FAILURE = frozenset({"", "lint", "format"})
"""Kinds of commands whose failures are no trouble of the project's."""
_LEAST_RUNS = 2
"""Failing runs of what was no mere slip."""


class Failure(NamedTuple):
    """A failing run of a check, the run in which it no longer failed, and the steps between.

    `runs` counts the runs that failed in the same way.
    """

    step: Step
    head: str
    line: str
    cases: frozenset[str]
    passed: Step | None = None
    between: tuple[Step, ...] = ()
    runs: int = 1


def find(reading: Reading) -> Iterator[Candidate | Passed]:
    """Yield an error for each check that passed again after files were changed."""
    steps = [step for step in reading.session.steps if not step.call.aside]
    has_changed = False
    seen: set[str] = set()
    for at, step in enumerate(steps):
        failure = _failure(step)
        if failure is None or failure.line in seen:
            has_changed = has_changed or bool(_changed(reading, [step]))
            continue
        seen.add(failure.line)
        failure = _followed(steps, at, failure)
        files = _changed(reading, failure.between)
        is_slip = has_changed and failure.runs < _LEAST_RUNS
        is_slip = is_slip or all(is_test(path) for path in files)
        if failure.passed is None or is_slip:
            yield Passed(f"{failure.head}: {failure.line}", notice("no-cause"))
        else:
            yield _candidate(reading, failure, files)


def _failure(step: Step) -> Failure | None:
    """The failure that a step shows, or None."""
    if step.result is None or was_refused(step) or not has_failed(step):
        return None
    line, head = failure_line(step.result.text), check_in(command_of(step.call))
    if not line or kind_of(head) in _OF_NO_FAILURE:
        return None
    return Failure(step, head, line, failed_cases(step.result.text))


def _followed(steps: Sequence[Step], at: int, failure: Failure) -> Failure:
    """The failure with the next run of its check in which neither cases nor line fail any more."""
    program = failure.head.split()[:2]
    runs = 1
    for later in range(at + 1, min(len(steps), at + _LOOKED_AHEAD)):
        step = steps[later]
        if step.result is None or not is_check(step) or was_refused(step):
            continue
        if not any(part.split()[:2] == program for _, part in commands_in(command_of(step.call))):
            continue
        output = step.result.text
        if failure.line in output or failure.cases & failed_cases(output):
            runs += 1
        elif not has_failed(step):
            between = tuple(steps[at + 1 : later])
            return failure._replace(passed=step, between=between, runs=runs)
    return failure._replace(runs=runs)


def _candidate(reading: Reading, failure: Failure, files: Sequence[str]) -> Candidate:
    cases = sorted(case for case in failure.cases if case not in failure.line)
    named = f" ({', '.join(cases[:_CASES])})" if cases else ""
    head = f"`{failure.head}` failed{named}: {failure.line}"
    cause = _explained(failure)
    told = [head, opening(cause.text, 40, _SAID)] if cause else [head]
    told.append(f"It passed after changing {listed(files, _FILES)}.")
    found = reading.from_step(
        failure.passed or failure.step, Category.ERROR, "\n".join(filter(None, told)), head
    )
    passage = passage_of(failure.step.result.text if failure.step.result else failure.line)
    return found._replace(
        passage=passage, marks=(*reading.session.marks([failure.step]), *found.marks)
    )


def _explained(failure: Failure) -> Message | None:
    """What the agent said right after the failure, else its longest message until it passed."""
    after = failure.step.after
    if after is not None and len(after.text) >= _SAYS_SOMETHING:
        return after
    said = {step.before.line: step.before for step in failure.between if step.before}
    later = [message for line, message in said.items() if line > failure.step.call.line]
    return max(later, key=lambda message: len(message.text), default=after)


def _changed(reading: Reading, steps: Sequence[Step]) -> list[str]:
    """The files of the project that steps changed, each once."""
    edits = (edit for step in steps if not step.failed for edit in edits_of(step.call))
    return list(filter(None, dict.fromkeys(reading.own_path(edit.path) for edit in edits)))
