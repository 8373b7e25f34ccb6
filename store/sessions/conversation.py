"""A session as it is read: messages and steps in order, what memory injected, what was captured.

Pure: from what a session file, the index and the log hold to entries; no disk, no clock.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

from store.agents.session import Session, Step
from store.agents.tools import command_of, edits_of, reads_of
from store.agents.transcript import Message, Speaker
from store.model import NONE_INJECTED, SESSION_MARK, TOOL_MARK, InjectedCounts, Observation
from store.redaction.sanitizer import sanitize
from store.sessions.digest import project_file, with_namesakes
from store.sessions.model import REQUEST, SessionDigest
from store.text.failure import failure_line

_SAYS = ("command", "pattern", "query", "url", "prompt", "description", "path", "file_path")
_WIDTH, _OUTPUT = 200, 20_000
"""Characters of a tool's line, and of its answer, that are shown."""


class EntryKind(StrEnum):
    REQUEST = "request"
    ANSWER = "answer"
    TOOL = "tool"
    SUMMARY = "summary"
    TOLD = "told"
    CAPTURED = "captured"


class Outcome(StrEnum):
    DONE = "done"
    FAILED = "failed"
    UNKNOWN = "unknown"


class Entry(NamedTuple):
    """One message, tool call, injected text or memory.

    `line` is that of the session file; `text` the message, what a tool was given, the text that was
    injected (empty where it is gone) or the summary of the memory that was captured. `name` is the
    tool, the name of the injected text or the memory's category; `id` the memory's. `result` is the
    line with the reason why a tool failed, `output` its answer, which is shown by `shown_output`
    alone; `files` are the project's files that it touched. `injected` and `tokens` are of the
    injected text.
    """

    kind: EntryKind
    line: int
    text: str
    at: datetime | None = None
    name: str = ""
    id: str = ""
    outcome: Outcome = Outcome.DONE
    result: str = ""
    output: str = ""
    files: tuple[str, ...] = ()
    injected: InjectedCounts = NONE_INJECTED
    tokens: int = 0


class Injected(NamedTuple):
    """A text that memory injected into a session; empty where it is kept no longer."""

    name: str
    at: datetime | None
    injected: InjectedCounts
    tokens: int
    text: str = ""


class Conversation(NamedTuple):
    """A session opened: its digest, the folder it ran in, its entries in order.

    `whole` is False where its file is gone, so that only messages, or its digest, are left.
    """

    digest: SessionDigest
    entries: tuple[Entry, ...] = ()
    folder: str = ""
    whole: bool = True


def entries_of(session: Session, roots: tuple[str, ...] = ()) -> list[Entry]:
    """Read a session as entries, in the order of its file, without secrets."""
    folders = with_namesakes(session, roots)
    found = [
        *(_message_entry(message) for message in session.messages),
        *map(_aside_entry, session.aside),
        *(
            Entry(EntryKind.SUMMARY, one.line, sanitize(one.text).text.strip(), one.at)
            for one in session.summaries
        ),
        *(_done(step, session, folders) for step in session.steps),
    ]
    return sorted(found, key=lambda entry: entry.line)


def entries_of_messages(messages: Iterable[Observation]) -> list[Entry]:
    """Return the messages of a session as they are indexed: passages of one message are joined."""
    found: list[Entry] = []
    for message in messages:
        line = line_of(message.id)
        if found and found[-1].line == line:
            found[-1] = found[-1]._replace(text=f"{found[-1].text}\n{message.content}")
        else:
            kind = EntryKind.REQUEST if message.category == REQUEST else EntryKind.ANSWER
            found.append(Entry(kind, line, message.content, message.timestamp))
    return found


def entries_of_digest(digest: SessionDigest) -> list[Entry]:
    asked = [Entry(EntryKind.REQUEST, 0, text) for text in digest.asked]
    answer = [Entry(EntryKind.ANSWER, 0, digest.last)] if digest.last else []
    return [*asked, *answer]


def with_injected(entries: Sequence[Entry], injected: Iterable[Injected]) -> list[Entry]:
    """Return the entries with what memory injected among them, by its time; at the start where that
    is not known.
    """
    placed = list(entries)
    for text in sorted(injected, key=lambda text: text.at.timestamp() if text.at else 0):
        at = _place(placed, text.at)
        line = placed[at - 1].line if at else 0
        entry = Entry(EntryKind.TOLD, line, text.text, text.at, text.name)
        placed.insert(at, entry._replace(injected=text.injected, tokens=text.tokens))
    return placed


def with_captured(
    entries: Sequence[Entry], memories: Iterable[Observation], calls: Mapping[str, int], id: str
) -> list[Entry]:
    """Return the entries with the memories captured from them, each after what it was taken from.

    `calls` are the lines of tool calls by their ids, `id` is the session's.
    """
    after: dict[int, list[Entry]] = {}
    last = max((entry.line for entry in entries), default=0)
    for memory in memories:
        line = source_line(memory.sources, id, calls)
        entry = Entry(
            EntryKind.CAPTURED, line or last, memory.summary, memory.timestamp, memory.category
        )
        after.setdefault(line or last, []).append(entry._replace(id=memory.id))
    placed: list[Entry] = []
    for at, entry in enumerate(entries):
        placed.append(entry)
        following = entries[at + 1].line if at + 1 < len(entries) else None
        if following is None or following > entry.line:
            for line in sorted(line for line in after if line <= entry.line or following is None):
                placed += after.pop(line)
    return placed + [entry for line in sorted(after) for entry in after[line]]


def shown_output(entry: Entry) -> str:
    """Return a tool's output for the screen: without secrets, the beginning of a long one.

    Cleaned only when it is asked for: a session holds more of it than of all else.
    """
    return sanitize(entry.output[:_OUTPUT]).text


def calls_of(session: Session) -> dict[str, int]:
    return {step.call.call_id: step.call.line for step in session.steps if step.call.call_id}


def source_line(sources: Iterable[str], session_id: str, calls: Mapping[str, int]) -> int:
    """Return the first line of a session that a memory's sources name; 0 where they name none."""
    for source in sources:
        if source.startswith(TOOL_MARK) and (line := calls.get(source.removeprefix(TOOL_MARK))):
            return line
        session, _, at = source.removeprefix(SESSION_MARK).rpartition("#")
        if source.startswith(SESSION_MARK) and session == session_id and at.isdecimal():
            return int(at)
    return 0


def session_named(memory: Observation) -> str:
    """Return the session that a memory came from; empty where it names none."""
    for source in memory.sources:
        if source.startswith(SESSION_MARK) and "#" in source:
            return source.removeprefix(SESSION_MARK).rpartition("#")[0]
    return memory.session_id


def line_of(message_id: str) -> int:
    """Return the line that the id of a message names; 0 for any other."""
    line = message_id.rpartition("#")[2].partition(".")[0]
    return int(line) if "#" in message_id and line.isdecimal() else 0


def _message_entry(message: Message) -> Entry:
    kind = EntryKind.REQUEST if message.speaker is Speaker.USER else EntryKind.ANSWER
    return Entry(kind, message.line, sanitize(message.text).text.strip(), message.at)


def _aside_entry(message: Message) -> Entry:
    """The message of a sub-agent, as the output of a tool: its first line, the rest when asked
    for."""
    first = sanitize(message.text).text.strip().partition("\n")[0]
    name = message.speaker.value
    return Entry(EntryKind.TOOL, message.line, first, message.at, name, output=message.text)


def _done(step: Step, session: Session, roots: tuple[str, ...]) -> Entry:
    call, result = step.call, step.result
    outcome = (
        Outcome.FAILED if step.has_failed else Outcome.UNKNOWN if result is None else Outcome.DONE
    )
    paths = [edit.path for edit in edits_of(call)] + list(reads_of(call))
    names = (project_file(path, session, roots) for path in paths)
    files = tuple(dict.fromkeys(filter(None, names)))
    return Entry(
        EntryKind.TOOL,
        call.line,
        _given(step, files),
        call.at,
        call.tool,
        outcome=outcome,
        result=_failure_line(result.text) if result is not None and step.has_failed else "",
        output="" if result is None else result.text,
        files=files,
    )


def _given(step: Step, files: tuple[str, ...]) -> str:
    """Return a tool's input in one line: its command, its file, or its most specific argument."""
    command = command_of(step.call)
    if not command and files:
        return ", ".join(files)
    return " ".join(
        sanitize((command or _main_argument(step.call.arguments))[:_WIDTH]).text.split()
    )


def _main_argument(arguments: Mapping[str, Any]) -> str:
    named = (arguments.get(key) for key in _SAYS)
    return next(
        (
            argument
            for argument in (*named, *arguments.values())
            if isinstance(argument, str) and argument
        ),
        "",
    )


def _failure_line(output: str) -> str:
    """Return the line of a failed tool's answer that names the error."""
    line = failure_line(output[:_OUTPUT]) or output.strip().partition("\n")[0]
    return sanitize(line[: 4 * _WIDTH]).text[:_WIDTH]


def _place(entries: Sequence[Entry], at: datetime | None) -> int:
    if at is None:
        return 0
    later = (place for place, entry in enumerate(entries) if entry.at and entry.at > at)
    return next(later, len(entries) if any(entry.at for entry in entries) else 0)
