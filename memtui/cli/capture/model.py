"""Letting a language model pick the memories: which one, what that sends, and its answers."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from memtui.cli.options import Options
from memtui.cli.output import note, progress
from memtui.cli.plans import is_question_agreed
from memtui.cli.sessions.index import reporting
from memtui.formatting import plural
from memtui.settings.programs import estimate_in_words, terms_of
from store.agents.client import SessionFile
from store.capture.plan import CapturePlan
from store.errors import ProgramFailed
from store.language_model.program import program_name
from store.memory import Memory

_RULES = "rules"
"""What `--with` takes for no program."""


def picked_by(memory: Memory, plan: CapturePlan, program: str | None) -> CapturePlan:
    """Return the plan with what a language model picks, where `--with` or the settings name a
    command.

    Where that of the settings fails, rules do it. Raises `ProgramFailed` for that of `--with`.
    """
    chosen = program_for(memory, program)
    if not chosen:
        return plan
    if sys.stderr.isatty():
        note(f"Asking {program_name(chosen)} …")
    try:
        return memory.capture.ask_model(plan, chosen)
    except ProgramFailed as error:
        if program is not None:
            raise
        note(f"{error.message} Rules picked the memories.")
        return plan


def program_for(memory: Memory, named: str | None) -> str:
    """Return the command of `--with`, or of the settings; empty where rules pick."""
    chosen = memory.settings.capture_program if named is None else named
    return "" if chosen == _RULES else chosen


def agreed_sessions(
    memory: Memory,
    files: Sequence[SessionFile],
    program: str,
    at_most: int | None,
    options: Options,
) -> Sequence[SessionFile]:
    """Return the sessions to ask a program about, once the user agreed to what that sends; none
    where they did not, or all were read.
    """
    name = program_name(program)
    wanted = memory.capture.not_read(files, at_most)
    if not wanted:
        note(f"A language model has read all {plural(len(files), 'session')} of this project.")
        return ()
    with progress("Reading", "sessions") as tell:
        estimate = memory.capture.estimate(wanted, reporting(tell))
    note(f"Of {plural(len(files), 'session')}, with {name}: {estimate_in_words(estimate)}")
    for line in terms_of(program)[:1]:
        note(line)
    if options.dry_run or not is_question_agreed("Send them?", yes=options.yes):
        return ()
    return wanted


def ask_about(
    memory: Memory, files: Sequence[SessionFile], agent: str, issue: int | None, program: str
) -> CapturePlan:
    """Return what a program picks from sessions; stopped by Ctrl-C, what it picked so far."""
    with progress(f"Asking {program_name(program)}", "sessions") as tell, _stopped() as stops:
        plan = memory.capture.plan_files(
            files, reporting(tell, stops), agent=agent, issue=issue, program=program
        )
    if stops:
        note(
            f"Stopped: {len(plan.sessions):,} of {plural(len(files), 'session')} read. "
            "Run it again to go on."
        )
    return plan


@contextmanager
def _stopped() -> Iterator[list[int]]:
    """The signals that came meanwhile; the second Ctrl-C ends the command as ever."""
    came: list[int] = []

    def note_signal(number: int, _: object) -> None:
        if came:
            raise KeyboardInterrupt
        came.append(number)

    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.signal(number, note_signal) for number in numbers}
    try:
        yield came
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
