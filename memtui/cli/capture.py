"""`memtui capture`: from a session's transcript to observations."""

from __future__ import annotations

import shlex
import signal
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from textwrap import fill

import click

from memtui.cli.completed_values import complete_agent
from memtui.cli.exits import FAILED
from memtui.cli.memory import memory_or_new, opened_at
from memtui.cli.options import Options, operation_options
from memtui.cli.output import note, note_all, one_line, paint, print_json, print_line, progress
from memtui.cli.parameter_types import Number
from memtui.cli.plans import is_question_agreed
from memtui.cli.sessions.earlier import print_offered
from memtui.cli.sessions.index import reporting
from memtui.formatting import plural
from memtui.settings.programs import estimate_in_words, programs_at_hand, terms_of
from memtui.words.notices import sentence
from memtui.words.origins import finder_of
from store.agents.client import Home, SessionFile
from store.agents.discovery import open_session, session_files, session_id_of
from store.agents.formats import FORMATS, SUMMARY
from store.agents.registry import ASKED
from store.backends.user_data import project_root
from store.capture.plan import CapturePlan
from store.errors import InvalidObservation, NotFound, ProgramFailed, Unopened, Unreadable
from store.language_model.program import program_name
from store.memory import Memory
from store.operations.batch import StoreReport
from store.platform.home import expanded
from store.platform.project import folders_of, has_run_elsewhere
from store.records import to_record

_RULES = "rules"
"""What `--with` takes for no program."""
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
        if of_all and (asked := _program(memory, program)):
            wanted = _agreed_sessions(memory, asked, at_most, options)
            if not wanted:
                return
            plan = _ask_about(memory, wanted, agent, issue, asked)
        elif of_all:
            plan = memory.capture.plan_files(_files(memory), agent=agent, issue=issue)
        else:
            plan = memory.capture.plan(
                lines,
                agent=agent,
                issue=issue,
                format=format_name,
                session_id=chosen.session_id if chosen else "",
                folder=chosen.folder if chosen else "",
            )
            plan = _picked(memory, plan, program)
        report = _stored(memory, plan, dry_run=options.dry_run)
        _print_where(plan, memory.path)
    if options.as_json:
        print_json(_as_data(plan, report))
    elif report is None:
        _preview(plan)
        if program is None and not memory.settings.capture_program:
            _print_other_programs()
    else:
        _print_captured(plan, report)
    _fail_on_unknown(plan, chosen)


def _picked(memory: Memory, plan: CapturePlan, program: str | None) -> CapturePlan:
    """Return the plan with what a language model picks, where `--with` or the settings name a
    command.

    Where that of the settings fails, rules do it. Raises `ProgramFailed` for that of `--with`.
    """
    chosen = _program(memory, program)
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


def _program(memory: Memory, named: str | None) -> str:
    chosen = memory.settings.capture_program if named is None else named
    return "" if chosen == _RULES else chosen


def _agreed_sessions(
    memory: Memory, program: str, at_most: int | None, options: Options
) -> Sequence[SessionFile]:
    """Return the sessions to ask a program about, once the user agreed to what that sends; none
    where they did not, or all were read.

    Raises `NotFound` for a project without sessions.
    """
    name, files = program_name(program), _files(memory)
    wanted = memory.capture.not_read(files, at_most)
    if not wanted:
        note(f"A language model has read all {plural(len(files), 'session')} of this project.")
        return ()
    with progress("Reading", "sessions") as tell:
        estimate = memory.capture.estimate(wanted, reporting(tell))
    note(f"Of {plural(len(files), 'session')}, with {name}: {estimate_in_words(estimate)}")
    for line in terms_of(program)[:1]:
        note(line)
    return (
        wanted if not options.dry_run and is_question_agreed("Send them?", yes=options.yes) else ()
    )


def _ask_about(
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
    return None if dry_run else memory.capture.apply(plan)


def _fail_on_unknown(plan: CapturePlan, chosen: SessionFile | None) -> None:
    """Name the entries of a transcript that its format does not know, and exit with 1."""
    for line in plan.left:
        note(line)
    read = [(session.path, session.unknown) for session in plan.sessions]
    read = read or [(str(chosen.path) if chosen else "standard input", plan.unknown)]
    for name, unknown in read:
        if unknown:
            number = plural(len(unknown), "unknown entry", "unknown entries")
            note(f"{name}: {number} skipped, first: {unknown[0]}.")
    if plan.left or any(unknown for _, unknown in read):
        raise click.exceptions.Exit(FAILED)


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
    note(f"{newest.path}")
    return newest


def _print_where(plan: CapturePlan, memory: Path) -> None:
    if has_run_elsewhere(plan.folder, project_root(memory)):
        note(
            f"The session ran in {plan.folder}, but this memory is {memory}. "
            "Use --dir to change it."
        )


def _preview(plan: CapturePlan) -> None:
    for item in plan.kept:
        observation = item.observation
        finder = finder_of(observation.extra)
        found_by = paint(f"  (from: {one_line(finder)})", dim=True) if finder else ""
        category = paint(one_line(observation.category), bold=True)
        print_line(f"+ {category}  {one_line(observation.summary)}{found_by}")
    for skipped in () if plan.sessions else plan.skipped:
        print_line(
            paint(f"- {one_line(skipped.text)}  ({one_line(sentence(skipped.reason))})", dim=True)
        )
    note(_sum(plan, "would be stored"))


def _print_other_programs() -> None:
    if not sys.stderr.isatty():
        return
    if at_hand := next(programs_at_hand(""), None):
        note(
            f"Rules picked these. {at_hand.title} picks better ones: "
            f"--with {shlex.quote(at_hand.command)}"
        )


def _print_captured(plan: CapturePlan, report: StoreReport) -> None:
    for identifier in report.ids:
        print_line(identifier)
    note_all(report.notices)
    note(_sum(plan, "stored"))
    if report.operation_id:
        note(f"Undo with `memtui undo {report.operation_id[-4:]}`.")


def _sum(plan: CapturePlan, done: str) -> str:
    if plan.sessions:
        stored = f"{len(plan.kept)} {done} from {plural(len(plan.sessions), 'session')}"
    else:
        stored = f"{len(plan.kept)} {done} under #{plan.issue} for {plan.agent}"
    parts = [stored if plan.kept else "Nothing new found", f"{len(plan.skipped)} skipped"]
    if plan.replaced:
        parts.append(f"{len(plan.replaced)} by rules replaced")
    if plan.left_out:
        parts.append(f"{plural(plan.left_out, 'message')} of long sessions left out")
    if plan.seen_again:
        parts.append(f"{len(plan.seen_again)} seen before")
    if plan.redactions:
        parts.append(f"{plural(len(plan.redactions), 'secret')} redacted")
    if plan.unread_lines:
        parts.append(f"{plural(plan.unread_lines, 'line')} unreadable")
    return ", ".join(parts) + "."


def _as_data(plan: CapturePlan, report: StoreReport | None) -> dict[str, object]:
    """Return the plan as JSON; with `ids` where it was carried out."""
    return {
        **_origin(plan),
        "kept": [{**to_record(item.observation), "passage": item.passage} for item in plan.kept],
        "skipped": [
            {
                "text": one.text,
                "reason": sentence(one.reason),
                **({"seen": one.seen} if one.seen else {}),
            }
            for one in plan.skipped
        ],
        "replaced": [entry.id for entry in plan.replaced],
        "leftOut": plan.left_out,
        "redactions": list(plan.redactions),
        "unreadLines": plan.unread_lines,
        **({} if report is None else {"ids": list(report.ids)}),
    }


def _origin(plan: CapturePlan) -> dict[str, object]:
    if plan.sessions:
        named = [{**_origin(session), "path": session.path} for session in plan.sessions]
        return {"sessions": named, "left": list(plan.left)}
    return {
        "issueNumber": plan.issue,
        "agent": plan.agent,
        "sessionId": plan.session_id,
        "folder": plan.folder,
        "branch": plan.branch,
    }
