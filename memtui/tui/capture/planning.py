"""What the capture preview asks of memory: a plan, a model's choice, the estimate of its cost."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from memtui.settings.programs import Program, programs_at_hand
from memtui.tui.frame.ask import Progress
from memtui.words.notices import sentence
from store import Memory
from store.action import Action
from store.agents.client import Home, SessionFile
from store.agents.discovery import open_session, session_id_of
from store.backends.user_data import project_root
from store.capture.plan import CapturePlan
from store.errors import NotFound, ProgramFailed
from store.language_model.estimate import Estimate
from store.model import Facets
from store.operations.apply import Applied
from store.platform.project import has_run_elsewhere
from store.store_state import StoreState


class Planned(NamedTuple):
    """The plan of a capture, the state of the store, and its agents and issues.

    `elsewhere`: the session ran in another project. `picked_by` is the command whose model picked
    the memories, empty for rules, `failed` why it did not; `programs` are those that could.
    """

    plan: CapturePlan
    state: StoreState
    known: Facets
    elsewhere: bool
    programs: Sequence[Program]
    picked_by: str = ""
    failed: str = ""


def plan_session(memory: Memory, path: Path) -> Planned:
    """Plan the capture of a transcript, by rules. Raises `NotFound`, `Unreadable`."""
    try:
        with open_session(path) as lines:
            return _planned(memory, memory.capture.plan(lines))
    except OSError as error:
        raise NotFound(
            f"{path} can't be read: {error.strerror}.", "Choose another transcript."
        ) from error


def plan_project(memory: Memory, program: str, report: Progress) -> Planned:
    """Plan the capture of all sessions of the project, picked by a program's model or by rules."""
    files = memory.session_files.of_project(Home.of_user())
    plan = memory.capture.plan_files(files, report, program=program)
    return _planned(memory, plan)._replace(picked_by=program)


def pick_by_model(memory: Memory, planned: Planned, program: str, report: Progress) -> Planned:
    """Return a plan with what a program's model picks; as it was, and why, where that fails.

    `report` is called again and again, and ends the program by raising.
    """
    try:
        plan = memory.capture.ask_model(planned.plan, program, lambda: report(0, 0))
    except ProgramFailed as error:
        return planned._replace(failed=error.message)
    return planned._replace(plan=plan, picked_by=program)


def _planned(memory: Memory, plan: CapturePlan) -> Planned:
    known = memory.search("", 0).facets
    elsewhere = has_run_elsewhere(plan.folder, project_root(memory.path))
    programs = list(programs_at_hand(memory.settings.capture_program))
    return Planned(plan, memory.state(), known, elsewhere, programs)


def estimate_of(memory: Memory, path: Path | None, report: Progress) -> Estimate:
    """Return what asking a model about a transcript would send; without a path, about all sessions
    of the project that none has read yet.
    """
    if path is None:
        files = memory.capture.not_read(memory.session_files.of_project(Home.of_user()))
    else:
        files = [SessionFile(path, "", datetime.now(UTC), 0, session_id_of(path))]
    return memory.capture.estimate(files, report)


def store_plan(memory: Memory, plan: CapturePlan, notices: list[str]) -> Applied:
    """Store what a plan keeps; adds to `notices` what to know of it. Raises as `capture.apply`."""
    report = memory.capture.apply(plan, reviewed=True)
    notices += map(sentence, report.notices)
    kept = len(report.stored)
    return Applied(report.operation_id, Action("capture", {"memories": kept}), kept)
