"""The doctor: what is wrong with a store, and its repair."""

from __future__ import annotations

from dataclasses import replace

from tantivy import Searcher

from store.action import Action, ActionKind
from store.backends.text_kinds import TextKind, text_path
from store.doctor.drift import drift_findings
from store.doctor.examine import Progress, examine
from store.doctor.findings import Examination, Finding, FindingKind, IndexHealth
from store.doctor.traces import clean_trace
from store.drift.service import Drifts
from store.notice import notice
from store.opened_store import OpenedStore
from store.operations.apply import Applied
from store.operations.missing import plan_bring_back
from store.operations.plan import Move, Plan
from store.operations.service import History
from store.operations.write_ahead import keep_done


class Doctor:
    """Examine and repair."""

    def __init__(self, store: OpenedStore, history: History, drift: Drifts) -> None:
        self._store = store
        self._history = history
        self._drift = drift

    def examine(self, progress: Progress | None = None) -> Examination:
        """Return the problems of the store, and the repair of each. Changes nothing.

        `progress` is called with the issues examined so far and their total.
        """
        index = self._store.index
        # Where there is none yet, it is built by who searches: it takes longer than all else here.
        health = index.ask(_health_of) if index.open_existing() else None
        outgoing = index.outgoing
        found = examine(self._store.backend, self._store.clock(), health, progress, outgoing)
        outgoing.save()
        loaded = self._store.loaded_settings
        settings = (
            Finding(FindingKind.SETTING, mistake.source, mistake.notice)
            for mistake in loaded.mistakes
        )
        forgetting = (
            Finding(
                FindingKind.FORGETTING,
                text_path(TextKind.FORGETTING, name),
                notice("forgetting-unfinished"),
            )
            for name in self._store.backend.texts.names(TextKind.FORGETTING)
        )
        missing = plan_bring_back(self._store.backend).changes
        lost = Finding(FindingKind.MISSING, "operations", notice("missing", memories=len(missing)))
        self._drift.refresh()
        drifted = drift_findings(self._drift.verdicts())
        extra = (*forgetting, *([lost] if missing else []), *drifted)
        return replace(found, findings=(*found.findings, *extra, *settings))

    def repair(self, examination: Examination) -> Applied:
        """Carry out the repairs of an examination, as an operation that can be undone.

        What was built anew counts as changed too. Raises as `apply`, and where what is derived
        can't be built anew.
        """
        merged = self._write_merged(examination.merges)
        applied = self._history.apply(examination.plan)
        if merged is not None:
            identifier = applied.operation_id or merged.operation_id
            applied = replace(
                applied, operation_id=identifier, changed=applied.changed + merged.changed
            )
        if examination.rebuild_index or any(change.forget for change in examination.plan.changes):
            # What an index deletes stays in its files until they are merged.
            self._store.index.rebuild()
        if examination.rebuild_manifest:
            self._store.index.wrote(self._store.backend.issues())
            self._store.index.settle_now()
            for part in self._store.backend.levels.values():
                if part.files is not None and part.folder.is_dir():
                    part.settle(part.issues())
        else:
            self._store.index.settle()
        built = examination.rebuild_index + examination.rebuild_manifest
        built += self._clean_traces(examination.traces)
        return replace(applied, action=examination.action, changed=applied.changed + built)

    def _clean_traces(self, names: tuple[str, ...]) -> int:
        """Take secrets out of files other than the record; return how many were changed."""
        if not names:
            return 0
        with self._store.backend.locked():
            return sum(clean_trace(self._store.backend, name) for name in names)

    def _write_merged(self, names: tuple[str, ...]) -> Applied | None:
        """Write files that git left in conflict merged, as one operation; `None` for no file."""
        files = self._store.backend.files
        if files is None:
            return None
        issues = {issue for name in names if (issue := files.issue_of(name)) is not None}
        moves = [Move(*move) for issue in sorted(issues) for move in files.write_merged(issue)]
        if not moves:
            return None
        action = Action(ActionKind.MERGE, {"files": len(names)})
        plan = Plan(action, moves=tuple(moves))
        applied = Applied(
            keep_done(self._store.backend, plan, self._store.clock()), action, len(moves) // 2
        )
        self._store.index.wrote(issues)
        self._store.recorder.changed(
            plan.kind, plan.ids, applied.operation_id, applied.action, applied.changed
        )
        return applied


def _health_of(searcher: Searcher) -> IndexHealth:
    return IndexHealth(searcher.num_docs, searcher.num_segments)
