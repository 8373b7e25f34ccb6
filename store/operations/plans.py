"""Plans of all changes to what exists, each made from the present records."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from store.forgetting import Forgetting
from store.model import Layout, Observation
from store.opened_store import OpenedStore
from store.operations import changes
from store.operations.changes import Fields, Where
from store.operations.forget import Traces, find_traces, plan_forget
from store.operations.layout import plan_layout
from store.operations.levels import plan_level
from store.operations.missing import plan_bring_back
from store.operations.plan import Plan
from store.platform.json_fields import integer


class Plans:
    """Plans of changes to memories, to be previewed and applied. Changes nothing.

    Memories are named by their ids or unique endings of these.
    """

    def __init__(self, store: OpenedStore, forgetting: Forgetting) -> None:
        self._store = store
        self._forgetting = forgetting

    def add(self, observations: Sequence[Observation], kind: str = "add") -> Plan:
        """Return a plan that stores new observations. Raises `InvalidObservation`."""
        return changes.plan_add(observations, self._store.prepare, kind)

    def edit(self, identifiers: str | Sequence[str], fields: Fields, kind: str = "edit") -> Plan:
        """Return a plan that sets fields, perhaps by what each memory holds.

        Raises `NotFound`, `InvalidObservation`.
        """
        ids, where = self._found(identifiers)
        return changes.plan_edit(where, ids, fields, kind, self._store.clock())

    def tag(
        self,
        identifiers: str | Sequence[str],
        add: Sequence[str] = (),
        remove: Collection[str] = (),
        kind: str = "tag",
    ) -> Plan:
        """Return a plan that adds and removes tags. Raises `NotFound`, `InvalidObservation`."""
        ids, where = self._found(identifiers)
        return changes.plan_tag(where, ids, add, remove, kind)

    def resolve(self, identifier: str, choice: int) -> Plan:
        """Return a plan that keeps one version of a memory that two branches edited.

        `choice` 0 is the version in use. Raises `NotFound`, `InvalidObservation`.
        """
        (whole,), where = self._found(identifier)
        return changes.plan_resolve(where, whole, choice)

    def remove(self, identifiers: str | Sequence[str]) -> Plan:
        """Return a plan that removes observations. Raises `NotFound`."""
        ids, where = self._found(identifiers)
        return changes.plan_remove(where, ids)

    def forget(self, identifiers: str | Sequence[str]) -> Plan:
        """Return a plan that removes observations and keeps nothing of them. Raises `NotFound`.

        What an earlier command began to forget is finished first, and is not in the plan.
        """
        self._forgetting.complete()
        completed = self._forgetting.completed
        given = [identifiers] if isinstance(identifiers, str) else identifiers
        ids, where = self._found(
            [wanted for wanted in given if not any(id.endswith(wanted) for id in completed)]
        )
        return plan_forget(where, ids)

    def find_traces(self, plan: Plan) -> Traces:
        """Find all other places of the memories that a plan forgets."""
        return find_traces(self._store.backend, plan)

    def move(self, identifiers: str | Sequence[str], level: str, *, copies: bool = False) -> Plan:
        """Return a plan that moves observations to a level, or copies them there. Raises
        `NotFound`, `InvalidObservation` for a level that is not open, and `Conflict` where none of
        them may be given to the team.
        """
        self._store.check_level(level)
        ids, where = self._found(identifiers)
        return plan_level(where, ids, level, self._copy_id if copies else None)

    def _copy_id(self, record: Mapping[str, Any]) -> str:
        agent, issue = str(record["agent"]), integer(record.get("issueNumber"))
        return self._store.new_id(agent, issue, self._store.clock())

    def archive(self, identifiers: str | Sequence[str]) -> Plan:
        """Return a plan that moves observations to the archive. Raises `NotFound`."""
        ids, where = self._found(identifiers)
        return changes.plan_archive(where, ids)

    def restore(self, identifiers: str | Sequence[str]) -> Plan:
        """Return a plan that restores observations from the archive. Raises `NotFound`."""
        ids, where = self._found(identifiers)
        return changes.plan_restore(where, ids)

    def bring_back(self) -> Plan:
        """Return a plan that adds again what the journal has as stored, but no file has."""
        return plan_bring_back(self._store.backend)

    def layout(self, layout: Layout) -> Plan:
        """Return a plan that changes how records are divided into files. Raises `Unreadable`."""
        return plan_layout(self._store.backend, layout)

    def _found(self, identifiers: str | Sequence[str]) -> tuple[list[str], Where]:
        """Return the whole ids of those given, and the records of their issues."""
        given = [identifiers] if isinstance(identifiers, str) else identifiers
        index = self._store.index
        found = index.ask(
            lambda searcher: [index.reader(searcher).get(identifier) for identifier in given]
        )
        issues = {observation.issue_number for observation in found}
        where = {issue: self._store.backend.read(issue) for issue in sorted(issues)}
        return list(dict.fromkeys(observation.id for observation in found)), where
