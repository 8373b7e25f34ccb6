"""Forgetting for good: what an observation said is taken out of all that is kept beside it.

A removal leaves the text in the journal, so that it can be taken back, in the texts of injections
and in the digests of sessions; forgetting takes it out of these too.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from store.action import Action, ActionKind
from store.activity import activity_entry
from store.backends.log_summary import entries_of
from store.backends.protocol import Backend
from store.backends.text_kinds import TextKind, text_at, text_path, unpacked
from store.errors import NotFound, Unopened, Unreadable
from store.git_command import ask_git, find_repository
from store.model import Location
from store.notice import notice, notice_record
from store.operations.clarifications import (
    bodies_of_sources,
    clarifications_holding,
    forget_in_clarifications,
    without_text,
)
from store.operations.journal import Operation, operation_ids, read_operation, write_operation
from store.operations.plan import Change, Plan
from store.text.display import visible

if TYPE_CHECKING:
    from pathlib import Path

    from store.operations.changes import Where

_TELLING = 16
"""Characters from which a line says enough to be looked for."""


@dataclass(frozen=True, slots=True)
class Traces:
    """Where the text of observations stands beside the record itself: names relative to the store.

    `operations` keep it to be taken back, `texts` are injections and digests of sessions, `stay`
    is what can't be changed here: what was set aside because it can't be read. `also` are ids of
    other observations that say the same; `commits` of git hold it; `clarifications` are the ids of
    those whose threads do. `said` is what tells that text wherever it stands.
    """

    operations: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    stay: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()
    clarifications: tuple[str, ...] = ()
    said: tuple[str, ...] = ()


def plan_forget(where: Where, identifiers: Sequence[str]) -> Plan:
    """A plan that removes observations from issue and archive, keeping nothing of them.

    Raises `NotFound`, or `Unreadable` where one may stand in a file that can't be read.
    """
    from store.operations.changes import locate

    changes = []
    for identifier, records, _, _ in locate(where, identifiers):
        for location in Location:
            record = records.find(location, identifier)
            if record is not None:
                change = Change(location, records.issue, identifier, record, None, forget=True)
                changes.append(change)
    action = Action(ActionKind.FORGET, {"memories": len(identifiers)})
    return Plan(action, tuple(changes), (notice("for-good"),))


_BESIDE = (TextKind.RECALLS, TextKind.SESSIONS, TextKind.MESSAGES, TextKind.CHECKPOINTS)
"""Kinds of texts that may hold what is forgotten; each of those goes whole."""


def find_traces(backend: Backend, plan: Plan) -> Traces:
    """Where else what a plan forgets is kept. Changes nothing.

    Raises `Unreadable` where a folder can't be listed, or a text not be opened, just now: what may
    stand there would stay, and nobody would be told.
    """
    ids = {change.id for change in plan.changes}
    records = list(_versions(backend, plan, ids))
    said = _said([*records, *bodies_of_sources(backend, records)])
    operations = [name for name in operation_ids(backend) if _tells(backend, name, ids, said)]
    injected = _injected(backend, ids)
    return Traces(
        tuple(text_path(TextKind.OPERATIONS, name) for name in operations),
        tuple(path for kind in _BESIDE for path in _holding(backend, kind, said, injected)),
        tuple(
            part
            for part, data in backend.set_aside()
            if _holds(data.decode("utf-8", "replace"), said)
        ),
        tuple(_also(backend, ids, said)),
        _commits(backend.folder, records),
        clarifications_holding(backend, said),
        said,
    )


def forget_traces(backend: Backend, plan: Plan, traces: Traces) -> None:
    """Take what a plan forgets out of where it is kept. Must hold the store's gate.

    An operation keeps its other changes; a text goes whole. Raises `ReadOnly`, `WriteFailed`,
    `Unopened`.
    """
    ids = {change.id for change in plan.changes}
    for name in traces.operations:
        kind, identifier = text_at(name)
        try:
            operation = read_operation(backend, identifier)
        except Unopened:
            raise  # it keeps other changes too
        except (NotFound, Unreadable):
            backend.forget(kind, identifier)
            continue
        write_operation(backend, _without(operation, ids, traces.said))
    for name in traces.texts:
        backend.forget(*text_at(name))
    forget_in_clarifications(backend, traces.clarifications, traces.said)


def _without(operation: Operation, ids: set[str], said: Sequence[str]) -> Operation:
    """An operation that keeps nothing of some observations, nor of what tells the same."""
    plan = operation.plan
    changes = tuple(
        replace(it, before=None, after=None, forget=True)
        if it.id in ids or _holds(_as_text((it.before, it.after)), said)
        else it
        for it in plan.changes
    )
    notes = tuple(note for note in plan.notes if not _holds(_as_text(notice_record(note)), said))
    title = "" if _holds(plan.action.title, said) else plan.action.title
    action = plan.action._replace(title=title)
    texts = tuple(it for it in plan.texts if not _holds(_as_text((it.before, it.after)), said))
    asked = tuple(without_text(it, said) for it in plan.clarifications)
    rest = replace(
        plan, action=action, changes=changes, notes=notes, texts=texts, clarifications=asked
    )
    return replace(operation, plan=rest)


def _tells(backend: Backend, identifier: str, ids: set[str], said: Sequence[str]) -> bool:
    """Whether the journal keeps an observation by an operation, or what tells the same."""
    try:
        plan = read_operation(backend, identifier).plan
    except (NotFound, Unreadable):
        return _holds(_text(backend, TextKind.OPERATIONS, identifier), said)
    kept = (it for it in plan.changes if it.before is not None or it.after is not None)
    if any(it.id in ids or _holds(_as_text((it.before, it.after)), said) for it in kept):
        return True
    beside = [(it.before, it.after) for it in plan.texts]
    beside += [(it.before, it.after) for it in plan.clarifications]
    if any(_holds(_as_text(pair), said) for pair in beside):
        return True
    return _holds(_as_text((plan.action.title, *map(notice_record, plan.notes))), said)


def _versions(backend: Backend, plan: Plan, ids: set[str]) -> Iterator[Mapping[str, Any]]:
    """The records that a plan forgets, as they are and as the journal has them from before."""
    yield from (change.before for change in plan.changes if change.before is not None)
    for name in operation_ids(backend):
        try:
            changes = read_operation(backend, name).plan.changes
        except Unopened:
            raise
        except (NotFound, Unreadable):
            continue
        for change in changes:
            if change.id in ids:
                yield from (it for it in (change.before, change.after) if it is not None)


def _injected(backend: Backend, ids: set[str]) -> set[str]:
    """The names of injected texts that hold observations, shortened perhaps, by the log."""
    told = (line for line in backend.activity_backwards() if b'"text"' in line)
    entries = map(activity_entry, entries_of(told))
    return {entry.text for entry in entries if not ids.isdisjoint(entry.ids)}


def _holding(
    backend: Backend, kind: TextKind, said: Sequence[str], injected: Collection[str]
) -> Iterator[str]:
    """The texts of a kind that hold any of what was said, or were injected with it."""
    for name in sorted(backend.names(kind)):
        known = kind is TextKind.RECALLS and name in injected
        if known or _holds(_text(backend, kind, name), said):
            yield text_path(kind, name)


def _text(backend: Backend, kind: TextKind, name: str) -> str:
    """A named text; empty where it is gone or is none. Raises `Unopened`."""
    try:
        return unpacked(kind, backend.kept(kind, name)).decode("utf-8", "replace")
    except Unopened:
        raise
    except (NotFound, Unreadable):
        return ""


def _also(backend: Backend, ids: set[str], said: Sequence[str]) -> Iterator[str]:
    """The ids of other observations that say some of the same, such as what they merged into."""
    for issue in sorted(backend.issues()):
        for held in backend.read(issue).held():
            one = held.observation
            if (
                one is not None
                and one.id not in ids
                and _holds(f"{one.content}\n{one.summary}", said)
            ):
                yield one.id


def _commits(folder: Path, records: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """The commits of git that added or took away what is forgotten, newest first."""
    if find_repository(folder) is None:
        return ()
    lines = filter(None, (max(_lines_of(record), key=len, default="") for record in records))
    found: dict[str, None] = {}
    for form in dict.fromkeys(form for line in lines for form in _in_json(line)):
        texts_as_they_are = ["--no-textconv", "--no-ext-diff", "-S", form]
        asked = ["log", "--all", "--format=%h", *texts_as_they_are, "--", "."]
        if out := ask_git(folder, asked):
            found.update(dict.fromkeys(out.decode("ascii", "replace").split()))
    return tuple(found)


def _said(records: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """What tells some records: their texts' lines that say enough, also as JSON."""
    said: dict[str, None] = {}
    for line in (line for record in records for line in _lines_of(record)):
        said |= dict.fromkeys((line, visible(line, newlines=False), *_in_json(line)))
    return tuple(said)


def _lines_of(record: Mapping[str, Any]) -> Iterator[str]:
    """The lines of a record's texts that say enough to tell it."""
    for text in (record.get("content"), record.get("summary")):
        for line in text.splitlines() if isinstance(text, str) else ():
            if len(line := line.strip().rstrip("…")) >= _TELLING:
                yield line


def _in_json(line: str) -> tuple[str, str]:
    """A line as JSON may have it: as it is, or in ASCII alone."""
    return _as_text(line)[1:-1], json.dumps(line)[1:-1]


def _holds(text: str, said: Sequence[str]) -> bool:
    return any(each in text for each in said)


def _as_text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
