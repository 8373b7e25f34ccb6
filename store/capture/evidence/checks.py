"""A check that failed and passed later: the command, what it printed, what was changed in between.

A slip put right at the next run is left out: kept is what failed before the session changed
anything, or more than once in the same way; not where only tests were changed, to follow the code.
The cause is the longest that the agent said of it until it passed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from store.agents.paths import is_test
from store.agents.session import Step
from store.agents.shell import commands_in
from store.agents.tools import command_of, edits_of
from store.capture.candidate import Candidate, Skipped, passage_of
from store.capture.check_runs import (
    check_in,
    failure_line,
    has_failed,
    is_check,
    kind_of,
    was_refused,
)
from store.capture.work import Reading
from store.model import Category
from store.notice import notice
from store.text.markdown import listed, opening

_LOOKED_AHEAD = 60
"""Steps after a failure among which its check passes."""
_FILES, _CAUSE = 200, 320
"""Characters of the files, and of the cause."""
_OF_NO_FAILURE = frozenset({"", "lint", "format"})
"""Kinds of commands whose failures are no trouble of the project's."""


class _Failure(NamedTuple):
    """A failing run of a check, the run in which it no longer failed, and the steps between.

    `runs` counts the runs that failed in the same way.
    """

    step: Step
    head: str
    line: str
    runs: int = 1
    passed: Step | None = None
    between: tuple[Step, ...] = ()


def find(reading: Reading) -> Iterator[Candidate | Skipped]:
    """Yield an error for each check that passed again after files were changed."""
    steps = [step for step in reading.session.steps if not step.call.aside]
    has_changed = False
    seen: set[str] = set()
    for at, step in enumerate(steps):
        failure = _failure(step)
        if failure is None or failure.line in seen:
            has_changed = has_changed or bool(_changed(reading, [step]))
            continue
        failure = _followed(failure, steps[at + 1 : at + _LOOKED_AHEAD])
        cause, files = _cause(failure), _changed(reading, failure.between)
        is_slip = (has_changed and failure.runs == 1) or all(is_test(path) for path in files)
        if failure.passed is None or is_slip or cause in seen:
            yield Skipped(f"{failure.head}: {failure.line}", notice("no-cause"))
        else:
            yield _candidate(reading, failure, failure.passed, cause, files)
        seen |= {failure.line, cause} - {""}


def _failure(step: Step) -> _Failure | None:
    """The failure that a step shows, or None."""
    if step.result is None or was_refused(step) or not has_failed(step):
        return None
    line, head = failure_line(step.result.text), check_in(command_of(step.call))
    if not line or kind_of(head) in _OF_NO_FAILURE:
        return None
    return _Failure(step, head, line)


def _followed(failure: _Failure, later: Sequence[Step]) -> _Failure:
    """The failure with the next run of its check that passed, without the line that failed."""
    program = failure.head.split()[:2]
    for at, step in enumerate(later):
        commands = commands_in(command_of(step.call))
        is_same = any(part.split()[:2] == program for _, part in commands)
        if step.result is None or not is_same or not is_check(step) or was_refused(step):
            continue
        if failure.line in step.result.text:
            failure = failure._replace(runs=failure.runs + 1)
        elif not has_failed(step):
            return failure._replace(passed=step, between=tuple(later[:at]))
    return failure


def _cause(failure: _Failure) -> str:
    """The longest message of the agent between the failure and the run that passed."""
    told = [failure.step.after, *(step.before for step in failure.between)]
    later = [said.text for said in told if said and said.line > failure.step.call.line]
    return opening(max(later, key=len, default=""), 40, _CAUSE)


def _candidate(
    reading: Reading, failure: _Failure, passed: Step, cause: str, files: Sequence[str]
) -> Candidate:
    head = f"`{failure.head}` failed: {failure.line}"
    told = [head, cause, f"It passed after changing {listed(files, _FILES)}."]
    found = reading.from_step(passed, Category.ERROR, "\n".join(filter(None, told)), head)
    passage = passage_of(failure.step.result.text if failure.step.result else failure.line)
    marks = (*reading.session.marks([failure.step]), *found.marks)
    return found._replace(passage=passage, marks=marks)


def _changed(reading: Reading, steps: Sequence[Step]) -> list[str]:
    """The files of the project that steps changed, each once."""
    edits = (edit for step in steps if not step.failed for edit in edits_of(step.call))
    return list(filter(None, dict.fromkeys(reading.own_path(edit.path) for edit in edits)))
