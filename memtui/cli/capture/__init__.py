"""`memtui capture`: from a session's transcript to observations."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from textwrap import fill

import click

from memtui.cli.capture.model import agreed_sessions, ask_about, picked_by, program_for
from memtui.cli.capture.report import (
    as_data,
    fail_on_unknown,
    print_captured,
    print_other_programs,
    print_preview,
    print_where,
)
from memtui.cli.completed_values import complete_agent
from memtui.cli.memory import memory_or_new, opened_at
from memtui.cli.options import Options, operation_options
from memtui.cli.output import has_terminal, note, print_json
from memtui.cli.parameter_types import Number
from memtui.cli.sessions.earlier import print_offered
from memtui.formatting import shown_path
from store.agents.client import Home, SessionFile
from store.agents.discovery import open_session, session_files, session_id_of
from store.agents.formats import FORMATS, SUMMARY
from store.agents.registry import ASKED
from store.capture.plan import CapturePlan
from store.errors import InvalidObservation, NotFound, Unopened, Unreadable
from store.memory import Memory
from store.operations.batch import StoreReport
from store.platform.home import expanded
from store.platform.project import folders_of

_SEVERAL = "FILE#ID picks one of several sessions."
_EPILOG = f"""\b
Examples:
  memtui capture --dry-run               preview the newest session of this project
  memtui capture --all                   capture every session of this project
  memtui capture session.jsonl --issue 29
  memtui capture --with claude-code      let its language model pick the memories
  memtui capture --all --with 'ollama run llama3' --at-most 50
  cat summary.md | memtui capture - --format summary --agent engineer

\b
{fill(f"Clients whose model can be asked: {', '.join(ASKED)}.", 98)}

\b
{fill(f"Formats: {', '.join(FORMATS)}; auto detects it. {_SEVERAL}", 98)}
"""


@click.command(epilog=_EPILOG)
@click.argument("file", required=False)
@click.option(
    "--agent", default="", shell_complete=complete_agent, help="Agent to file them under."
)
@click.option(
    "--issue",
    type=Number(min=0),
    help="Issue to file them under. Default: MEMTUI_ISSUE, the branch's issue, or 0.",
)
@click.option("--format", "format_name", default="auto", show_default=True)
@click.option(
    "--as-summary",
    is_flag=True,
    help="Take FILE for a summary that an agent wrote, whatever its headings.",
)
@click.option("--all", "of_all", is_flag=True, help="Capture every session of this project.")
@click.option(
    "--with",
    "program",
    metavar="CLIENT|COMMAND",
    help="Let a language model pick the memories; 'rules' asks none. Default: `capture_program`.",
)
@click.option(
    "--at-most",
    type=Number(min=1),
    help="With --all and a language model: only so many sessions, the newest.",
)
@operation_options
def capture_command(
    file: str | None,
    agent: str,
    issue: int | None,
    format_name: str,
    as_summary: bool,
    of_all: bool,
    program: str | None,
    at_most: int | None,
    options: Options,
) -> None:
    """Capture memories from an agent session. FILE is a transcript; - reads standard input.

    Without FILE, captures the newest session of this project, of any agent; with --all, each of
    them, as one operation. Rules pick the memories, on this machine. With --with, a language model
    does: a CLIENT's, such as claude-code, or that of any COMMAND, which gets a prompt with the
    session, without secrets, on its standard input, and prints the answer. With --all it is asked
    about each session that it has not read yet, once you agreed to what that sends; Ctrl-C keeps
    what was read so far, and the same command goes on. Exit code 1 if a transcript has entries that
    memtui doesn't know, or the command fails.
    """
    if program is not None and not program.strip():
        raise click.UsageError("--with needs a client or a command, such as 'claude -p'.")
    if as_summary and format_name not in {"auto", SUMMARY}:
        raise click.UsageError("--as-summary is a format by itself: give no other.")
    format_name = SUMMARY if as_summary else format_name
    if of_all and (file or format_name != "auto"):
        raise click.UsageError("--all takes neither FILE nor --format.")
    if at_most is not None and not of_all:
        raise click.UsageError("--at-most needs --all.")
    chosen = None if of_all else _chosen(file)
    opened = nullcontext(()) if of_all else _transcript(chosen)
    with opened as lines, opened_at(memory_or_new()) as memory:
        if not of_all:
            plan = memory.capture.plan(
                lines,
                agent=agent,
                issue=issue,
                format=format_name,
                session_id=chosen.session_id if chosen else "",
                folder=chosen.folder if chosen else "",
            )
            plan = picked_by(memory, plan, program)
        elif asked := program_for(memory, program):
            wanted = agreed_sessions(memory, _files(memory), asked, at_most, options)
            if not wanted:
                return
            plan = ask_about(memory, wanted, agent, issue, asked)
        else:
            plan = memory.capture.plan_files(_files(memory), agent=agent, issue=issue)
        report = _stored(memory, plan, dry_run=options.dry_run)
        print_where(plan, memory.path)
    if options.as_json:
        print_json(as_data(plan, report))
    elif report is None:
        print_preview(plan)
        if program is None and not memory.settings.capture_program:
            print_other_programs()
    else:
        print_captured(plan, report)
    fail_on_unknown(plan, chosen)


def _chosen(file: str | None) -> SessionFile | None:
    """The session to capture: the named one, or the newest of the project; None for input."""
    if file == "-":
        return None
    if file:
        path = expanded(file)
        return SessionFile(path, "", datetime.now(UTC), 0, session_id_of(path))
    here = Path.cwd()
    found = session_files(Home.of_user(), folders_of(here))
    newest = next(iter(found), None)
    if newest is None:
        raise NotFound(f"No agent session found for {here}.", "Give a FILE.")
    note(shown_path(newest.path))
    return newest


@contextmanager
def _transcript(chosen: SessionFile | None) -> Iterator[Iterable[bytes]]:
    try:
        opened = nullcontext(sys.stdin.buffer) if chosen is None else open_session(chosen.path)
        with opened as lines:
            yield lines
    except OSError as error:
        if chosen is None or error.filename not in (None, str(chosen.path)):
            raise
        raise NotFound(
            f"{chosen.path} can't be read: {error.strerror}.",
            "Give a transcript, or - for standard input.",
        ) from error
    except Unopened:
        raise  # which memory is
    except Unreadable as error:
        name = chosen.path if chosen else "standard input"
        raise InvalidObservation(f"{name}: {error.message}", error.hint) from error


def _files(memory: Memory) -> Sequence[SessionFile]:
    """Return the sessions of the memory's project. Raises `NotFound` for none."""
    files = memory.session_files.of_project(Home.of_user())
    if not files:
        print_offered(memory.session_files.offered(Home.of_user()))
        raise NotFound("No agent session found for this project.", "Give a FILE.")
    return files


def _stored(memory: Memory, plan: CapturePlan, *, dry_run: bool) -> StoreReport | None:
    if not memory.settings.enabled:
        note("Memory is off (`enabled = false` in the settings): nothing was stored.")
        dry_run = True
    return None if dry_run else memory.capture.apply(plan, reviewed=has_terminal())
