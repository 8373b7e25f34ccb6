"""A whole history of sessions: each transcript of a folder captured in turn, and reported."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import click

from memtui.cli.options import Options
from memtui.cli.output import note, one_line, paint, print_json, progress, say, wipe_progress
from memtui.cli.plans import can_ask, refuse_unasked
from memtui.formatting import plural
from store.activity.log import CAPTURED
from store.agents.client import SessionFile
from store.agents.discovery import open_session, transcripts_in
from store.backends.user_data import project_root
from store.capture.plan import CapturePlan
from store.errors import StoreError
from store.memory import Memory
from store.platform.named import is_folder
from store.platform.project import project_of

_KEPT = 10_000
"""The newest captures that are looked at for what was done before."""
_UUID = 36
"""Characters of a session's id, which ends the names of Codex's files."""


@dataclass(frozen=True, slots=True)
class Session:
    """The outcome of one transcript. `passed` says why it was skipped, empty if it was not."""

    path: Path
    name: str
    issue: int = 0
    kept: int = 0
    skipped: int = 0
    passed: str = ""


def import_sessions(
    memory: Memory, folder: Path, agent: str, issue: int | None, options: Options
) -> None:
    """Capture every transcript of a folder, oldest first, once that was agreed to.

    One that was captured since it was last written is passed over, so that what was stopped goes
    on where it was.
    """
    files = transcripts_in(folder)
    if not options.dry_run and not options.yes:
        if not can_ask():
            _go_through(memory, files, folder, agent, issue, options._replace(dry_run=True))
            refuse_unasked()
        if not click.confirm(f"Capture {plural(len(files), 'session')}?", default=True, err=True):
            note("Nothing changed.")
            return
    _go_through(memory, files, folder, agent, issue, options)


def _go_through(
    memory: Memory,
    files: Sequence[SessionFile],
    folder: Path,
    agent: str,
    issue: int | None,
    options: Options,
) -> None:
    done = _captured_before(memory)
    sessions = []
    with progress("Capturing", "sessions") as tell:
        for number, file in enumerate(files):
            if tell is not None:
                tell(number, len(files))
            session = _one(memory, file, done, agent, issue, dry_run=options.dry_run)
            sessions.append(session)
            if not options.as_json:
                wipe_progress()
                _print_session(session, folder)
    if options.as_json:
        print_json([_as_data(session) for session in sessions])
    else:
        kept = sum(session.kept for session in sessions)
        words = "would be stored" if options.dry_run else "stored"
        passed = sum(bool(session.passed) for session in sessions)
        captured = plural(len(sessions) - passed, "session")
        note(f"{kept:,} {words} from {captured}, {passed:,} skipped.")


def _one(
    memory: Memory,
    file: SessionFile,
    done: Mapping[str, datetime],
    agent: str,
    issue: int | None,
    *,
    dry_run: bool,
) -> Session:
    name = file.session_id or file.path.stem
    before = done.get(name) or done.get(name[-_UUID:])
    if before is not None and before > file.modified:
        return Session(file.path, name, passed="already captured")
    try:
        with open_session(file.path) as lines:
            plan = memory.capture.plan(lines, agent=agent, issue=issue, session_id=name)
        if elsewhere := _other_project(plan, memory.path):
            return Session(file.path, name, passed=f"belongs to another project: {elsewhere}")
        if not dry_run:
            memory.capture.apply(plan)
    except StoreError as error:
        return Session(file.path, name, passed=error.message)
    except OSError as error:
        return Session(file.path, name, passed=f"can't be read: {error.strerror}")
    return Session(
        file.path, plan.session_id or name, plan.issue, len(plan.kept), len(plan.skipped)
    )


def _captured_before(memory: Memory) -> dict[str, datetime]:
    return {
        entry.session: entry.time
        for entry in reversed(memory.activity(_KEPT).entries)
        if entry.kind == CAPTURED and entry.time is not None
    }


def _other_project(plan: CapturePlan, memory: Path) -> str:
    """The project a session ran in, where it is known to be another than the memory's."""
    ran = Path(plan.folder) if plan.folder else None
    if ran is None or not is_folder(ran):
        return ""
    project = project_of(ran)
    root = project.main_root if project else ran
    at = project_root(memory)
    return "" if at.is_relative_to(root) or ran.is_relative_to(at) else str(root)


def _print_session(session: Session, folder: Path) -> None:
    if session.passed:
        name = session.path.relative_to(folder)
        say(paint(one_line(f"- {name}  {session.passed}"), dim=True))
    else:
        outcome = f"{session.kept} kept, {session.skipped} skipped"
        say(f"+ {one_line(session.name)}  #{session.issue}  {outcome}")


def _as_data(session: Session) -> dict[str, object]:
    return {
        "path": str(session.path),
        "sessionId": session.name,
        "issueNumber": session.issue,
        "kept": session.kept,
        "skipped": session.skipped,
        "passed": session.passed,
    }
