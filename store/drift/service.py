"""Drift: memories compared with the code that they name, and their repair."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from time import monotonic
from typing import Any

from store.action import ActionKind
from store.backends.user_data import project_root
from store.drift.anchors import anchored, marks_of, with_anchor
from store.drift.judge import judged
from store.drift.kept import Entry, KeptVerdicts, Verdicts, stamp_of, written
from store.drift.names import index_names, load_names, names_stamp
from store.drift.read_memory import read_memory
from store.drift.repository import Repository
from store.drift.verdicts import drift_record, with_paths
from store.model import Level, Observation, Verdict
from store.opened_store import OpenedStore
from store.operations.plan import Plan
from store.operations.plans import Plans
from store.platform.project import Project, project_of

_MOST_TREES = 4
"""The working trees of a repository that are looked at."""
_LONG, _REST = 0.5, 20
"""Seconds from which a comparison is long, and how many times as long passes before the next."""


class Drifts:
    """What became of the code that memories name. It is worked out by `refresh`, in the
    background; all else reads what is kept of that.
    """

    def __init__(self, store: OpenedStore, plans: Plans, kept: KeptVerdicts) -> None:
        self._store, self._plans, self._kept = store, plans, kept
        self._compared: str | None = None
        self._is_behind, self._rests_until = False, 0.0

    def verdicts(self) -> Verdicts:
        """Return the verdicts that were worked out last."""
        return self._kept.load()

    # What is worked out

    def has_history(self) -> bool:
        """Return whether git has a commit here to compare with."""
        return bool(self._head())

    def is_due(self, *, changed: bool) -> bool:
        """Return whether memory `changed`, or another commit is checked out, since this compared;
        of a large memory not before a while has passed.
        """
        self._is_behind = self._is_behind or changed or self._head() != self._compared
        return self._is_behind and monotonic() >= self._rests_until

    def _head(self) -> str:
        project = self._project()
        return project.commit if project else ""

    def refresh(self) -> bool:
        """Work out the verdicts anew where memories or the code changed; whether any did.

        For the background: it asks git, and reads the files that memories name.
        """
        self._is_behind, began = False, monotonic()
        changed = self._work_out()
        if (took := monotonic() - began) > _LONG:
            self._rests_until = monotonic() + _REST * took
        return changed

    def _work_out(self) -> bool:
        trees, project, kept = self._kept.trees()[:_MOST_TREES], self._project(), self._kept.load()
        self._compared = head = project.commit if project else ""
        if project is None and not kept.entries:
            return False
        for tree in trees:
            index_names(self._store.cache, tree)
        index = names_stamp(self._store.cache, trees)
        memories = {memory.id: memory for memory in self._memories()}
        times = (int(memory.timestamp.timestamp()) for memory in memories.values())
        code = self._repository(max(0, min(times, default=0)))
        is_same = (kept.head, kept.index) == (head, index)
        names = load_names(self._store.cache, trees) if index != kept.index else None
        stale = _stale(kept, code, names)
        known = {
            identifier: entry
            for identifier, entry in kept.entries.items()
            if identifier in memories
            and entry[0] == stamp_of(memories[identifier])
            and stale.isdisjoint(entry[2])
            and stale.isdisjoint(entry[3])
            and (kept.head == head or not _is_to_be_judged_again(entry))
        }
        fresh = [memory for identifier, memory in memories.items() if identifier not in known]
        if not fresh and len(known) == len(kept.entries) and is_same:
            return False
        names = load_names(self._store.cache, trees) if names is None else names
        found = judged(fresh, code, names) if fresh else {}
        entries = known | {
            memory.id: [stamp_of(memory), drift_record(drift), files, its_names]
            for memory in fresh
            for drift, files, its_names in (found[memory.id],)
        }
        paths = {path for entry in entries.values() for path in entry[2]}
        cited = {name for entry in entries.values() for name in entry[3]}
        files = {path: [code.stamp(path), code.changes(path)] for path in paths}
        at = head if code.history is not None else ""  # of no commit that could be asked about
        self._kept.save(written(at, index, {name: name in names for name in cited}, files, entries))
        before, after = (
            {identifier: entry[:2] for identifier, entry in verdicts.entries.items()}
            for verdicts in (kept, self._kept.load())
        )
        return before != after

    def _repository(self, since: int) -> Repository:
        trees, project = self._kept.trees()[:_MOST_TREES], self._project()
        folder = project_root(self._store.path)
        root, head = (project.root, project.commit) if project else (folder, "")
        return Repository(self._store.cache, root, trees, head, since, folder)

    def _memories(self) -> Iterable[Observation]:
        """Yield the memories of this project: those of all projects may name code of others."""
        backend = self._store.backend
        for records in backend.read_each(sorted(backend.issues())):
            yield from (one for one in records.observations() if one.level != Level.MINE)

    def _project(self) -> Project | None:
        return project_of(project_root(self._store.path))

    # Anchors and repairs

    def anchored(self, observation: Observation) -> Observation:
        """Return a memory with the anchor of the project's working tree as it is now, and with its
        branch and commit.
        """
        project = self._project()
        return anchored(observation, project.root, project.origin) if project else observation

    def plan_holds(self, identifiers: Sequence[str]) -> Plan:
        """Return a plan that anchors memories anew: they still hold.

        Raises `NotFound`.
        """
        return self._plans.edit(identifiers, self._held_now, ActionKind.ANCHOR)

    def plan_paths(self, identifiers: Sequence[str], new: Mapping[str, str] | None = None) -> Plan:
        """Return a plan that writes the new paths of files into memories, those of `new` or those
        where git has them now. What else they name is compared as before; a file of `new` as it is
        now. Raises `NotFound`.
        """
        code = self._repository(int(self._store.clock().timestamp()))  # or since what is kept

        def renamed(observation: Observation) -> Mapping[str, Any]:
            drift = self._kept.load().drift_of(observation)
            moved = dict(drift.moved) if new is None else new
            amended = observation._replace(
                content=with_paths(observation.content, moved.items()),
                summary=with_paths(observation.summary, moved.items()),
            )
            if amended == observation:
                return {}
            read = read_memory(observation, code)
            marks = {
                moved.get(file.written, file.written): file.mark for file in read.files if file.mark
            }
            if new is not None:
                now = marks_of(amended.content, code.root)
                marks |= {path: now[path] for path in new.values() if path in now}
            commit = {"commit": read.base} if read.base else {}
            amended = with_anchor(amended, marks, commit, read.absent or ())
            return {
                "content": amended.content,
                "summary": amended.summary,
                "extra": amended.extra,
            }

        return self._plans.edit(identifiers, renamed, ActionKind.PATHS)

    def _held_now(self, observation: Observation) -> Mapping[str, Any]:
        project = self._project()
        if project is None:
            return {}
        commit = {"commit": project.commit} if project.commit else {}
        gone = self._kept.load().drift_of(observation).gone
        return {"extra": anchored(observation, project.root, commit, absent=gone).extra}


def _stale(kept: Verdicts, code: Repository, names: Set[str] | None) -> Set[str]:
    """Return the files and the names that are not as they were when verdicts were worked out; the
    names of code are None where they are the same.
    """
    is_same = kept.head == code.head
    files = {
        path
        for path, (stamp, changes) in kept.files.items()
        if code.stamp(path) != stamp or not (is_same or code.changes(path) == changes)
    }
    held = kept.names.items() if names is not None else ()
    return files | {name for name, was_there in held if (name in (names or ())) != was_there}


def _is_to_be_judged_again(entry: Entry) -> bool:
    """Return whether the verdict on a memory may be another at the next commit, though that touches
    nothing that it names: what is gone may have come back by another name.
    """
    return entry[1][0] in (Verdict.GONE, Verdict.UNKNOWN) and bool(entry[2] or entry[3])
