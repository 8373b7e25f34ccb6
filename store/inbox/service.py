"""The inbox: what agents want of memory, or did to what they are given, one by one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from operator import attrgetter

from store.action import Action, ActionKind
from store.errors import NotFound, StoreError
from store.inbox.entry import Entry, Waiting
from store.inbox.files import AgentFiles
from store.inbox.memories import ProposedMemories
from store.opened_store import OpenedStore
from store.operations.apply import Applied
from store.operations.plan import Plan
from store.operations.service import History

Source = ProposedMemories | AgentFiles
"""Plans changes of its entries by their ids; others carry them out, and undo them."""


class Inbox:
    """Lists what waits, and plans what becomes of it: each operation can be undone."""

    def __init__(self, store: OpenedStore, history: History) -> None:
        self._backend = store.backend
        self._history = history
        self._files = AgentFiles(store)
        self._sources: Sequence[Source] = (ProposedMemories(store), self._files)

    def begin(self) -> None:
        """Keep the files that agents are given as they are, where nobody has looked yet: only what
        changes from then on waits. Raises as writing does.
        """
        self._files.begin()

    def look(self) -> Waiting:
        """Return what waits, as `waiting`, for somebody who sees it: what is changed in files from
        the first look on waits, too, where anything can be written.
        """
        with suppress(StoreError):
            self.begin()
        return self.waiting()

    def waiting(self) -> Waiting:
        """Return all that waits, the newest first, and what of it can't be read."""
        found = [source.waiting() for source in self._sources]
        entries = [entry for waiting in found for entry in waiting.entries]
        entries.sort(key=attrgetter("when"), reverse=True)  # of one file in the order of its lines
        return Waiting(entries, [problem for waiting in found for problem in waiting.problems])

    def get(self, identifier: str) -> Entry:
        """Return the entry with this id, or the only one whose id begins or ends with it. Raises
        `NotFound`.
        """
        entries = self.waiting().entries
        found = [entry for entry in entries if entry.id == identifier] or [
            entry
            for entry in entries
            if identifier and (entry.id.startswith(identifier) or entry.id.endswith(identifier))
        ]
        if len(found) != 1:
            number = f"{len(found)} entries have" if found else "Nothing in the inbox has"
            raise NotFound(f"{number} the id {identifier!r}.", "See `memtui inbox`.")
        return found[0]

    def plan_approve(self, ids: Collection[str]) -> Plan:
        """Return a plan that has entries hold, named by their whole ids. Raises `NotFound`,
        `Conflict`.
        """
        return self._plan(
            ActionKind.APPROVE, ids, lambda source, its_own: source.plan_approve(its_own)
        )

    def plan_take_back(self, ids: Collection[str]) -> Plan:
        """Return a plan after which entries had never been. Raises `NotFound`, `Conflict`."""
        return self._plan(
            ActionKind.TAKE_BACK, ids, lambda source, its_own: source.plan_take_back(its_own)
        )

    def plan_edit(self, identifier: str, text: str) -> Plan:
        """Return a plan that gives an entry another text. Raises `NotFound`,
        `InvalidObservation`.
        """
        return self._plan(
            ActionKind.EDIT,
            [identifier],
            lambda source, its_own: source.plan_edit(next(iter(its_own)), text),
        )

    def approve(self, ids: Collection[str]) -> Applied:
        """Have entries hold, as one operation. Raises as `plan_approve`, and write errors."""
        with self._backend.locked():  # what the plan saw is what it changes
            return self._history.apply(self.plan_approve(ids))

    def take_back(self, ids: Collection[str]) -> Applied:
        """Take entries back, as one operation. Raises as `plan_take_back`, and write errors."""
        return self._history.apply(self.plan_take_back(ids))

    def edit(self, identifier: str, text: str) -> Applied:
        """Give an entry another text, as an operation. Raises as `plan_edit`, and write errors."""
        return self._history.apply(self.plan_edit(identifier, text))

    def _plan(
        self, kind: str, ids: Collection[str], planned: Callable[[Source, list[str]], Plan]
    ) -> Plan:
        """Return the plans of the sources of some entries as one. Raises `NotFound`."""
        wanted = dict.fromkeys(ids)
        plan, number = Plan(Action(kind)), 0
        for source in self._sources:
            entries = source.waiting().entries if wanted else ()
            its_own = [entry.id for entry in entries if entry.id in wanted]
            if not its_own:
                continue
            wanted = {identifier: None for identifier in wanted if identifier not in its_own}
            part = planned(source, its_own)
            number += part.action.figures.get("entries", len(its_own))
            plan = replace(
                plan,
                action=Action(kind, {"entries": number}),
                changes=(*plan.changes, *part.changes),
                notes=(*plan.notes, *part.notes),
                texts=(*plan.texts, *part.texts),
                files=(*plan.files, *part.files),
            )
        if wanted:
            raise NotFound(f"{next(iter(wanted))!r} is not in the inbox.", "See `memtui inbox`.")
        return plan
