"""What agents want of memory, as a source of the inbox."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import cache
from operator import attrgetter

from store.action import Action, ActionKind
from store.backends.placement import level_alone
from store.backends.protocol import Backend
from store.backends.text_kinds import TextKind, text_path
from store.errors import Conflict, InvalidObservation
from store.inbox.entry import Entry, EntryKind, EntrySource, Waiting
from store.merge.record import merge_records
from store.merge.versions import CONFLICT, EDITED, alternatives
from store.model import Location, Problem
from store.opened_store import OpenedStore
from store.operations.plan import Change, Plan, Record, has_same_content
from store.operations.proposals import Proposal, proposals, read_proposal
from store.platform.json_fields import string
from store.records import LEVEL, format_time, from_record, updated_record
from store.validation.prepare import prepare_update


class _Held:
    """What memory holds, each issue read once: hundreds of proposals may be of one."""

    def __init__(self, backend: Backend) -> None:
        self._read = cache(backend.read)
        self._contents = cache(self._read_contents)

    def record(self, change: Change) -> Record:
        """Return the record that a change is of, as it is. Raises `Conflict` where it is gone."""
        held = self._read(change.issue).find(change.location, change.id)
        if held is None:
            raise Conflict(
                f"{change.id} was removed since this was proposed.", "Take the proposal back."
            )
        return held

    def has_new(self, change: Change) -> bool:
        """Return whether memory has a new one by now, from elsewhere."""
        return change.after is not None and _content(change.after) in self._contents(change.issue)

    def _read_contents(self, issue: int) -> frozenset[tuple[str, ...]]:
        records = self._read(issue).values()
        return frozenset(_content(each) for each in records if each.get("archived") is not True)


def _content(record: Record) -> tuple[str, ...]:
    """Return what is the same in a new memory and one that is there already."""
    return tuple(string(record.get(key)) for key in ("agent", "category", "content"))


class ProposedMemories:
    def __init__(self, store: OpenedStore) -> None:
        self._store = store
        self._backend: Backend = store.backend

    def waiting(self) -> Waiting:
        """Read what waits, each with what its memory holds now."""
        found, problems = proposals(self._backend)
        entries: list[Entry] = []
        records = cache(self._backend.read)
        for proposal in found:
            change = proposal.main
            held = change.before and records(change.issue).find(change.location, change.id)
            try:
                entry = _entry(proposal, held)
                entries.append(replace(entry, needs_level=not self._has_level(change)))
            except ValueError:
                path = text_path(TextKind.INBOX, proposal.name)
                problems.append(Problem(path, f"Its source is {proposal.source[:40]!r}."))
        return Waiting(sorted(entries, key=attrgetter("title")), problems)

    def plan_approve(self, ids: Collection[str]) -> Plan:
        """Return a plan that carries out proposals: what changed meanwhile is merged. Raises
        `Conflict` where that needs a choice.
        """
        found = [read_proposal(self._backend, name) for name in ids]
        held = _Held(self._backend)
        changes = tuple(change for proposal in found for change in self._current(proposal, held))
        ids_twice = [change.id for change in changes if change.location is Location.ISSUE]
        if twice := next((one for one in ids_twice if ids_twice.count(one) > 1), ""):
            raise Conflict(
                f"Several of these change {twice}.", "Approve one, then look at the others again."
            )
        texts = tuple(proposal.dropped() for proposal in found)
        return Plan(_action(ActionKind.APPROVE, len(found)), changes, texts=texts)

    def plan_take_back(self, ids: Collection[str]) -> Plan:
        """Return a plan that drops proposals; capture and agents do not propose the same new
        memories again.
        """
        texts = tuple(read_proposal(self._backend, name).dropped() for name in ids)
        return Plan(_action(ActionKind.TAKE_BACK, len(texts)), texts=texts)

    def plan_edit(self, identifier: str, text: str) -> Plan:
        """Return a plan that gives a proposal another text: of what its memory holds now. Raises
        `InvalidObservation`.
        """
        proposal = read_proposal(self._backend, identifier)
        change = proposal.main
        if change.after is None:
            raise InvalidObservation(
                "A proposal to remove a memory has no text.", "Approve it, or take it back."
            )
        held = _Held(self._backend).record(change) if change.before is not None else None
        start = change.after if held is None else _merged(change, held)
        before = from_record({k: v for k, v in start.items() if k != CONFLICT}, change.issue)
        # A summary of what the agent wrote would be injected with what was written in its place.
        prepared = prepare_update(before, {"content": text, "summary": ""})
        after = updated_record(start, before, prepared.observation)
        after.pop(CONFLICT, None)
        if held is not None:
            after[EDITED] = format_time(self._store.clock())
        revised = proposal.revised((replace(change, before=held, after=after),))
        texts = (revised,) if revised.before != revised.after else ()
        return Plan(_action(ActionKind.EDIT, len(texts)), notes=prepared.notices, texts=texts)

    def _current(self, proposal: Proposal, memories: _Held) -> Iterator[Change]:
        """Yield the changes of a proposal, from what memory holds now. Raises `Conflict`."""
        if not self._has_level(proposal.main):
            raise Conflict(
                f"This is for the level {_level_of(proposal.main)}, which is not open here.",
                f"Run `memtui inbox approve {proposal.name}` in the project, without --dir.",
            )
        if proposal.main.before is None and memories.has_new(proposal.main):
            return
        for change in proposal.plan.changes:
            if change.before is None:
                yield change
                continue
            held = memories.record(change)
            if has_same_content(held, change.before):
                yield replace(change, before=held)
                continue
            after = _merged(change, held) if change.after is not None else None
            if after is None or alternatives(after):
                raise Conflict(
                    f"{change.id} changed since this was proposed. It is now: "
                    f"{_shown(held)} Proposed: {_shown(change.after)}",
                    "Take the proposal back, and remove the memory yourself."
                    if proposal.main.after is None
                    else "Edit the proposal, which then starts from what the memory is now, or "
                    "take it back.",
                )
            yield replace(change, before=held, after=after)

    def _has_level(self, change: Change) -> bool:
        """Return whether the level that a new memory is for is open."""
        level = _level_of(change)
        if not level or level in self._backend.levels:
            return True
        if self._backend.levels:
            return False
        try:
            return level == level_alone(self._store.location, self._store.path)
        except Conflict:  # it was named, and is none of a project's levels
            return False


def _merged(change: Change, held: Record) -> Record:
    """Return what a change makes of its memory as it is now."""
    assert change.after is not None
    return merge_records(change.before, held, change.after)


def _level_of(change: Change) -> str:
    """Return the level that a new memory is for; empty for a change of one that is there."""
    return string((change.after or {}).get(LEVEL)) if change.before is None else ""


def _entry(proposal: Proposal, held: Record | None) -> Entry:
    """Return a proposal as the inbox shows it. Raises `ValueError` for an unknown source."""
    change = proposal.main
    shown = change.after or change.before or {}
    kind = EntryKind.NEW
    if change.before is not None:
        kind = EntryKind.CHANGED if change.after is not None else EntryKind.GONE
    before = change.before if held is None else held
    return Entry(
        id=proposal.name,
        kind=kind,
        source=EntrySource(proposal.source),
        origin=proposal.agent or string(shown.get("agent")),
        title=from_record(shown, change.issue).summary,
        before=_text(before),
        after=_text(change.after),
        when=proposal.at,
        action=proposal.plan.kind,
        category=string(shown.get("category")),
        memory="" if change.before is None else change.id,
        issue=change.issue,
        level=_level_of(change),
        is_outdated=change.before is not None and not has_same_content(held, change.before),
    )


def _text(record: Record | None) -> str:
    return "" if record is None else string(record.get("content"))


def _shown(record: Record | None) -> str:
    return "removed." if record is None else f"“{_text(record)}”"


def _action(kind: str, number: int) -> Action:
    return Action(kind, {"entries": number})
