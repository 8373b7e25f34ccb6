"""Capture as the app sees it: the transcripts there are, and what one of them would leave."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from textual.message import Message

from memtui.formatting import plural
from memtui.tui.worker import Question, Tell
from store.action import Action
from store.agents.client import Home, SessionFile
from store.agents.session_files import open_session, session_files
from store.capture.plan import CapturePlan
from store.errors import NotFound
from store.operations.apply import Applied
from store.pipeline import MemoryPipeline, StoreState


@dataclass(eq=False, repr=False)
class TranscriptsFound(Message, bubble=False):
    """The transcripts in the agents' own folders, newest first."""

    files: Sequence[SessionFile]


@dataclass(eq=False, repr=False)
class CapturePlanned(Message, bubble=False):
    """What a transcript would leave, and what the store says of itself."""

    plan: CapturePlan
    state: StoreState


def find_transcripts(home: Path) -> Question:
    """Find the transcripts of a user's agents."""

    def question(tell: Tell) -> None:
        tell(TranscriptsFound(session_files(Home(home, os.environ))))

    return question


def plan_capture(memory: MemoryPipeline, path: Path) -> CapturePlanned:
    """What the transcript in a file would leave. Raises `NotFound`, `Unreadable`."""
    try:
        with open_session(path) as lines:
            plan = memory.plan_capture(lines)
    except OSError as error:
        raise NotFound(
            f"{path} can't be read: {error.strerror}.", "Choose another transcript."
        ) from error
    return CapturePlanned(plan, memory.state())


def filed_under(plan: CapturePlan) -> str:
    """The issue that what a plan keeps is filed under, or how many: an edit may choose another."""
    issues = {each.observation.issue_number for each in plan.kept} or {plan.issue}
    return f"#{issues.pop()}" if len(issues) == 1 else plural(len(issues), "issue")


def carry_out(memory: MemoryPipeline, plan: CapturePlan, notices: list[str]) -> Applied:
    """Store what a plan keeps; `notices` take what to know of it. Raises as `memory.capture`."""
    report = memory.capture(plan)
    notices += report.notices
    kept = len(report.stored)
    return Applied(report.operation_id, Action("capture", {"memories": kept}), kept)
