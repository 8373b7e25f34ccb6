"""The doctor: what is wrong with a store, and its repair."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from store.backends.text_kinds import TextKind, text_path
from store.notice import notice

if TYPE_CHECKING:
    from store.doctor.examine import Progress
    from store.doctor.findings import Examination
    from store.operations.apply import Applied
    from store.pipeline.current_index import CurrentIndex
    from store.pipeline.opened_store import OpenedStore
    from store.pipeline.operations import Operations


class Doctor:
    """Examine and repair."""

    def __init__(self, opened: OpenedStore, index: CurrentIndex, operations: Operations) -> None:
        self._backend = opened.backend
        self._clock = opened.clock
        self._recorder = opened.recorder
        self._opened = opened
        self._current = index
        self._operations = operations

    def examine(self, progress: Progress | None = None) -> Examination:
        """The problems of the store, and the repair of each. Changes nothing.

        `progress` is called with the issues examined so far and their total.
        """
        from store.doctor.examine import examine
        from store.doctor.findings import Finding, FindingKind, IndexHealth

        self._current.list_now()
        health = self._current.ask(
            lambda searcher: IndexHealth(
                searcher.num_docs, searcher.num_segments, self._current.index.in_memory
            )
        )
        found = examine(self._backend, self._clock(), health, progress)
        loaded = self._opened.loaded_settings
        settings = (
            Finding(FindingKind.SETTING, it.source, it.notice)
            for it in (*loaded.mistakes, *loaded.notes)
        )
        forgetting = (
            Finding(
                FindingKind.FORGETTING,
                text_path(TextKind.FORGETTING, name),
                notice("forgetting-unfinished"),
            )
            for name in self._backend.names(TextKind.FORGETTING)
        )
        missing = self._operations.plan_bring_back().changes
        lost = Finding(FindingKind.MISSING, "operations", notice("missing", memories=len(missing)))
        beside = (*forgetting, *([lost] if missing else []))
        return replace(found, findings=(*found.findings, *beside, *settings))

    def repair(self, examination: Examination) -> Applied:
        """Carry out the repairs of an examination, as an operation that can be undone.

        What was built anew counts as changed too. Raises as `apply`, and where what is derived
        can't be built anew.
        """
        merged = self._write_merged(examination.merges)
        applied = self._operations.apply(examination.plan)
        if merged is not None:
            identifier = applied.operation_id or merged.operation_id
            applied = replace(
                applied, operation_id=identifier, changed=applied.changed + merged.changed
            )
        if examination.rebuild_index or any(it.forget for it in examination.plan.changes):
            # What an index deletes stands in its files until they are merged.
            self._current.index.rebuild()
        if examination.rebuild_manifest:
            self._current.wrote(self._backend.issues())
            self._current.settle_now()
        else:
            self._current.settle()
        built = examination.rebuild_index + examination.rebuild_manifest
        built += self._clean_traces(examination.traces)
        return replace(applied, action=examination.action, changed=applied.changed + built)

    def _clean_traces(self, names: tuple[str, ...]) -> int:
        """Take secrets out of files beside the record; how many were changed."""
        from store.doctor.traces import clean_trace

        if not names:
            return 0
        with self._backend.locked():
            return sum(clean_trace(self._backend, name) for name in names)

    def _write_merged(self, names: tuple[str, ...]) -> Applied | None:
        """Write files that git left in conflict merged, as one operation; `None` for no file."""
        from store.action import Action, ActionKind
        from store.operations.apply import Applied, keep_done
        from store.operations.plan import Move, Plan

        issues = sorted(
            {issue for name in names if (issue := self._backend.issue_of(name)) is not None}
        )
        moves = [Move(*move) for issue in issues for move in self._backend.write_merged(issue)]
        if not moves:
            return None
        action = Action(ActionKind.MERGE, {"files": len(names)})
        plan = Plan(action, moves=tuple(moves))
        applied = Applied(keep_done(self._backend, plan, self._clock()), action, len(moves) // 2)
        self._current.wrote(issues)
        self._recorder.changed(plan.kind, plan, applied)
        return applied
