"""`memtui import`: bring in another store, JSON lines, Markdown banks, or a history of sessions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import click

from memtui.cli.memory import memory_or_new, opened_at
from memtui.cli.options import (
    FORMATS,
    NAMED,
    FormatChoice,
    Number,
    Options,
    complete_agent,
    complete_category,
    operation_options,
)
from memtui.cli.output import (
    note,
    note_all,
    one_line,
    paint,
    print_json,
    progress,
    say,
    wipe_progress,
)
from memtui.cli.plans import can_ask, carry_out, refuse_unasked
from memtui.formatting import plural
from memtui.words.notices import sentence
from memtui.words.sentences import title
from store.activity.log import CAPTURED
from store.agents.client import SessionFile
from store.agents.discovery import open_session, transcripts_in
from store.backends.user_data import project_root
from store.capture.plan import CapturePlan
from store.errors import StoreError
from store.memory import Memory
from store.operations.plan import Plan
from store.platform.links import is_folder
from store.platform.project import project_of

_EPILOG = """\b
Examples:
  memtui import memory-bank/ --dry-run        Markdown bullets
  memtui import notes.jsonl --agent engineer
  memtui import ../old/.agentx/memory         another store, with its archive
  memtui import ../old/.memory                a vault of Markdown
  memtui import .beads/issues.jsonl           beads issues, as tasks
  memtui import memory.jsonl                  MCP memory server graph
  memtui import --transcripts ~/.claude/projects/-home-me-shop

\b
Memories that exist are left unchanged, so an import can be repeated
or resumed.
"""
_SHOWN = 20
"""Observations that a preview names; the rest is counted."""
_KEPT = 10_000
"""The newest captures that are looked at for what was done before."""
_UUID = 36
"""Characters of a session's id, which ends the names of Codex's files."""


@click.command(epilog=_EPILOG)
@click.argument("source", required=False, type=click.Path(path_type=Path))
@click.option(
    "--format",
    "format_name",
    type=FormatChoice(("auto", *FORMATS)),
    default="auto",
    show_default=True,
    metavar="FORMAT",
    help=f"One of {NAMED}; auto detects it.",
)
@click.option(
    "--transcripts",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Capture all sessions in a folder instead.",
)
@click.option("--agent", shell_complete=complete_agent, help="Agent for all of them.")
@click.option("--issue", type=Number(min=0), help="Issue for all of them.")
@click.option("--category", shell_complete=complete_category, help="Category for all of them.")
@click.option("--removed", is_flag=True, help="Also import what was removed here before.")
@operation_options
def import_command(
    source: Path | None,
    format_name: str,
    transcripts: Path | None,
    agent: str | None,
    issue: int | None,
    category: str | None,
    removed: bool,
    options: Options,
) -> None:
    """Import memories from SOURCE that are not stored yet, after a preview."""
    if (source is None) == (transcripts is None):
        raise click.UsageError("Give SOURCE or --transcripts DIR, not both.")
    with opened_at(memory_or_new()) as memory:
        if transcripts is not None:
            import_sessions(memory, transcripts, agent or "", issue, options)
        if source is None:
            return
        with progress("Looking", "memories") as tell:
            plan = memory.exchange.plan_import(
                source,
                format_name,
                agent=agent,
                issue=issue,
                category=category,
                removed=removed,
                progress=tell,
            )
        preview = "\n".join(_preview(plan, None if options.dry_run else _SHOWN))
        carry_out(memory, plan, options, shown=preview)
    if not options.as_json and not (options.dry_run and not plan.is_empty):
        note_all(plan.notes)


def _preview(plan: Plan, most: int | None) -> Iterator[str]:
    yield title(plan.action)
    records = [change.after or {} for change in plan.changes]
    for name in ("category", "agent", "issueNumber"):
        counts = Counter(str(record.get(name, "")) for record in records).most_common(8)
        yield f"  {name}: " + ", ".join(f"{one_line(what)} {count:,}" for what, count in counts)
    yield ""
    for record in records[:most]:
        head = f"+ #{record.get('issueNumber', 0)} {record.get('category', '')}"
        yield one_line(f"{head}  {str(record.get('timestamp', ''))[:10]}  {record.get('summary')}")
    if most is not None and len(records) > most:
        yield f"  and {len(records) - most:,} more; use --dry-run to list them all"
    yield from (("", *map(sentence, plan.notes)) if plan.notes else ())


@dataclass(frozen=True, slots=True)
class Session:
    """The outcome of one transcript. `passed` is why it was skipped, empty if it was not."""

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
    """Return the project a session ran in, where it is known to be another than the memory's."""
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
