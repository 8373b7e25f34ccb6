"""From the messages and tool calls of a session to its digest. Pure: no disk, no clock."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from store.agents.changed_files import changed_files
from store.agents.paths import is_elsewhere, project_path
from store.agents.session import Session, Step
from store.agents.shell import commit_message
from store.agents.tools import command_of, edits_of, reads_of, tool_name
from store.agents.transcript import Event, Speaker
from store.redaction.labels import clean_label
from store.redaction.sanitizer import sanitize
from store.sessions.digest_record import MAX_BYTES, digest_bytes
from store.sessions.model import ANSWER, REQUEST, Passage, SessionDigest
from store.text.shortening import shorten

MAX_PASSAGE = 1_600
"""Characters of a message that are indexed as one; a longer one becomes passages."""
_REQUEST_WIDTH, _STATEMENT_WIDTH, _LAST_WIDTH = 240, 200, 600
_MOST_REQUESTS, _MOST_FILES, _MOST_STATEMENTS, _MOST_IDS = 20, 40, 8, 50
_DELETED, _MOVED = "deleted", "moved"
_WRITERS = frozenset({"write", "writefile", "createfile"})
_IN_PLACE = re.compile(r"\b(?:sed|perl)\s+(?:\S+\s+)*?(?:-\w*i|--in-place)|\bgit\s+(?:add|mv)\b")
_WIDTH = ""
_SHORTER: tuple[tuple[str, int], ...] = (
    ("read", 15),
    ("asked", 8),
    ("memories", 15),
    ("created", 8),
    ("removed", 8),
    ("changed", 20),
    ("failed", 4),
    ("decided", 4),
    ("read", 6),
    (_WIDTH, 120),
    ("asked", 3),
    ("recalls", 5),
    ("memories", 5),
    ("commits", 2),
    ("changed", 8),
    (_WIDTH, 60),
    ("read", 0),
    ("changed", 3),
    ("created", 0),
    ("removed", 0),
    ("memories", 0),
    ("recalls", 0),
    ("extra", 0),
    ("path", 0),
    (_WIDTH, 30),
    ("changed", 0),
)
"""What is left out of a digest that is too long, in this order: values of a field down to so many,
or characters of each text.
"""


class Context(NamedTuple):
    """What is not in a session file: where it lies, what came of it, the project's roots.

    `size` in bytes, `project` a folder. `failed` and `decided` are what its reading taught, a
    sentence each.
    """

    issue: int = 0
    roots: tuple[str, ...] = ()
    path: str = ""
    size: int = 0
    project: str = ""
    failed: Sequence[str] = ()
    decided: Sequence[str] = ()
    memories: Sequence[str] = ()
    recalls: Sequence[str] = ()
    extra: Mapping[str, Any] = MappingProxyType({})


def digest_of(session: Session, context: Context) -> SessionDigest:
    """Return the digest of a session, without secrets and private text, its record at most 4 KB."""
    messages = session.messages
    events: list[Event] = [*messages, *(step.call for step in session.steps)]
    times = [event.at for event in events if event.at]
    requests = [message.text for message in messages if message.speaker is Speaker.USER]
    answers = [message.text for message in messages if message.speaker is Speaker.AGENT]
    touched = files_of(session, context.roots)
    changed = _most(touched.changed)
    return fitting(
        SessionDigest(
            id=clean_label(session.id),
            agent=session.agent,
            model=clean_label(session.model),
            branch=_clean(session.branch, 120),
            issue=context.issue,
            started=min(times, default=None),
            ended=max(times, default=None),
            ended_well=_has_ended_well(session),
            asked=_texts(requests, _REQUEST_WIDTH, _MOST_REQUESTS),
            changed=changed,
            created=tuple(path for path in touched.created if path in changed),
            removed=touched.removed[-_MOST_FILES:],
            read=_most(touched.read),
            failed=_texts(context.failed, _STATEMENT_WIDTH, _MOST_STATEMENTS),
            decided=_texts(context.decided, _STATEMENT_WIDTH, _MOST_STATEMENTS),
            last=_clean(answers[-1], _LAST_WIDTH) if answers else "",
            commits=_texts(_commits(session), 120, _MOST_STATEMENTS),
            memories=tuple(context.memories)[:_MOST_IDS],
            recalls=tuple(context.recalls)[:_MOST_IDS],
            messages=len(messages),
            path=clean_label(context.path),
            size=context.size,
            project=clean_label(context.project),
            extra=context.extra,
        )
    )


def passages_of(session: Session, roots: tuple[str, ...] = ()) -> list[Passage]:
    """Return the messages of a session in order, cleaned, long ones in passages of up to 1,600
    characters; then those of its sub-agents. A message is followed by the files that were changed
    before the next.
    """
    marks = [message.line for message in session.messages]
    files = _files_after(session, marks, with_namesakes(session, roots))
    found = []
    for message in (*session.messages, *session.aside):
        role = REQUEST if message.speaker is Speaker.USER else ANSWER
        for part, text in enumerate(_passages(sanitize(message.text).text)):
            at = files.get(message.line, ()) if part == 0 else ()
            found.append(Passage(message.line, role, text, message.at, part, at))
    return found


class TouchedFiles(NamedTuple):
    """The project's files in a session: how often each was changed and read, which it made, and
    which were gone in the end, folders that were moved too, but for what it had made itself.
    """

    changed: Counter[str]
    read: Counter[str]
    created: tuple[str, ...]
    removed: tuple[str, ...]


def files_of(session: Session, roots: tuple[str, ...]) -> TouchedFiles:
    """Return the project's files that a session changed and read.

    Scratch scripts and outputs are left out, and what it made and removed again. It made what it
    wrote whole without having read it or changed a part of it before.
    """
    roots = with_namesakes(session, roots)
    changed: Counter[str] = Counter()
    read: Counter[str] = Counter()
    created: dict[str, None] = {}
    removed: dict[str, None] = {}
    for step in session.steps:
        if step.has_failed:
            continue
        for path, how in _changes(session, step, roots):
            _note_removed(removed, path, how, (changed, read))
            is_new = path not in changed and path not in read
            if not _is_file(path) or (is_new and how == _DELETED):
                continue
            if is_new and _is_whole_write(step, how):
                created[path] = None
            changed[path] += 1
        for path in reads_of(step.call):
            if name := project_file(path, session, roots):
                read[name] += 1
    scratch = [path for path in created if any(f"{path}/".startswith(f"{of}/") for of in removed)]
    for path in scratch:
        for seen in (changed, read, created, removed):
            seen.pop(path, None)
    kept = {_clean(path, 200) for path in changed_files(session, roots)} | removed.keys()
    return TouchedFiles(
        Counter({path: number for path, number in changed.items() if path in kept}),
        read,
        tuple(path for path in created if path in kept),
        tuple(removed),
    )


def _note_removed(
    removed: dict[str, None], path: str, how: str, seen: Iterable[Counter[str]]
) -> None:
    """Note that a file or folder is removed, or there again: of a folder something is in again,
    what was seen in it is removed still.
    """
    if how == _DELETED:
        removed[path] = None
        return
    removed.pop(path, None)
    for folder in [gone for gone in removed if path.startswith(f"{gone}/")]:
        del removed[folder]
        inside = (
            name for of in seen for name in of if name.startswith(f"{folder}/") and name != path
        )
        removed.update(dict.fromkeys(inside))


def _is_whole_write(step: Step, how: str) -> bool:
    """Return whether a change of a file wrote all of it."""
    if how == "created":
        return True
    command = command_of(step.call)
    if command:
        return "*** Begin Patch" not in command and not _IN_PLACE.search(command)
    return tool_name(step.call) in _WRITERS


def fitting(digest: SessionDigest) -> SessionDigest:
    """The digest with as much left out, the least useful first, as its record needs to fit."""
    for field, least in _SHORTER:
        while len(digest_bytes(digest)) > MAX_BYTES:
            less = _shorter(digest, field, least)
            if less == digest:
                break
            digest = less
    return digest


def _changes(session: Session, step: Step, roots: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Yield what a step does to files, and the folders that it moves away: one that is removed
    (`build`, a checkout) is mostly made anew.
    """
    edits = [(_project_name(edit.path, session, roots), edit.how) for edit in edits_of(step.call)]
    for at, (name, how) in enumerate(edits):
        is_moved = how == _DELETED and any(
            next_how == _MOVED for _, next_how in edits[at + 1 : at + 2]
        )
        if _is_file(name) or (name and is_moved):
            yield name, how


def project_file(path: str, session: Session, roots: tuple[str, ...]) -> str:
    """A path in a session as the project writes it; empty for what is no file of the project."""
    name = _project_name(path, session, roots)
    return name if _is_file(name) else ""


def _project_name(path: str, session: Session, roots: tuple[str, ...]) -> str:
    """Return a file or folder as the project writes it; empty for what is outside of it."""
    name = project_path(path, session.folder, roots)
    return "" if is_elsewhere(name) else _clean(name, 200)


def _is_file(name: str) -> bool:
    """The name is that of a file, as far as one can see: one without an ending is a folder."""
    return "." in name.rpartition("/")[2]


def with_namesakes(session: Session, roots: tuple[str, ...]) -> tuple[str, ...]:
    """Return a project's roots and the folders of the same name that files of the session lie in:
    the project was moved, or they are other checkouts of it.
    """
    folders = (folder.replace("\\", "/").rstrip("/") for folder in (*roots, session.folder))
    names = {folder.rpartition("/")[2] for folder in folders}
    found = dict.fromkeys(roots)
    for step in session.steps:
        for path in (*(edit.path for edit in edits_of(step.call)), *reads_of(step.call)):
            if not is_elsewhere(project_path(path, session.folder, roots)):
                continue
            for name in names:
                before, is_within, _ = path.replace("\\", "/").partition(f"/{name}/")
                if is_within and name.strip(".~"):
                    found[f"{before}/{name}"] = None
    return tuple(found)


def _files_after(
    session: Session, lines: Sequence[int], roots: tuple[str, ...]
) -> dict[int, tuple[str, ...]]:
    """Return the files changed between each message and the next, by the message's line."""
    found: dict[int, dict[str, None]] = {}
    at = -1
    for step in session.steps:
        while at + 1 < len(lines) and lines[at + 1] <= step.call.line:
            at += 1
        if at >= 0 and not step.has_failed:
            for name, _ in _changes(session, step, roots):
                if _is_file(name):
                    found.setdefault(lines[at], {})[name] = None
    return {line: tuple(files) for line, files in found.items()}


def _commits(session: Session) -> Iterator[str]:
    for step in session.steps:
        if not step.has_failed and (message := commit_message(command_of(step.call))):
            yield message


def _has_ended_well(session: Session) -> bool:
    """True if the agent had the last word, and no tool call stayed without an answer after it."""
    if not session.messages:
        return False
    last = session.messages[-1]
    return last.speaker is Speaker.AGENT and not session.has_gone_on_after(last)


def _clean(text: str, width: int) -> str:
    """Return a text in one line without secrets: cut only after they are found."""
    return shorten(sanitize(text[: 8 * width]).text, width)


def _texts(texts: Iterable[str], width: int, most: int) -> tuple[str, ...]:
    """The texts cleaned and shortened, each once; of too many the first and the last ones."""
    found = list(dict.fromkeys(clean for text in texts if (clean := _clean(text, width))))
    half = most // 2
    return tuple(found if len(found) <= most else [*found[:half], *found[-half:]])


def _most(counts: Counter[str]) -> Mapping[str, int]:
    return dict(counts.most_common(_MOST_FILES))


def _passages(text: str) -> list[str]:
    """A text in pieces of at most 1,600 characters, cut between paragraphs, lines or words."""
    found = []
    text = text.strip()
    while len(text) > MAX_PASSAGE:
        head = text[:MAX_PASSAGE]
        cuts = (head.rfind(mark) for mark in ("\n\n", "\n", " "))
        at = next((cut for cut in cuts if cut > MAX_PASSAGE // 3), MAX_PASSAGE)
        found.append(head[:at].rstrip())
        text = text[at:].strip()
    return [*found, text] if text else found


def _shorter(digest: SessionDigest, field: str, least: int) -> SessionDigest:
    """Return the digest with one value less of a field (of requests the middle one), down to
    `least`; all texts cut to `least` characters where the field is `_WIDTH`.
    """
    if field == _WIDTH:
        fields: dict[str, Any] = {
            name: tuple(shorten(text, least) for text in getattr(digest, name))
            for name in ("asked", "failed", "decided", "commits")
        }
        return digest._replace(last=shorten(digest.last, 2 * least), **fields)
    values = getattr(digest, field)
    if len(values) <= least:
        return digest
    if isinstance(values, str | Mapping):
        fields = {field: "" if isinstance(values, str) else dict(list(values.items())[:-1])}
    else:
        at = len(values) // 2 if field == "asked" else len(values) - 1
        fields = {field: (*values[:at], *values[at + 1 :])}
    return digest._replace(**fields)
