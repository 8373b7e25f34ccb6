"""`memtui sessions`: the conversations with agents, found, taken in and searched."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from datetime import UTC, datetime
from os.path import normpath
from pathlib import Path

import click
from rich.cells import cell_len

from memtui.cli.memory import memory_or_new, opened, opened_at
from memtui.cli.options import Number, QueryCommand, dir_option, json_option, never_asks_option
from memtui.cli.output import (
    Progress,
    marked,
    note,
    one_line,
    paint,
    print_json,
    progress,
    say,
    terminal_width,
)
from memtui.formatting import age, aligned, count, fit, lasted, memories, moment, plural
from memtui.words.notices import sentence
from memtui.words.queries import understood
from store.agents.client import Home, SessionFile
from store.agents.discovery import transcripts_in
from store.agents.files import files_at
from store.agents.ownership import Earlier
from store.agents.registry import NAMES, client_named
from store.errors import NotFound, Unreadable
from store.memory import Memory
from store.model import Hit
from store.platform.home import expanded
from store.records import format_time, time_field
from store.sessions.checkpoint import Checkpoint
from store.sessions.documents import ended, session_of
from store.sessions.listing import Listing
from store.sessions.model import GoesOn, SessionDigest
from store.text.closest_match import nearest
from store.text.display import visible

_EPILOG = """\b
Examples:
  memtui sessions                       list sessions of this project
  memtui sessions index                 index them for search and recall
  memtui sessions search "retry budget"
  memtui sessions last                  how the last one ended, and how to resume it
  memtui sessions earlier               list folders it may have had before
  memtui sessions adopt ~/old-name      count what ran there as this project's
"""
_LAST_EPILOG = """\b
Examples:
  memtui sessions last                 the last session of any agent
  memtui sessions last claude-code     the last one of Claude Code
"""
_LAST_MESSAGES, _MESSAGE_WIDTH = 6, 600
_INDENT = "  "
_MOST_OFFERED = 3
"""Earlier folders that the list of sessions names."""


@click.group(invoke_without_command=True, epilog=_EPILOG)
@click.option("--limit", type=Number(min=0), default=50, help="Most rows to list; 0 for all.")
@json_option
@dir_option
@click.pass_context
def sessions_command(context: click.Context, limit: int, as_json: bool) -> None:
    """List agent sessions of this project, newest first.

    Sessions that are not indexed yet are read for the list, but not stored.
    """
    if context.invoked_subcommand is not None:
        return
    with opened_at(memory_or_new(adding=False)) as memory:
        found, waiting = _found(memory, limit)
        writable = not waiting or memory.state().writable
        offered = () if as_json else memory.session_files.offered(Home.of_user())
    if as_json:
        print_json([_record(digest) for digest in found])
        return
    for line in _lines(found, terminal_width()):
        say(line)
    note(plural(len(found), "session") if found else "No agent sessions found for this project.")
    _print_waiting(waiting, writable)
    print_offered(offered)


@sessions_command.command("index")
@click.argument("files", nargs=-1, type=click.Path(path_type=Path))
@json_option
@never_asks_option
@dir_option
def index_command(files: tuple[Path, ...], as_json: bool) -> None:
    """Index sessions for search and recall, newest first.

    FILES are session files or folders of them. Default: all sessions of this project. Sessions that
    have not changed are skipped, so a stopped run can be resumed.
    """
    with opened_at(memory_or_new()) as memory:
        chosen = _named(files) if files else memory.session_files.of_project(Home.of_user())
        with progress("Reading", "sessions") as tell:
            done = memory.session_indexing.index(chosen, reporting(tell))
    if as_json:
        print_json({"taken": done.taken, "known": done.known, "left": list(done.left)})
        return
    for line in done.left:
        note(one_line(line))
    known = f", {done.known:,} already indexed" if done.known else ""
    note(f"Indexed {plural(done.taken, 'session')}{known}.")


@sessions_command.command(
    "search", cls=QueryCommand, short_help="Search messages of indexed sessions."
)
@click.argument("query", nargs=-1, type=click.UNPROCESSED)
@click.option("--limit", type=Number(min=1), default=20, show_default=True)
@click.option("--offset", type=Number(min=0), default=0, help="Rows to skip.")
@json_option
@dir_option
def search_command(query: tuple[str, ...], limit: int, offset: int, as_json: bool) -> None:
    """Search messages of indexed sessions, with the message before and after."""
    with opened() as memory:
        words = f"in:sessions {' '.join(query)}"
        missed = memory.parse_query(words).unfinished
        found = memory.search(words, limit, offset, facets=())
        around = memory.sessions.around(found.hits)
        texts = {hit.entry.id: memory.get(hit.entry.id).content for hit in found.hits}
        shown = [(hit, texts[hit.entry.id], *around[hit.entry.id]) for hit in found.hits]
        waiting = 0 if found.total else len(_not_indexed(memory))
        writable = not waiting or memory.state().writable
    understood_as = understood(found, datetime.now(UTC))
    if as_json:
        print_json(
            {
                "query": " ".join(query),
                "understood": understood_as,
                "total": found.total,
                "hits": [_hit_record(*item) for item in shown],
            }
        )
        return
    _print_hits(shown)
    total = plural(found.total, "message")
    counted = f"{count(len(shown))} of {total}" if len(shown) < found.total else total
    note(" · ".join((counted, understood_as, *map(sentence, missed))))
    _print_waiting(waiting, writable)


@sessions_command.command(
    "last", epilog=_LAST_EPILOG, short_help="Show the last messages of the last session."
)
@click.argument("agent", required=False)
@json_option
@dir_option
def last_command(agent: str | None, as_json: bool) -> None:
    """Show the last messages of the last session, if it ran in the last seven days.

    AGENT is the client, such as claude-code. Default: the one that ran last.
    """
    with opened() as memory:
        found = memory.continuation.recover(agent)
    if found is None:
        _check_known(agent)
        of_agent = f" of {agent}" if agent else ""
        note(
            f"No session{of_agent} ran in the last seven days that could be recovered. "
            "Hooks save them: `memtui hooks install`."
        )
    if as_json:
        print_json(found and _checkpoint_record(found))
    elif found is not None:
        _print_checkpoint(found)


@sessions_command.command("earlier")
@json_option
@dir_option
def earlier_command(as_json: bool) -> None:
    """List folders that this project may have had before.

    Folders that were moved, renamed or deleted, and names that fit several, each with why.
    """
    with opened_at(memory_or_new(adding=False)) as memory:
        found = memory.session_files.earlier_folders(Home.of_user())
    if as_json:
        print_json(
            [
                {
                    "folder": str(item.folder),
                    "sessions": len(item.files),
                    "standing": str(item.standing),
                    "answered": item.is_answered,
                    "why": [sentence(why) for why in item.reasons],
                }
                for item in found
            ]
        )
        return
    for entry in found:
        say(f"{paint(state_word(entry), bold=True)}  {one_line(str(entry.folder))}")
        say(paint(f"{_INDENT}{plural(len(entry.files), 'session')}{_why(entry)}", dim=True))
    if not found:
        note("No earlier folder of this project found.")
    elif any(one.standing == "offered" for one in found):
        note("`memtui sessions adopt FOLDER` counts them as this project's, `refuse` does not.")


def state_word(earlier: Earlier) -> str:
    """Return the state of an earlier folder in a word: `adopted` where a person decided."""
    if earlier.is_answered and earlier.standing == "taken":
        return "adopted"
    return str(earlier.standing)


def _why(earlier: Earlier) -> str:
    return one_line("".join(f" · {sentence(why)}" for why in earlier.reasons))


@sessions_command.command("adopt")
@click.argument("place", metavar="FOLDER", type=click.Path(path_type=Path))
@click.option("--undo", "is_undo", is_flag=True, help="Take back what was said of FOLDER.")
@never_asks_option
@dir_option
def adopt_command(place: Path, is_undo: bool) -> None:
    """Count what ran in FOLDER as this project's sessions.

    FOLDER is where the project was before, or a client's folder of sessions. Of another home
    folder, all projects in it are taken for those of the same path in yours. It is remembered.
    """
    home, chosen = Home.of_user(), _absolute(place)
    with opened_at(memory_or_new(adding=False)) as memory:
        if is_undo:
            memory.session_files.forget_answer(home, chosen)
            note(f"{chosen} is undecided again.")
            return
        memory.session_files.adopt(home, chosen)
        found = next(
            (item for item in memory.session_files.earlier_folders(home) if item.folder == chosen),
            None,
        )
    number = plural(len(found.files) if found else 0, "session")
    note(f"Adopted {chosen}: {number}. Undo with `memtui sessions adopt {place} --undo`.")


@sessions_command.command("refuse")
@click.argument("place", metavar="FOLDER", type=click.Path(path_type=Path))
@never_asks_option
@dir_option
def refuse_command(place: Path) -> None:
    """Leave what ran in FOLDER out, and don't offer it again."""
    chosen = _absolute(place)
    with opened_at(memory_or_new(adding=False)) as memory:
        memory.session_files.refuse(Home.of_user(), chosen)
    note(f"Refused {chosen}. Undo with `memtui sessions adopt {place} --undo`.")


def _absolute(place: Path) -> Path:
    return Path(normpath(expanded(place).absolute()))


def print_offered(offered: Sequence[Earlier]) -> None:
    """Say which earlier folders may be of this project, and how to take or refuse them."""
    for item in offered[:_MOST_OFFERED]:
        number = plural(len(item.files), "session")
        note(f"{number} of {one_line(str(item.folder))} may be of this project{_why(item)}.")
    if offered:
        note("`memtui sessions adopt FOLDER` takes them, `memtui sessions refuse FOLDER` does not.")


def _not_indexed(memory: Memory) -> list[SessionFile]:
    """Return the files of sessions that the index has not read as they are now."""
    return memory.session_indexing.to_index(memory.session_files.of_project(Home.of_user()))


def _found(memory: Memory, limit: int) -> tuple[list[SessionDigest], int]:
    """Return the sessions kept and found, newest first, at most `limit` (0: all); how many wait."""
    files = memory.session_files.of_project(Home.of_user())
    listing = Listing(memory.sessions.listing(files))
    waiting = listing.waiting
    looked_at = waiting[: limit or None]
    with progress("Reading", "sessions") as tell:
        for at, file in enumerate(looked_at):
            tell(at, len(looked_at))
            try:
                listing.add(file, memory.sessions.read_digest(file))
            except Unreadable as error:
                note(one_line(error.message))
    digests = [row.digest for row in listing.sessions() if row.digest is not None]
    found = sorted(digests, key=lambda item: (ended(item), item.id), reverse=True)
    return found[: limit or None], len(waiting)


def _record(digest: SessionDigest) -> dict[str, object]:
    return {
        "id": digest.id,
        "agent": digest.agent,
        "branch": digest.branch,
        "issue": digest.issue,
        "started": time_field(digest.started),
        "ended": time_field(digest.ended),
        "asked": list(digest.asked),
        "changed": dict(digest.changed),
        "read": dict(digest.read),
        "memories": list(digest.memories),
        "recalls": list(digest.recalls),
        "path": digest.path,
    }


def _lines(digests: Sequence[SessionDigest], width: int | None) -> list[str]:
    now = datetime.now(UTC)
    table = aligned(
        [
            (
                age(ended(item), now) if item.ended else "",
                lasted(item.started, item.ended),
                one_line(item.agent),
                f"#{item.issue}" if item.issue else "",
                _figures(item),
                one_line(item.branch, 24),
            )
            for item in digests
        ]
    )
    lines = []
    for digest, cells in zip(digests, table, strict=True):
        head = _INDENT.join(cells) + _INDENT + ("  " if digest.ended_well else "! ")
        asked = one_line(digest.asked[0]) if digest.asked else ""
        if width is not None:
            asked = fit(asked, max(12, width - cell_len(head))).rstrip()
        lines.append(paint(head, dim=True) + asked)
    return lines


def _figures(digest: SessionDigest) -> str:
    """Files changed, memories captured, recalls given: `3 files, 2 memories, 1 recall`."""
    counts = (
        plural(len(digest.changed), "file") if digest.changed else "",
        memories(len(digest.memories)) if digest.memories else "",
        plural(len(digest.recalls), "recall") if digest.recalls else "",
    )
    return ", ".join(filter(None, counts))


def _print_waiting(waiting: int, writable: bool) -> None:
    if waiting:
        then = "Run `memtui sessions index`" if writable else "Memory is read-only"
        note(f"{plural(waiting, 'session')} not indexed yet. {then}.")


def _hit_record(hit: Hit, text: str, before: str, after: str) -> dict[str, object]:
    return {
        "id": hit.entry.id,
        "kind": "message",
        "sessionId": session_of(hit.entry.id),
        "agent": hit.entry.agent,
        "branch": next(iter(hit.entry.tags), ""),
        "issue": hit.entry.issue_number,
        "role": hit.entry.category,
        "timestamp": format_time(hit.entry.timestamp),
        "text": text or hit.snippet,
        "before": before,
        "after": after,
        "score": hit.score,
    }


def _print_hits(shown: Sequence[tuple[Hit, str, str, str]]) -> None:
    now = datetime.now(UTC).astimezone()
    width = (terminal_width() or 100) - 12
    last = ""
    for hit, text, before, after in shown:
        entry = hit.entry
        session = session_of(entry.id)
        if session != last:
            branch = f" · {one_line(entry.tags[0])}" if entry.tags else ""
            when = moment(entry.timestamp, now)
            say(
                paint(f"{when} {one_line(entry.agent)}", bold=True)
                + paint(f"{branch} · {one_line(session)}", dim=True)
            )
            last = session
        if before:
            say(paint(f"{_INDENT}  {one_line(before, width)}", dim=True))
        what = marked(hit.snippet, hit.marks) if hit.marks else one_line(text, width)
        say(f"{_INDENT}{paint('>', fg='yellow')} {what}")
        if after:
            say(paint(f"{_INDENT}  {one_line(after, width)}", dim=True))


def _named(paths: Sequence[Path]) -> list[SessionFile]:
    """The session files that are named, or lie in the folders that are. Raises `NotFound`."""
    found: list[SessionFile] = []
    for path in paths:
        if not path.exists():
            raise NotFound(f"There is no {path}.", "Give a session file or a folder of them.")
        found += transcripts_in(path) if path.is_dir() else files_at([path.absolute()], "")
    return found


def reporting(tell: Progress, stops: Sequence[int] = ()) -> GoesOn:
    """Make a callback that shows progress, and stops the work once `stops` holds anything."""

    def should_continue(done: int, total: int) -> bool:
        tell(done, total)
        return not stops

    return should_continue


def _check_known(agent: str | None) -> None:
    """Check that an agent without checkpoints is at least a client. Raises `NotFound`."""
    if agent is None or agent in NAMES:
        return
    meant = nearest(agent, NAMES)
    hint = f"Did you mean {meant}?" if meant else f"Clients are {', '.join(NAMES)}."
    raise NotFound(f"No session is saved of an agent {agent}, and no client has that name.", hint)


def _checkpoint_record(found: Checkpoint) -> dict[str, object]:
    return {
        "agentId": found.agent,
        "savedAt": round(found.saved_at.timestamp() * 1_000),
        "messages": [message._asdict() for message in found.messages],
        "chatId": found.chat_id or None,
        "modelId": found.model_id or None,
        "branch": found.branch,
        "open": list(found.left_open),
        "ended": found.ended,
    }


def _print_checkpoint(found: Checkpoint) -> None:
    state = "ended" if found.ended else "interrupted or still running"
    facts = [found.agent, found.branch, f"{found.saved_at:%Y-%m-%d %H:%M} UTC", state]
    say(paint(" · ".join(one_line(fact) for fact in facts if fact), bold=True))
    for message in found.messages[-_LAST_MESSAGES:]:
        text = message.text
        if len(text) > _MESSAGE_WIDTH:
            text = f"{text[: _MESSAGE_WIDTH - 1]}…"
        say(f"{paint(f'[{message.role}]:', dim=True)} {visible(text)}")
    for text in found.left_open:
        say(f"{paint('open:', dim=True)} {one_line(text)}")
    if words := _resume(found):
        note(f"Resume it with: {words}")


def _resume(found: Checkpoint) -> str:
    if not found.chat_id or found.agent not in NAMES:
        return ""
    return shlex.join(client_named(found.agent).resume_command(found.chat_id))
