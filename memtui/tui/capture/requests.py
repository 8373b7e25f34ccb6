"""Capture as the app sees it: the transcripts there are, and what one of them would leave."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from memtui.formatting import plural
from memtui.settings.programs import Program, programs_at_hand
from memtui.tui.frame.ask import Progress as Report
from memtui.words.notices import sentence
from store import Memory
from store.action import Action
from store.agents.client import Home, SessionFile
from store.agents.discovery import first_request, open_session, session_files, session_id_of
from store.backends.user_data import project_root
from store.capture.plan import CapturePlan
from store.capture.service import Estimate
from store.errors import NotFound, ProgramFailed
from store.model import Facets, Observation, issue_named
from store.operations.apply import Applied
from store.platform.project import has_run_elsewhere
from store.statistics import StoreState
from store.validation.rules import AGENT_NAME

ASKING = (-1, -1)
"""The progress of a plan whose memories a language model picks now."""


class Begun(NamedTuple):
    request: str
    is_captured: bool


class Planned(NamedTuple):
    """What a transcript would leave, what the store says of itself, and whom and what it knows.

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


def find_transcripts(
    memory: Memory, home: Path
) -> tuple[Sequence[SessionFile], Sequence[SessionFile]]:
    """The transcripts of a user's agents: those of the memory's project, then those and all others,
    each newest first.
    """
    user = Home(home, os.environ)
    own = memory.sessions.files(user)
    files = {file.path: file for file in (*own, *session_files(user))}
    return own, list(files.values())


def begun_of(memory: Memory, files: Sequence[SessionFile]) -> Mapping[Path, Begun]:
    """First requests of sessions: as they are kept, else from their files."""
    kept = {digest.id: digest for digest in memory.sessions.digests()}
    kept |= {digest.path: digest for digest in kept.values()}
    begun = {}
    for file in files:
        digest = kept.get(str(file.path)) or kept.get(file.session_id or file.path.stem)
        asked = digest.asked[0] if digest is not None and digest.asked else ""
        captured = digest is not None and bool(digest.memories)
        begun[file.path] = Begun(asked or first_request(file), captured)
    return begun


def plan_capture(memory: Memory, path: Path | None, chosen: str | None, report: Report) -> Planned:
    """Plan the capture of a transcript; without a path, of all sessions of the project.

    `chosen` is the command whose model is to pick, empty for rules; None for what the settings say,
    and for rules where many sessions would be sent at once. `report` hears of sessions read, and of
    a model that is asked, again and again. Raises `NotFound`, `Unreadable`.
    """
    set_program = memory.settings.capture_program
    program = (set_program if path else "") if chosen is None else chosen
    if path is None:
        files = memory.sessions.files(Home.of_user())
        plan = memory.capture.plan_files(files, report, program=program)
    else:
        plan = _plan_one(memory, path)
    failed = ""
    if path is not None and program:
        try:
            plan = memory.capture.ask_model(plan, program, lambda: report(*ASKING))
        except ProgramFailed as error:
            failed, program = error.message, ""
    known = memory.search("", 0).facets
    elsewhere = has_run_elsewhere(plan.folder, project_root(memory.path))
    programs = list(programs_at_hand(set_program))
    return Planned(plan, memory.state(), known, elsewhere, programs, program, failed)


def estimate_of(memory: Memory, path: Path | None, report: Report) -> Estimate:
    """What asking a model about a transcript would send; without a path, about all sessions of the
    project that none has read yet.
    """
    if path is None:
        files = memory.capture.not_read(memory.sessions.files(Home.of_user()))
    else:
        files = [SessionFile(path, "", datetime.now(UTC), 0, session_id_of(path))]
    return memory.capture.estimate(files, report)


def _plan_one(memory: Memory, path: Path) -> CapturePlan:
    try:
        with open_session(path) as lines:
            return memory.capture.plan(lines)
    except OSError as error:
        raise NotFound(
            f"{path} can't be read: {error.strerror}.", "Choose another transcript."
        ) from error


def filed_under(plan: CapturePlan) -> str:
    """The issue that what a plan keeps is filed under, or how many: an edit may choose another."""
    issues = {captured.observation.issue_number for captured in plan.kept} or {plan.issue}
    return f"#{issues.pop()}" if len(issues) == 1 else plural(len(issues), "issue")


def from_whom(plan: CapturePlan) -> str:
    """`for claude-code`, or of how many sessions the plan is: `from 18 sessions`."""
    number = len(plan.sessions)
    return f"from {plural(number, 'session')}" if number else f"for {plan.agent}"


def refiled(plan: CapturePlan, *, issue: int | None = None, agent: str = "") -> CapturePlan:
    """A plan under another issue, or by another agent; what an edit chose stays."""

    def moved(memory: Observation) -> Observation:
        if issue is not None and memory.issue_number == plan.issue:
            memory = memory._replace(issue_number=issue)
        return memory._replace(agent=agent) if agent and memory.agent == plan.agent else memory

    kept = tuple(
        captured._replace(observation=moved(captured.observation)) for captured in plan.kept
    )
    number = plan.issue if issue is None else issue
    return replace(plan, kept=kept, issue=number, agent=agent or plan.agent)


def wrong_issue(text: str) -> str:
    return "Give an issue's number, 0 or more." if issue_named(text) is None else ""


def wrong_agent(text: str) -> str:
    return "" if AGENT_NAME.fullmatch(text) else "Use 1 to 64 letters, digits, `.`, `_` or `-`."


def carry_out(memory: Memory, plan: CapturePlan, notices: list[str]) -> Applied:
    """Store what a plan keeps; `notices` take what to know of it. Raises as `memory.capture`."""
    report = memory.capture.apply(plan)
    notices += map(sentence, report.notices)
    kept = len(report.stored)
    return Applied(report.operation_id, Action("capture", {"memories": kept}), kept)
