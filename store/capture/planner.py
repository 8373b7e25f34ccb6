"""Planning a session against memory: what it holds already, and what was removed from it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from store.agents.discovery import written_at
from store.agents.session import Session
from store.backends.tombstones import tombstone_of
from store.capture.candidate import Found, Skipped
from store.capture.plan import CapturePlan, plan_capture
from store.drift.anchors import anchored
from store.model import Location, Observation
from store.notice import notice
from store.opened_store import OpenedStore
from store.operations.missing import left_by_last
from store.operations.proposals import proposed_memories
from store.operations.tombstones import Tombstones
from store.platform.project import Project, project_of


class Planner:
    """Plans sessions against one memory. Changes nothing.

    `captured_from` returns the ids of the memories that were captured from a session before.
    """

    def __init__(self, store: OpenedStore, captured_from: Callable[[str], Sequence[str]]) -> None:
        self._store = store
        self._captured_from = captured_from

    def held(self, issue: int) -> list[Observation]:
        """Return what an issue holds, archived memories too, and what waits to be approved."""
        backend = self._store.backend
        records = backend.read(issue)
        return [
            *records.observations(),
            *records.observations(Location.ARCHIVE),
            *proposed_memories(backend, issue),
        ]

    def plan(
        self,
        session: Session,
        *,
        agent: str,
        issue: int,
        project: Project | None,
        held: Sequence[Observation],
        path: str = "",
        is_over: bool = True,
        own: bool = False,
        found: Sequence[Found] | None = None,
    ) -> CapturePlan:
        """Plan what a session would leave, without what was removed since an earlier capture.

        `held` is what it is compared with, with `own` only the memory of `agent`; `found`, `path`
        and `is_over` are as for `plan_capture`.
        """
        plan = plan_capture(
            session,
            issue=issue,
            held=[memory for memory in held if not own or memory.agent == agent],
            now=written_at(path) or self._store.clock(),
            settings=self._store.settings,
            agent=agent,
            roots=(str(project.root), str(project.main_root)) if project else (),
            checkout=project.origin if project else None,
            path=path,
            is_over=is_over,
            in_vault=self._store.is_vault,
            found=found,
        )
        plan = self._without_removed(plan, agent if own else "")
        return plan if project is None else _anchored(plan, project.root)

    def plan_found(
        self, plan: CapturePlan, found: Sequence[Found], held: Sequence[Observation]
    ) -> CapturePlan:
        """Plan the session of a plan again, with what somebody else found in it."""
        if plan.session is None:
            return plan
        return self.plan(
            plan.session,
            agent=plan.agent,
            issue=plan.issue,
            project=project_of(Path(plan.folder)) if plan.folder else None,
            held=held,
            path=plan.path,
            found=found,
        )

    def _without_removed(self, plan: CapturePlan, owner: str) -> CapturePlan:
        """Return the plan without what was removed or reworded since it was captured before; with
        an `owner`, only what was in that agent's own memory.
        """
        if not plan.kept:
            return plan
        removed = (Tombstones.of(self._store.backend, owner), self._taken_out(plan))
        gone = [
            captured
            for captured in plan.kept
            if any(tombstones.has_captured(captured.observation) for tombstones in removed)
        ]
        kept = tuple(captured for captured in plan.kept if captured not in gone)
        why = notice("removed-before")
        skipped = (Skipped(captured.observation.summary, why) for captured in gone)
        return replace(plan, kept=kept, skipped=(*plan.skipped, *skipped))

    def _taken_out(self, plan: CapturePlan) -> Tombstones:
        """Return what was captured from the session before and is in no file, as if it had been
        removed: a person removed it by hand, or git did, and the doctor can bring it back.
        """
        captured = self._captured_from(plan.session_id)
        if not captured:
            return Tombstones(())
        backend, now = self._store.backend, self._store.clock()
        unseen = set(captured) - {memory.id for memory in self.held(plan.issue)}
        changes = list(left_by_last(backend, unseen))
        records = {change.issue: backend.read(change.issue) for change in changes}
        return Tombstones(
            tombstone_of(change.after, now)
            for change in changes
            if change.after is not None
            and all(change.id not in records[change.issue].ids(place) for place in Location)
        )


def _anchored(plan: CapturePlan, root: Path) -> CapturePlan:
    """Return the plan with what the files that its memories name held at the session's end."""
    seen = plan.session.ended if plan.session else None
    kept = (
        captured._replace(observation=anchored(captured.observation, root, seen=seen))
        for captured in plan.kept
    )
    return replace(plan, kept=tuple(kept))
