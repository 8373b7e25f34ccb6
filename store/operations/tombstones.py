"""Tombstones of what was removed: kept, asked for, and lifted."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from itertools import chain

from store.action import ActionKind
from store.backends.protocol import Backend
from store.backends.text_kinds import TextKind
from store.backends.tombstones import (
    Tombstone,
    by_text,
    digest_of,
    dump_tombstones,
    name_of,
    parse_tombstones,
    places_of,
    tombstone_of,
)
from store.errors import Away, NotFound
from store.model import FINDER, Observation
from store.operations.plan import Change, Plan, Record
from store.operations.proposals import dropped_memories
from store.platform.json_fields import integer, string
from store.records import LEVEL

_TAKING_AWAY = frozenset({ActionKind.REMOVE, ActionKind.FORGET, ActionKind.EDIT})
"""The kinds of operations after which a text that is gone is not wanted any more."""


class Tombstones:
    """The tombstones of a memory, to be asked before anything is added to it."""

    def __init__(self, stones: Iterable[Tombstone]) -> None:
        self._by_text = by_text(stones)
        every = chain.from_iterable(self._by_text.values())
        self._of_sessions = [stone for stone in every if stone.sources]

    @classmethod
    def of(cls, backend: Backend, owner: str = "") -> Tombstones:
        """Tombstones of a memory; of one agent's memories alone where an `owner` is named.

        Raises `Unreadable`.
        """
        stones = (stone for part in _parts(backend) for stone in _in(part))
        return cls(stone for stone in stones if not owner or stone.agent == owner)

    def __bool__(self) -> bool:
        return bool(self._by_text)

    def has(self, observation: Observation) -> bool:
        """The text was removed: by a person from any memory, else from that agent's."""
        return any(
            not stone.by or stone.agent == observation.agent for stone in self._of(observation)
        )

    def has_captured(self, observation: Observation) -> bool:
        """The session's memory was removed: its text, or what came from its places."""
        places, finder = places_of(observation.sources), string(observation.extra.get(FINDER))
        return self.has(observation) or any(
            stone.has_come_from(places, finder) for stone in self._of_sessions
        )

    def can_refuse(self, observation: Observation, agent: str) -> bool:
        """The agent may not add the text: a person removed it, or an agent its own."""
        stones = self._of(observation)
        return any(not stone.by or (stone.agent == agent and stone.by != agent) for stone in stones)

    def _of(self, observation: Observation) -> Sequence[Tombstone]:
        if not self._by_text:
            return ()
        return self._by_text.get(digest_of(observation.content), ())


def keep_removed(backend: Backend, plan: Plan, now: datetime, by: str = "") -> None:
    """Keep the tombstones of what a plan takes away, durably, before that is done.

    `by` is the agent that asked for it. An undo takes nothing away: it is as if what it takes back
    had never been. Raises `ReadOnly`, `WriteFailed`, `LockTimeout`.
    """
    action = plan.action
    kind = action.of if action.kind == ActionKind.REDO else action.kind
    if kind == ActionKind.TAKE_BACK:
        _keep_taken_back(backend, plan, now)
    if kind not in _TAKING_AWAY:
        return
    for issue in dict.fromkeys(change.issue for change in plan.changes):
        gone = _gone(backend, issue, [change for change in plan.changes if change.issue == issue])
        name = name_of(issue)
        for level in dict.fromkeys(record.get(LEVEL, "") for record in gone):
            part = backend.levels.get(level, backend)
            its_own = [record for record in gone if record.get(LEVEL, "") == level]
            with part.locked():
                is_forgotten = kind == ActionKind.FORGET
                new = [
                    tombstone_of(record, now, by, is_forgotten=is_forgotten) for record in its_own
                ]
                _keep(part, name, [*_read(part, name), *new])


def _keep_taken_back(backend: Backend, plan: Plan, now: datetime) -> None:
    """Keep the tombstones of what was proposed: with the inbox, in none of a team's files."""
    part = next(iter(_parts(backend)))
    with part.locked():
        for record in dropped_memories(plan.texts):
            name = name_of(integer(record.get("issueNumber")))
            _keep(part, name, [*_read(part, name), tombstone_of(record, now)])


def _gone(backend: Backend, issue: int, changes: Sequence[Change]) -> list[Record]:
    """Return the records whose texts an issue has no more after some changes of it."""
    stay = {(change.id, _text(change.after)) for change in changes}
    leaving = [change.before for change in changes if (change.id, _text(change.before)) not in stay]
    gone = [record for record in leaving if record is not None and _text(record)]
    if not gone:
        return []
    ids, texts = {change.id for change in changes}, {_text(record) for record in gone}
    others = {
        (record.get("agent"), _text(record))
        for record in backend.read(issue).values()
        if _text(record) in texts and record.get("id") not in ids
    }
    return [record for record in gone if (record.get("agent"), _text(record)) not in others]


def lift_brought(backend: Backend, plan: Plan) -> None:
    """Forget that texts were removed which a plan brought in or back, or to what waits. Raises as
    `keep_removed`.
    """
    stood = {(change.id, _text(change.before)) for change in plan.changes}
    waiting = dropped_memories(text.inverse() for text in plan.texts)
    lift(
        backend,
        (
            *map(_text, waiting),
            *(
                _text(change.after)
                for change in plan.changes
                if (change.id, _text(change.after)) not in stood
            ),
        ),
    )


def lift(backend: Backend, texts: Iterable[str]) -> None:
    """Forget that some texts were removed: somebody wants them again. Raises as `keep_removed`."""
    wanted = [text for text in texts if text]
    for part in _parts(backend):
        with suppress(Away):  # it answers no more
            _lift_in(part, wanted)


def _parts(backend: Backend) -> Collection[Backend]:
    """Return the memories that have tombstones of their own: each level that answers."""
    levels = backend.levels
    return [part for name, part in levels.items() if name not in levels.away] or (backend,)


def _in(backend: Backend) -> Iterator[Tombstone]:
    with suppress(Away):  # it answers no more
        for name in backend.texts.names(TextKind.REMOVED):
            yield from _read(backend, name)


def _lift_in(backend: Backend, wanted: Sequence[str]) -> None:
    names = backend.texts.names(TextKind.REMOVED) if wanted else []
    lifted = set(map(digest_of, wanted)) if names else set()
    if not lifted or lifted.isdisjoint(
        stone.text for name in names for stone in _read(backend, name)
    ):
        return
    with backend.locked():
        for name in names:
            stones = list(_read(backend, name))
            kept = [stone for stone in stones if stone.text not in lifted]
            if len(kept) < len(stones):
                _keep(backend, name, kept)


def change_tombstones(
    backend: Backend, added: Iterable[tuple[int, Tombstone]], gone: Iterable[tuple[int, Tombstone]]
) -> None:
    """Take over what another machine removed, or brought back. Raises as `keep_removed`."""
    coming, going = set(added), set(gone)
    for issue in sorted({issue for issue, _ in coming | going}):
        name = name_of(issue)
        with backend.locked():
            kept = [stone for stone in _read(backend, name) if (issue, stone) not in going]
            _keep(backend, name, [*kept, *(stone for of, stone in coming if of == issue)])


def _read(backend: Backend, name: str) -> Iterator[Tombstone]:
    with suppress(NotFound):
        yield from parse_tombstones(backend.texts.read(TextKind.REMOVED, name))


def _keep(backend: Backend, name: str, stones: list[Tombstone]) -> None:
    if stones:
        backend.texts.keep(TextKind.REMOVED, name, dump_tombstones(stones))
    else:
        backend.texts.remove(TextKind.REMOVED, name)


def _text(record: Record | None) -> str:
    return string(record.get("content")) if record is not None else ""
