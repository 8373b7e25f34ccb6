"""What a session did with a memory that it was given, by what its transcript shows. Pure.

Only what came after the memory was given counts, and only what nothing else had named: for what the
agent opened or ran before, what its user or its instruction files name, it needed no memory. What a
sub-agent did does not count: it was given nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import NamedTuple

from store.agents.session import Session, Step
from store.agents.shell import commands_in
from store.agents.tools import command_of, edits_of, reads_of, tool_name
from store.agents.transcript import Speaker
from store.drift.citations import citations_in
from store.drift.commands import cited_in
from store.model import Observation
from store.platform.json_fields import strings
from store.sessions.digest import project_file, with_namesakes
from store.text.code import code_spans
from store.text.failure import has_failure_words
from store.usage.values import Evidence, Kind, Outcome

_FILES_A_HIT = 2
"""Files that a memory may name for each that has to be opened: of more, one may be chance."""
_AROUND = timedelta(seconds=5)
"""How long before it is recorded that a memory was given, its prompt may have been written."""
_LEAST_ERROR = 16
"""Characters from which a text in backticks is an error that can be recognised."""
_GENERIC = frozenset(
    "awk cat cd cp curl diff echo find gh git grep head kill ls mkdir mv ps pwd rg rm sed sleep"
    " sort tail tee test touch wc which xargs".split()
)
"""Programs that every session runs, with whatever arguments."""
_ANYWHERE = frozenset({"install", "i", "ci", "add", "test"})
"""Tasks of any project, which any session runs."""
_PLACE = "<"
"""What is in a command for what differs each time."""
_SHOW, _ID_AT = "memtui show ", 2


class Recalled(NamedTuple):
    """A memory as a session was given it: in which text, and when."""

    memory: Observation
    text: str
    at: datetime


class Named(NamedTuple):
    """What of a memory can be recognised in a session."""

    files: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()


class Moment(NamedTuple):
    """Something in a session: what its user wrote, or a tool call with the files that it opened
    and changed, the commands that it ran, the ids of memories that it asked for, and what it
    printed where it failed. `aside`: a sub-agent did it.
    """

    at: datetime
    asked: str = ""
    opened: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    failure: str = ""
    aside: bool = False


def named_in(recalled: Recalled) -> Named:
    """Return what a memory names: files in a folder, since bare names are of many files; of what
    the session was given of it commands that name a task or a path, since any session may run `go
    test ./...`, and errors in backticks.
    """
    named = [cited.path for cited in citations_in(recalled.memory.content) if "/" in cited.path]
    files = [path for path in named if not any(each.endswith(f"/{path}") for each in named)]
    spans = [span for span in code_spans(recalled.memory.content) if span in recalled.text]
    commands = (command for span in spans for command in _commands(span))
    return Named(
        tuple(files),
        tuple(dict.fromkeys(filter(_is_own, commands))),
        tuple(span for span in spans if _is_error(span)),
    )


class _Occasion(NamedTuple):
    """The occasion on which a memory was given: the whole session, when it was given, when the user
    asked for something else, and what the client has in its context without memory.
    """

    moments: Sequence[Moment]
    recalled_at: datetime
    until: datetime
    known: str

    def is_after(self, moment: Moment) -> bool:
        """Return whether the agent itself did something for the request that it was given for."""
        return self.recalled_at < moment.at < self.until and not moment.aside


def outcome_of(
    recalled: Recalled, moments: Sequence[Moment], is_common: Callable[[str], bool], known: str = ""
) -> Outcome | None:
    """Return what a session did with a memory; None where the memory names nothing by which that
    can be seen. `is_common` knows of a file's name whether sessions open it without being given,
    `known` is what the client has in its context without memory.
    """
    named = named_in(recalled)
    files = [path for path in named.files if not is_common(path.rpartition("/")[2])]
    later = [moment for moment in moments if moment.at > recalled.at]
    is_read = any(recalled.memory.id.endswith(id_) for moment in later for id_ in moment.shown)
    if not files and not named.commands and not is_read:
        return None
    occasion = _Occasion(moments, recalled.at, _next_request(recalled.at, moments), known)
    found = [_file(path, occasion) for path in files]
    ran = [_command(command, occasion) for command in named.commands]
    hits = [each for each in found if isinstance(each, Evidence)]
    evidence = hits if _is_enough(hits, files) else []
    evidence += [each for each in ran if isinstance(each, Evidence)]
    evidence += [Evidence(Kind.READ, recalled.memory.id)] if is_read else []
    failures = [moment.failure for moment in later if moment.failure]
    met = [each for each in named.errors if any(each in failure for failure in failures)]
    evidence += [Evidence(Kind.CAME_BACK, error) for error in met]
    touched = is_read or any((*found, *ran, *met))
    return Outcome(recalled.memory.category, tuple(evidence), touched)


def _next_request(recalled_at: datetime, moments: Iterable[Moment]) -> datetime:
    """Return when the user asked for something else than the memory was given for."""
    asked = (one.at for one in moments if one.asked and one.at > recalled_at - _AROUND)
    return next(islice(asked, 1, None), datetime.max.replace(tzinfo=UTC))


def _is_enough(hits: Sequence[Evidence], files: Sequence[str]) -> bool:
    """Return whether so many files of a memory were opened that it was no chance: two at least, or
    the only one, and that was changed.
    """
    if len(files) == 1:
        return any(hit.kind is Kind.CHANGED for hit in hits)
    return len(hits) > 1 and len(hits) * _FILES_A_HIT >= len(files)


def _file(path: str, occasion: _Occasion) -> Evidence | bool:
    """Return how a file was used; where that is no evidence, whether it came up at all."""
    name = path.rpartition("/")[2]
    is_asked, is_opened = False, False
    for moment in occasion.moments:
        is_asked = is_asked or name in moment.asked
        is_changed = _has(moment.changed, path)
        if not is_changed and not _has(moment.opened, path):
            continue
        is_new = occasion.is_after(moment) and not is_asked and name not in occasion.known
        if not is_opened and not is_new:
            return True
        is_opened = True
        if is_changed and occasion.is_after(moment):
            return Evidence(Kind.CHANGED, path)
    return Evidence(Kind.OPENED, path) if is_opened else is_asked


def _command(command: str, occasion: _Occasion) -> Evidence | bool:
    """Return how a command ended, as `_file`. A form of many commands, `go test <path>`, tells only
    whether one of them was run.
    """
    command, is_form, _ = command.partition(_PLACE)
    is_asked = False
    for moment in occasion.moments:
        is_asked = is_asked or command in moment.asked
        if is_form and any(each.startswith(command) for each in moment.commands):
            return True
        if command in moment.commands:
            is_new = occasion.is_after(moment) and not is_asked and command not in occasion.known
            return Evidence(Kind.RAN, command, failed=bool(moment.failure)) if is_new else True
    return is_asked


def _has(paths: Iterable[str], path: str) -> bool:
    """Return whether a file is among paths, in full or by an end that names two folders: `a/b.py`
    may be of any folder.
    """
    is_end = path.count("/") > 1
    return any(each == path or (is_end and each.endswith(f"/{path}")) for each in paths)


def _is_error(span: str) -> bool:
    return len(span) >= _LEAST_ERROR and " " in span and has_failure_words(span)


def _commands(line: str) -> Iterator[str]:
    """Yield the commands of a line by which a memory can be recognised."""
    for _, command in commands_in(line):
        words = command.split()
        if len(words) > 1 and words[0] not in _GENERIC:
            yield " ".join(words)


def _is_own(command: str) -> bool:
    """Return whether a command is of its project: a task that a runner's file defines, or it names
    a path.
    """
    tasks = [cited.name for cited in cited_in(f"`{command}`")]
    if tasks:
        return tasks[0] not in _ANYWHERE
    return any("/" in word and any(map(str.isalpha, word)) for word in command.split())


def moments_of(session: Session, roots: tuple[str, ...]) -> list[Moment]:
    """Return what happened in a session, in order; what has no time is left out."""
    folders = with_namesakes(session, roots)
    found = [
        (message.line, Moment(message.at, asked=message.text))
        for message in session.messages
        if message.at and message.speaker is Speaker.USER
    ]
    found += [
        (step.call.line, _moment(step, step.call.at, session, folders))
        for step in session.steps
        if step.call.at
    ]
    return [moment for _, moment in sorted(found, key=lambda pair: pair[0])]


def _moment(step: Step, at: datetime, session: Session, folders: tuple[str, ...]) -> Moment:
    commands = tuple(_commands(command_of(step.call)))
    done = Moment(at, commands=commands, shown=tuple(_shown(step, commands)), aside=step.call.aside)
    if step.has_failed:
        text = step.result.text if step.result is not None else ""
        return done._replace(failure=text or "failed")
    edits = (project_file(edit.path, session, folders) for edit in edits_of(step.call))
    reads = (project_file(path, session, folders) for path in reads_of(step.call))
    return done._replace(opened=tuple(filter(None, reads)), changed=tuple(filter(None, edits)))


def _shown(step: Step, commands: Iterable[str]) -> Iterator[str]:
    """Yield the ids of memories that a call asks for, by command or MCP."""
    for command in commands:
        if command.startswith(_SHOW) and len(words := command.split()) > _ID_AT:
            yield words[_ID_AT]
    if tool_name(step.call) == "memoryget":
        yield from filter(None, strings(step.call.arguments.get("ids")))
