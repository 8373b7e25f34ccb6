"""`memtui import --transcripts`: capture every session file of a folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import click

from memtui.cli.options import Options
from memtui.cli.output import has_terminal, note, one_line, paint, print_json, print_line, progress
from memtui.cli.plans import can_ask, refuse_unasked
from memtui.formatting import plural
from memtui.words.notices import sentence
from store.activity.kinds import CAPTURED
from store.agents.client import SessionFile
from store.agents.discovery import open_session, transcripts_in
from store.backends.user_data import project_root
from store.capture.plan import CapturePlan
from store.errors import StoreError
from store.memory import Memory
from store.notice import notice
from store.platform.links import is_folder
from store.platform.project import project_of

_KEPT = 10_000
"""The newest captures that are looked at for what was done before."""
_UUID = 36
"""Characters of a session's id, which ends the names of Codex's files."""


@dataclass(frozen=True, slots=True)
class _Outcome:
    """The outcome of one transcript. `passed` is why it was skipped, empty if it was not; of what
    is `kept` some may be `waiting` for approval.
    """

    path: Path
    name: str
    issue: int = 0
    kept: int = 0
    skipped: int = 0
    passed: str = ""
    waiting: int = 0


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
            _capture_all(memory, files, folder, agent, issue, options._replace(dry_run=True))
            refuse_unasked()
        if not click.confirm(f"Capture {plural(len(files), 'session')}?", default=True, err=True):
            note("Nothing changed.")
            return
    _capture_all(memory, files, folder, agent, issue, options)


def _capture_all(
    memory: Memory,
    files: Sequence[SessionFile],
    folder: Path,
    agent: str,
    issue: int | None,
    options: Options,
) -> None:
    done = _captured_before(memory)
    outcomes = []
    with progress("Capturing", "sessions") as report:
        for number, file in enumerate(files):
            report(number, len(files))
            outcome = _capture(memory, file, done, agent, issue, dry_run=options.dry_run)
            outcomes.append(outcome)
            if not options.as_json:
                _print_outcome(outcome, folder)
    if options.as_json:
        print_json([_as_data(outcome) for outcome in outcomes])
    else:
        waiting = sum(outcome.waiting for outcome in outcomes)
        kept = sum(outcome.kept for outcome in outcomes) - waiting
        words = "would be stored" if options.dry_run else "stored"
        passed = sum(bool(outcome.passed) for outcome in outcomes)
        captured = plural(len(outcomes) - passed, "session")
        note(f"{kept:,} {words} from {captured}, {passed:,} skipped.")
        if waiting:
            note(sentence(notice("waits", changes=waiting)))


def _capture(
    memory: Memory,
    file: SessionFile,
    done: Mapping[str, datetime],
    agent: str,
    issue: int | None,
    *,
    dry_run: bool,
) -> _Outcome:
    name = file.session_id or file.path.stem
    before = done.get(name) or done.get(name[-_UUID:])
    if before is not None and before > file.modified:
        return _Outcome(file.path, name, passed="already captured")
    try:
        with open_session(file.path) as lines:
            plan = memory.capture.plan(lines, agent=agent, issue=issue, session_id=name)
        if elsewhere := _other_project(plan, memory.path):
            return _Outcome(file.path, name, passed=f"belongs to another project: {elsewhere}")
        waiting = 0
        if not dry_run:
            waiting = len(memory.capture.apply(plan, reviewed=has_terminal()).waiting)
    except StoreError as error:
        return _Outcome(file.path, name, passed=error.message)
    except OSError as error:
        return _Outcome(file.path, name, passed=f"can't be read: {error.strerror}")
    kept, skipped = len(plan.kept), len(plan.skipped)
    return _Outcome(file.path, plan.session_id or name, plan.issue, kept, skipped, waiting=waiting)


def _captured_before(memory: Memory) -> dict[str, datetime]:
    return {
        entry.session: entry.time
        for entry in reversed(memory.activity(_KEPT).entries)
        if entry.kind == CAPTURED and entry.time is not None
    }


def _other_project(plan: CapturePlan, memory: Path) -> str:
    """Return the project a session ran in, where it is known to be another than the memory's."""
    ran = Path(plan.folder) if plan.folder else None
    if ran is None or not is_folder(ran):
        return ""
    project = project_of(ran)
    root = project.main_root if project else ran
    at = project_root(memory)
    return "" if at.is_relative_to(root) or ran.is_relative_to(at) else str(root)


def _print_outcome(outcome: _Outcome, folder: Path) -> None:
    if outcome.passed:
        name = outcome.path.relative_to(folder)
        print_line(paint(one_line(f"- {name}  {outcome.passed}"), dim=True))
    else:
        counts = f"{outcome.kept} kept, {outcome.skipped} skipped"
        print_line(f"+ {one_line(outcome.name)}  #{outcome.issue}  {counts}")


def _as_data(outcome: _Outcome) -> dict[str, object]:
    return {
        "path": str(outcome.path),
        "sessionId": outcome.name,
        "issueNumber": outcome.issue,
        "kept": outcome.kept,
        "skipped": outcome.skipped,
        "passed": outcome.passed,
        "waiting": outcome.waiting,
    }
