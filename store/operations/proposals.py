"""Proposals: changes that agents want of memory, one memory each, until somebody approves them.

Each is a named text of its own, in none of the levels: nothing that searches or recalls opens it.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import blake2b
from typing import Any

from store.action import Action
from store.backends.protocol import Backend
from store.backends.text_kinds import TextKind, text_path
from store.errors import Conflict, InvalidObservation, NotFound, StoreError, Unopened, Unreadable
from store.merge.versions import EDITED
from store.model import COUNTERS, Location, Observation, Problem
from store.operations.operation_record import Operation, load_operation, operation_record
from store.operations.plan import Change, Plan, Record, TextChange, has_same_content
from store.platform.bounds import excess_of
from store.platform.json_fields import mapping, string
from store.records import LEVEL, as_json, from_record

MOST = 1_000
"""How many proposals may wait: more than anybody reviews."""
_MOST_BYTES = 400_000
"""A larger text is none of ours: a memory holds 2,000 characters."""
_NAME_BYTES = 5
_SAME = ("agent", "issueNumber", "category", "content", LEVEL)
"""Keys by which a new memory is the same as another."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """What an `agent` wants of one memory, since `at`; `source` is where it came in, `record` the
    text that is kept of it.
    """

    name: str
    source: str
    agent: str
    plan: Plan
    at: datetime
    record: Record

    @property
    def main(self) -> Change:
        """The change of the issue; of a copy in the archive, that one."""
        in_issue = (change for change in self.plan.changes if change.location is Location.ISSUE)
        return next(in_issue, self.plan.changes[0])

    def dropped(self) -> TextChange:
        """Return the change by which it waits no more."""
        return TextChange(TextKind.INBOX, self.name, self.record, None)

    def revised(self, changes: tuple[Change, ...]) -> TextChange:
        """Return the change by which others wait in its place, under its name."""
        plan = replace(self.plan, changes=changes)
        record = _record(self.name, plan, self.source, self.agent, self.at)
        return TextChange(TextKind.INBOX, self.name, self.record, record)


def propose(
    backend: Backend, plan: Plan, source: str, agent: str, now: datetime
) -> tuple[str, ...]:
    """Keep the part that a plan has in each memory, and return the names: of what waits already,
    the one it has. Raises `Conflict` for what changes more than memories, `StoreError` where too
    many wait, and write errors.
    """
    if plan.has_other_changes:
        raise Conflict(
            "Only changes of memories can wait for approval.", "Ask the user to make this one."
        )
    names: dict[str, None] = {}
    with backend.locked():
        waiting = set(backend.texts.names(TextKind.INBOX))
        for part in _parts(plan):
            name = _name_of(part)
            names[name] = None
            if name in waiting:
                continue
            if len(waiting) >= MOST:
                raise StoreError(
                    f"{MOST:,} changes wait for approval, as many as may.",
                    "Approve them or take them back with `memtui inbox`.",
                )
            record = _record(name, part, source, agent, now)
            backend.texts.keep(TextKind.INBOX, name, as_json(record), private=True)
            waiting.add(name)
    return tuple(names)


def proposals(backend: Backend) -> tuple[list[Proposal], list[Problem]]:
    """Return the proposals that wait, and a problem for each that can't be read."""
    found: list[Proposal] = []
    problems: list[Problem] = []
    for name in backend.texts.names(TextKind.INBOX):
        try:
            found.append(read_proposal(backend, name))
        except NotFound:
            continue
        except Unopened:
            raise
        except Unreadable as error:
            problems.append(Problem(text_path(TextKind.INBOX, name), error.full_message))
    return found, problems


def read_proposal(backend: Backend, name: str) -> Proposal:
    """Return a proposal by its name. Raises `NotFound`, and `Unreadable` for a damaged one."""
    data = backend.texts.read(TextKind.INBOX, name)
    try:
        if len(data) > _MOST_BYTES:
            raise ValueError("too large")
        record = json.loads(data)
        if excess := excess_of(record):
            raise ValueError(excess)
        operation = load_operation(record, name)
        for change in operation.plan.changes:
            for side in change.records:
                from_record(side, change.issue)
        source, agent = string(record.get("source")), string(record.get("by"))
        proposal = Proposal(name, source, agent, operation.plan, operation.timestamp, record)
        if {change.id for change in operation.plan.changes} != {proposal.main.id}:
            raise ValueError("not of one memory")
    except (
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        IndexError,
        RecursionError,
        InvalidObservation,
    ) as error:
        raise Unreadable(
            "It is damaged, so what it proposes can't be approved.",
            "Delete the file; the memories are not affected.",
        ) from error
    return proposal


def proposed_memories(backend: Backend, issue: int) -> Iterator[Observation]:
    """Yield the new memories of an issue that wait."""
    for proposal in proposals(backend)[0]:
        main = proposal.main
        if main.issue == issue and main.before is None and main.after is not None:
            yield from_record(main.after, issue)


def dropped_proposals(backend: Backend, ids: Collection[str]) -> tuple[TextChange, ...]:
    """Return the changes by which memories that wait, by their ids, wait no more."""
    if not ids:
        return ()
    return tuple(one.dropped() for one in proposals(backend)[0] if one.main.id in ids)


def proposal_summary(text: TextChange) -> str:
    """Return the summary of the memory that a change of a proposal's text is about."""
    changes = _changes_in(text.after or text.before or {})
    sides = (mapping(change.get(side)) for change in changes for side in ("after", "before"))
    return next((string(side.get("summary")) for side in sides if side), "")


def dropped_memories(texts: Iterable[TextChange]) -> list[Record]:
    """Return the new memories among proposals that changes of texts drop."""
    return [
        change["after"]
        for text in texts
        if _is_proposal(text) and text.before is not None and text.after is None
        for change in _changes_in(text.before)
        if "before" not in change and isinstance(change.get("after"), dict)
    ]


def settled_texts(backend: Backend, plan: Plan) -> tuple[TextChange, ...]:
    """Return the texts of a plan without the proposals of those memories that it could not change:
    they wait on.
    """
    left = {
        change.id
        for change in plan.changes
        if not has_same_content(
            backend.read(change.issue).find(change.location, change.id), change.after
        )
    }
    return tuple(
        text
        for text in plan.texts
        if not _is_proposal(text) or left.isdisjoint(_ids_of(text.before or text.after or {}))
    )


def _ids_of(record: Record) -> Iterator[str]:
    return (string(change.get("id")) for change in _changes_in(record))


def _is_proposal(text: TextChange) -> bool:
    return text.kind is TextKind.INBOX


def _changes_in(record: Record) -> list[Record]:
    """Return the changes in a proposal's text, which anybody may have written."""
    changes = record.get("changes")
    return (
        [change for change in changes if isinstance(change, dict)]
        if isinstance(changes, list)
        else []
    )


def _parts(plan: Plan) -> Iterator[Plan]:
    for identifier in plan.ids:
        changes = tuple(change for change in plan.changes if change.id == identifier)
        yield Plan(Action(plan.kind, {"memories": 1}), changes)


def _name_of(part: Plan) -> str:
    """Return a name that is the same for the same changes, whatever their time and new ids."""
    parts: list[object] = []
    for change in part.changes:
        after = change.after or {}
        if change.before is None and change.location is Location.ISSUE:
            parts.append([after.get(key) for key in _SAME])
        else:
            parts.append([change.location, change.id, _essence(change.after)])
    text = json.dumps(parts, sort_keys=True, default=str).encode()
    return blake2b(text, digest_size=_NAME_BYTES).hexdigest()


def _essence(record: Record | None) -> dict[str, Any] | None:
    if record is None:
        return None
    return {key: value for key, value in record.items() if key not in COUNTERS and key != EDITED}


def _record(name: str, plan: Plan, source: str, agent: str, at: datetime) -> dict[str, Any]:
    """Return what is kept of a proposal, as it is read back: JSON knows no tuple."""
    record: Mapping[str, Any] = {
        **operation_record(Operation(name, plan, at)),
        "source": source,
        "by": agent,
    }
    kept: dict[str, Any] = json.loads(as_json(record))
    return kept
