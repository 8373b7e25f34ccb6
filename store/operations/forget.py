"""Forgetting for good: what came from an observation is taken out of all else that is kept.

A removal leaves the text in the journal, so that it can be taken back, in the texts of injections
and in the digests of sessions; forgetting takes it out of these too. The words of another memory
stay, wherever they are.

It is noted before anything is taken out, and each step finds what is left by what the later steps
take out: so it can be begun again at any step, and `finish` does that where one broke off.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from store.action import Action, ActionKind
from store.activity.log import activity_entry
from store.backends import open_backend
from store.backends.activity import newest_lines
from store.backends.approved_files import change_all
from store.backends.log_summary import entries_of
from store.backends.protocol import Backend
from store.backends.text_kinds import TextKind, text_at, text_path, unpacked
from store.backends.user_data import everywhere_folder, kept_projects, mine_memory
from store.errors import Conflict, NotFound, StoreError, Unopened, Unreadable
from store.model import Level, Location
from store.notice import notice, notice_record
from store.operations.apply import Applied, carry_out
from store.operations.changes import Where, action_on, locate
from store.operations.clarifications import (
    bodies_of_sources,
    clarifications_holding,
    forget_in_clarifications,
    without_text,
)
from store.operations.journal import operation_ids, operations, read_operation, write_operation
from store.operations.operation_record import Operation
from store.operations.passages import Passages, in_json, lines_of
from store.operations.plan import Change, FileChange, Plan, has_same_content
from store.operations.write_ahead import begin, discard
from store.platform.git_command import ask_git, find_repository
from store.records import LEVEL, InvalidRecord, as_json, from_record

_OF_SESSIONS = (TextKind.SESSIONS, TextKind.MESSAGES, TextKind.CHECKPOINTS)
"""Kinds of texts that hold more than what is forgotten: the rest of each is kept."""
_NONE = Passages((), ())


@dataclass(frozen=True, slots=True)
class Traces:
    """The places of what came from observations, but for the records: names relative to the store.

    `operations` keep it to be taken back, `texts` are injections, digests, messages and checkpoints
    of sessions, `stay` is what can't be changed here: what was set aside because it can't be read.
    `also` are ids of other observations with the same words, which stay; `commits` of git hold it;
    `clarifications` are the ids of those whose threads do.
    """

    passages: Passages
    operations: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    stay: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()
    clarifications: tuple[str, ...] = ()


def plan_forget(where: Where, identifiers: Sequence[str]) -> Plan:
    """Return a plan that removes observations from issue and archive, keeping nothing of them.

    Raises `NotFound`, or `Unreadable` where one may be in a file that can't be read.
    """
    changes = []
    for identifier, records, _, _ in locate(where, identifiers):
        for location in Location:
            record = records.find(location, identifier)
            if record is not None:
                change = Change(location, records.issue, identifier, record, None, forget=True)
                changes.append(change)
    return Plan(action_on(ActionKind.FORGET, changes), tuple(changes), (notice("for-good"),))


def find_traces(backend: Backend, plan: Plan, agent: str = "") -> Traces:
    """Find all other places of what a plan forgets. Changes nothing.

    Of an `agent` that forgets its own, only what came from it by its id, and its own checkpoints:
    the words may be others' as well. Raises `Unreadable` where a folder can't be listed, or a text
    not be opened, just now: what may be there would stay, and nobody would know.
    """
    ids = {change.id for change in plan.changes}
    journal = {name: _operation(backend, name) for name in operation_ids(backend)}
    done = [operation for operation in journal.values() if operation is not None]
    own = list(_versions(plan, done, ids))
    others = list(_other_records(backend, ids))
    changes = [change for one in done for change in one.plan.changes if change.id not in ids]
    kept = (record for change in changes for record in change.records)
    passages = Passages(
        _texts_of([*own, *bodies_of_sources(backend, own)]),
        _texts_of([*(record for _, record in others), *kept]),
    )
    injected = _injected_with(backend, ids)
    if agent:
        named = [one.id for one in done if _has_trace(one, ids, _NONE)]
        return Traces(
            passages,
            _paths(TextKind.OPERATIONS, named),
            (
                *_paths(TextKind.RECALLS, sorted(injected)),
                *_paths(TextKind.CHECKPOINTS, _checkpoints_of(backend, agent)),
            ),
        )
    telling = [
        name
        for name, operation in journal.items()
        if (
            _has_trace(operation, ids, passages)
            if operation is not None
            else passages.is_in_file(_text(backend, TextKind.OPERATIONS, name))
        )
    ]
    return Traces(
        passages,
        _paths(TextKind.OPERATIONS, telling),
        tuple(_texts_with(backend, passages, injected)),
        stay=tuple(
            part
            for part, data in (backend.files.set_aside() if backend.files else ())
            if passages.is_in_file(data.decode("utf-8", "replace"))
        ),
        also=tuple(
            str(record["id"])
            for issue, record in others
            if any(map(passages.is_shared_by, _texts_of([record]))) and _is_valid(record, issue)
        ),
        commits=_commits(backend.folder, own),
        clarifications=clarifications_holding(backend, passages),
    )


def _texts_with(backend: Backend, passages: Passages, injected: Container[str]) -> Iterator[str]:
    """Yield the paths of recalls that are `injected` or have passages, and of such texts."""
    recalls = (
        name
        for name in sorted(backend.texts.names(TextKind.RECALLS))
        if name in injected or passages.is_in(_text(backend, TextKind.RECALLS, name))
    )
    yield from _paths(TextKind.RECALLS, recalls)
    for kind in (*_OF_SESSIONS, TextKind.INBOX):
        names = sorted(backend.texts.names(kind))
        yield from _paths(kind, (name for name in names if _is_in(passages, backend, kind, name)))


def _paths(kind: TextKind, names: Iterable[str]) -> tuple[str, ...]:
    return tuple(text_path(kind, name) for name in names)


def _checkpoints_of(backend: Backend, agent: str) -> Iterator[str]:
    for name in sorted(backend.texts.names(TextKind.CHECKPOINTS)):
        value = _value(backend, TextKind.CHECKPOINTS, name)
        if isinstance(value, Mapping) and value.get("agentId") == agent:
            yield name


def _is_in(passages: Passages, backend: Backend, kind: TextKind, name: str) -> bool:
    value = _value(backend, kind, name)
    is_damaged = isinstance(value, str)
    return passages.is_in_value(value) or (is_damaged and passages.is_in_file(str(value)))


def forget(backend: Backend, plan: Plan, now: datetime, agent: str = "") -> Applied:
    """Carry out a plan of `plan_forget`; what came from it goes first, the records at last.

    The note of it stays until what is derived from the records is built anew: see
    `complete_forgetting`. Raises `Conflict` where a record is no longer what the plan saw; then
    nothing was changed.
    """
    with backend.locked():
        for change in plan.changes:
            if not has_same_content(_current(backend, change), change.before):
                raise Conflict("Nothing changed.", "Reload and repeat your change.")
        operation = begin(backend, plan, now)
        try:
            backend.texts.keep(
                TextKind.FORGETTING, operation.id, as_json({"agent": agent}), private=True
            )
        except StoreError as error:
            discard(backend, operation, error)
            raise
        return _carry_out(backend, operation, plan, agent)


def plan_traces(backend: Backend, plan: Plan) -> Plan:
    """Return a plan that has the records which another forgets in every version that the journal
    has: by these, what came from them is found in memories that have none of them.
    """
    issues = {change.id: change.issue for change in plan.changes}
    versions = {
        as_json(record): record for record in _versions(plan, operations(backend), set(issues))
    }
    changes = [
        Change(Location.ISSUE, issues[name], name, dict(record), None, forget=True)
        for record in versions.values()
        if (name := str(record.get("id"))) in issues
    ]
    return replace(plan, changes=tuple(changes))


def forget_traces(backend: Backend, plan: Plan) -> None:
    """Take what came from a plan's observations out of a memory that has none of them. Raises as
    `forget`.
    """
    with backend.locked():
        _take_out(backend, plan, "")


def plan_gone(memories: Mapping[str, int]) -> Plan:
    """Return a plan that forgets observations, by id and issue, that are in no file any more."""
    changes = [
        Change(Location.ISSUE, issue, name, None, None, forget=True)
        for name, issue in memories.items()
    ]
    return Plan(Action(ActionKind.FORGET, {"memories": len(memories)}), tuple(changes))


def forget_in_projects(backend: Backend, plan: Plan) -> None:
    """Take what came from the user's own observations out of the memories of all projects: they
    were injected there. `plan` has their versions, as `plan_traces` finds them.
    """
    is_mine = backend.folder == mine_memory()
    own = [one for one in plan.changes if is_mine or (one.before or {}).get(LEVEL) == Level.MINE]
    for kept in kept_projects() if own else ():
        if kept.memory.is_dir() and kept.memory != backend.folder:
            with suppress(StoreError):  # of one that can't be written nothing is forgotten
                forget_traces(open_backend(kept.memory), replace(plan, changes=tuple(own)))


def complete_forgetting(backend: Backend) -> list[Change]:
    """Go on with what broke off; what was changed. Raises as `forget`.

    `remove_notes` is to follow once what is derived from these was built anew.
    """
    done: list[Change] = []
    for name in backend.texts.names(TextKind.FORGETTING):
        with backend.locked():
            operation = _operation(backend, name)
            if operation is None or operation.plan.kind != ActionKind.FORGET:
                backend.texts.remove(TextKind.FORGETTING, name)
                continue
            changes = operation.plan.changes
            found = [(change, _current(backend, change)) for change in changes]
            left = tuple(replace(change, before=record) for change, record in found if record)
            plan = replace(operation.plan, changes=left or changes)
            agent = str(json.loads(backend.texts.read(TextKind.FORGETTING, name)).get("agent", ""))
            _carry_out(backend, operation, plan, agent)
            done += changes
    return done


def remove_notes(backend: Backend) -> None:
    """Remove the notes of what is being forgotten: nothing derived holds it any more.

    Raises as writing does.
    """
    with backend.locked():
        for name in backend.texts.names(TextKind.FORGETTING):
            backend.texts.remove(TextKind.FORGETTING, name)


def _carry_out(backend: Backend, operation: Operation, plan: Plan, agent: str) -> Applied:
    """Texts, then the journal, then the records: what leads to a step's texts goes after it."""
    _take_out(backend, plan, agent)
    return carry_out(backend, replace(operation, plan=plan))


def _take_out(backend: Backend, plan: Plan, agent: str) -> None:
    traces = find_traces(backend, plan, agent)
    for path in traces.texts:
        _forget_text(backend, *text_at(path), traces.passages)
    forget_in_clarifications(backend, traces.clarifications, traces.passages)
    if not agent:
        change_all(traces.passages.without)
    if not agent and everywhere_folder().is_dir():
        _forget_everywhere(open_backend(everywhere_folder()), traces.passages)
    ids = {change.id for change in plan.changes}
    for path in traces.operations:
        kind, name = text_at(path)
        kept = _operation(backend, name)
        if kept is None:
            backend.texts.remove(kind, name)
        else:
            passages = traces.passages if not agent else _NONE
            write_operation(backend, _without(kept, ids, passages))


def _current(backend: Backend, change: Change) -> Mapping[str, Any] | None:
    return backend.read(change.issue).find(change.location, change.id)


def _forget_text(backend: Backend, kind: TextKind, name: str, passages: Passages) -> None:
    """Take passages out of a text; an injection, what waits for approval, and what can't be read,
    goes whole.
    """
    value = _value(backend, kind, name)
    if kind in (TextKind.RECALLS, TextKind.INBOX) or isinstance(value, str):
        backend.texts.remove(kind, name)
        return
    left = passages.without_value(value)
    if kind is TextKind.MESSAGES:
        lines = b"".join(json.dumps(message).encode("ascii") + b"\n" for message in left)
        backend.texts.keep(kind, name, gzip.compress(lines, mtime=0), private=True)
        with suppress(NotFound):  # the index of sessions follows the digests' stamps
            digest = backend.texts.read(TextKind.SESSIONS, name)
            backend.texts.keep(TextKind.SESSIONS, name, digest)
    else:
        backend.texts.keep(kind, name, as_json(left), private=kind is TextKind.CHECKPOINTS)


def _forget_everywhere(backend: Backend, passages: Passages) -> None:
    """Take passages out of the digests that are kept of the sessions of all projects."""
    with backend.locked():
        for name in backend.texts.names(TextKind.SESSIONS):
            if _is_in(passages, backend, TextKind.SESSIONS, name):
                _forget_text(backend, TextKind.SESSIONS, name, passages)


def _without(operation: Operation, ids: set[str], passages: Passages) -> Operation:
    """Return an operation that keeps nothing of some observations, nor of their passages."""
    plan = operation.plan
    changes = tuple(
        replace(change, before=None, after=None, forget=True) if change.id in ids else change
        for change in plan.changes
    )
    notes = tuple(note for note in plan.notes if not passages.is_in_value(notice_record(note)))
    title = "" if passages.is_in(plan.action.title) else plan.action.title
    texts = tuple(
        replace(
            text,
            before=passages.without_value(text.before),
            after=passages.without_value(text.after),
        )
        for text in plan.texts
    )
    asked = tuple(without_text(clarification, passages) for clarification in plan.clarifications)
    lines = tuple(
        line for line in plan.lines if line.memory not in ids and not passages.is_in(line.text)
    )
    rest = replace(
        plan,
        action=plan.action._replace(title=title),
        changes=changes,
        notes=notes,
        texts=texts,
        clarifications=asked,
        lines=lines,
        files=tuple(file for file in plan.files if not _is_in_file_change(passages, file)),
    )
    return replace(operation, plan=rest)


def _has_trace(operation: Operation, ids: set[str], passages: Passages) -> bool:
    """Return whether the operation keeps an observation, or passages of it elsewhere."""
    plan = operation.plan
    if any(change.id in ids and change.records for change in plan.changes):
        return True
    if any(line.memory in ids or passages.is_in(line.text) for line in plan.lines):
        return True
    if any(_is_in_file_change(passages, file) for file in plan.files):
        return True
    texts = [(text.before, text.after) for text in plan.texts]
    texts += [(clarification.before, clarification.after) for clarification in plan.clarifications]
    return passages.is_in_value([plan.action.title, *map(notice_record, plan.notes), *texts])


def _is_in_file_change(passages: Passages, change: FileChange) -> bool:
    return passages.is_in_value([change.before, change.after, change.above, change.below])


def _operation(backend: Backend, name: str) -> Operation | None:
    """Return an operation of the journal; None for one that is damaged. Raises `Unopened`."""
    try:
        return read_operation(backend, name)
    except Unopened:
        raise
    except (NotFound, Unreadable):
        return None


def _versions(
    plan: Plan, journal: Iterable[Operation], ids: set[str]
) -> Iterator[Mapping[str, Any]]:
    """The records that a plan forgets, as they are and as the journal has them from before."""
    yield from (change.before for change in plan.changes if change.before is not None)
    for operation in journal:
        for change in operation.plan.changes:
            if change.id in ids:
                yield from change.records


def _other_records(backend: Backend, ids: set[str]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the records of all others, valid or not, each with its issue."""
    for issue in sorted(backend.issues()):
        for _, raw in backend.read(issue).distinct():
            record = raw.value
            if isinstance(record, Mapping) and record.get("id") not in ids:
                yield issue, record


def _is_valid(record: Mapping[str, Any], issue: int) -> bool:
    try:
        from_record(record, issue)
    except InvalidRecord:
        return False
    return True


def _texts_of(records: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    for record in records:
        yield from (it for key in ("content", "summary") if isinstance(it := record.get(key), str))


def _injected_with(backend: Backend, ids: set[str]) -> set[str]:
    """Return the names of injected texts that hold observations, shortened perhaps, by the log."""
    lines = (line for line in newest_lines(backend.log) if b'"text"' in line)
    entries = map(activity_entry, entries_of(lines))
    names = {entry.text for entry in entries if not ids.isdisjoint(entry.ids)}
    return names.intersection(backend.texts.names(TextKind.RECALLS))


def _value(backend: Backend, kind: TextKind, name: str) -> object:
    """A text of a session as JSON, of messages each of its lines; as it is where it is none."""
    text = _text(backend, kind, name)
    try:
        if kind is TextKind.MESSAGES:
            return [json.loads(line) for line in text.splitlines() if line.strip()]
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _text(backend: Backend, kind: TextKind, name: str) -> str:
    """Return a named text; empty where it is gone or is none. Raises `Unopened`."""
    try:
        return unpacked(kind, backend.texts.read(kind, name)).decode("utf-8", "replace")
    except Unopened:
        raise
    except (NotFound, Unreadable):
        return ""


def _commits(folder: Path, records: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Return the commits of git that added or removed what is forgotten, newest first."""
    if find_repository(folder) is None:
        return ()
    texts = (
        [line for text in _texts_of([record]) for line in lines_of(text)] for record in records
    )
    lines = filter(None, (max(found, key=len, default="") for found in texts))
    found: dict[str, None] = {}
    for form in dict.fromkeys(form for line in lines for form in in_json(line)):
        texts_as_they_are = ["--no-textconv", "--no-ext-diff", "-S", form]
        asked = ["log", "--all", "--format=%h", *texts_as_they_are, "--", "."]
        if out := ask_git(folder, asked):
            found.update(dict.fromkeys(out.decode("ascii", "replace").split()))
    return tuple(found)
