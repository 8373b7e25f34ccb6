"""Forgetting for good: in the files, then in all that is derived from them.

A note of it stays in memory until both are done. Where it broke off, the next command completes it
before it looks at anything.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING

from store.backends.text_kinds import TextKind
from store.backends.user_data import (
    everywhere_folder,
    project_root,
)
from store.errors import StoreError
from store.opened_store import OpenedStore
from store.platform.project import folders_of
from store.sessions.session_search import SessionSearch
from store.usage.kept import KeptUsage

if TYPE_CHECKING:  # few commands forget
    from store.operations.apply import Applied
    from store.operations.plan import Change, Plan


class Forgetting:
    """What one opened store forgets. `completed` are ids that an earlier command began with."""

    def __init__(self, store: OpenedStore, sessions: SessionSearch, usage: KeptUsage) -> None:
        self._store = store
        self._sessions = sessions
        self._usage = usage
        self._completed: frozenset[str] = frozenset()
        store.index.before_first_look(self.complete)

    @property
    def completed(self) -> frozenset[str]:
        """The ids of what an earlier command began to forget, and this one completed."""
        return self._completed

    def complete(self) -> None:
        """Go on with what was being forgotten when that broke off. Raises as writing does."""
        if not self._store.backend.texts.names(TextKind.FORGETTING):
            return
        from store.operations.forget import complete_forgetting  # few commands forget

        changes = complete_forgetting(self._store.backend)
        self._completed |= {change.id for change in changes}
        self._rebuild_derived(changes)

    def forget(self, plan: Plan, agent: str) -> Applied:
        """Carry out a plan that forgets. Raises as `store.operations.forget.forget`."""
        from store.operations.forget import (  # few commands forget
            forget,
            forget_in_projects,
            plan_traces,
        )

        self.complete()
        backend = self._store.backend
        versions = plan_traces(backend, plan)
        applied = forget(backend, plan, self._store.clock(), agent)
        forget_in_projects(backend, versions)
        self._rebuild_derived(plan.changes)
        return applied

    def forget_as_elsewhere(self, memories: Mapping[str, int], there: Collection[str]) -> None:
        """Forget memories, by id and issue, as another machine did: those that are `there`, and
        what came from the others while they were. Raises as `forget`.
        """
        from store.operations.forget import (
            forget_in_projects,
            forget_traces,
            plan_forget,
            plan_gone,
            plan_traces,
        )

        backend = self._store.backend
        where = {memories[name]: backend.read(memories[name]) for name in there}
        if there:
            self.forget(plan_forget(where, [*there]), "")
        if gone := {name: issue for name, issue in memories.items() if name not in there}:
            versions = plan_traces(backend, plan_gone(gone))
            forget_traces(backend, versions)
            forget_in_projects(backend, versions)
            self._rebuild_derived(versions.changes)

    def _rebuild_derived(self, changes: Iterable[Change]) -> None:
        """Build anew what is derived: what an index deletes stays in its files until they merge.

        Where that fails it is reported as a problem, and the next command goes on with it.
        """
        from store.operations.forget import remove_notes  # few commands forget

        index, changes = self._store.index, tuple(changes)
        index.wrote(change.issue for change in changes)
        try:
            self._usage.forget({change.id for change in changes})
            index.rebuild()
            self._sessions.rebuild()
            self._rebuild_everywhere()
            index.settle_now(looks=False)
            remove_notes(self._store.backend)
        except StoreError as error:
            self._store.recorder.problem("not-settled", error.message)

    def _rebuild_everywhere(self) -> None:
        """Build anew the index of the sessions of all projects.

        As in this memory's own, the files of its sessions are not read again: they hold what was
        forgotten.
        """
        if self._store.is_everywhere or not everywhere_folder().is_dir():
            return
        from store.sessions.digest_record import text_name  # few commands forget

        kept = self._store.backend.texts.names(TextKind.SESSIONS)
        project = str(folders_of(project_root(self._store.path))[0])
        SessionSearch(OpenedStore(everywhere_folder())).rebuild(
            lambda digest: digest.project == project or text_name(digest.id) in kept
        )
