"""What a sync merges, what it does by that to each memory, and what it did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from store.merge.changes import MemoryDiff, compare
from store.sync.commits import State
from store.sync.content import Content, Contents, files_of
from store.sync.local import Held, Place, forgotten


@dataclass(frozen=True, slots=True)
class MemorySync:
    """What a sync does to one memory: what goes to other machines, and what comes from them.

    `conflicts` are the ids of those that were edited on both sides. `is_new`: it is not on this
    machine yet. `problem` is why it is left as it is. `forgets` counts memories that another
    machine deleted for good, which no undo brings back.
    """

    name: str
    memory: Path
    sends: MemoryDiff
    receives: MemoryDiff
    conflicts: tuple[str, ...] = ()
    is_new: bool = False
    problem: str = ""
    forgets: int = 0

    @property
    def is_empty(self) -> bool:
        """There is nothing to do, and no problem."""
        return not (self.sends.changes or self.receives.changes or self.problem)


@dataclass(frozen=True, slots=True)
class SyncPlan:
    """What a sync would do, by memory. `is_first`: this machine was never synced with it.

    `away` is why the repository could not be reached: then it is what was known last.
    """

    remote: str
    memories: tuple[MemorySync, ...]
    is_first: bool = False
    away: str = ""
    is_in_step: bool = False

    @property
    def sent(self) -> int:
        """Changes that go to other machines."""
        return sum(len(memory.sends.changes) for memory in self.memories)

    @property
    def received(self) -> int:
        """Changes that come from other machines, other versions of a memory among them."""
        ids = ({change.id for change in memory.receives.changes} for memory in self.memories)
        both = zip(ids, (memory.conflicts for memory in self.memories), strict=True)
        return sum(len({*changed, *conflicts}) for changed, conflicts in both)


@dataclass(frozen=True, slots=True)
class Synced:
    """What a sync did. `operations` are those that take back what came, by the memory's folder, and
    `left` is why something was left for the next sync.
    """

    plan: SyncPlan
    operations: Mapping[Path, str] = field(default_factory=dict)
    left: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Merge:
    """A merge and all that it is made of: `local` is what this machine had, `held` what it holds,
    `ours` of that what takes part, and `problems` why a memory does not.
    """

    local: State
    theirs: State
    places: Sequence[Place]
    held: Mapping[str, Held]
    ours: Contents
    problems: Mapping[str, str]
    merged: Contents
    conflicts: Mapping[str, tuple[str, ...]]

    def after(self, folder: str) -> Content:
        return self.merged.get(folder) or self.held[folder].content


def plan_of(merge: Merge, remote: str, away: str = "") -> SyncPlan:
    """Return what a merge does, with a repository as it is shown."""
    memories = [_memory_sync(merge, place) for place in merge.places]
    return SyncPlan(
        remote,
        tuple(memory for memory in memories if not memory.is_empty),
        is_first=not merge.local.commit,
        is_in_step=merge.theirs.files == files_of(merge.merged)
        and all(merge.held[folder].content == merge.after(folder) for folder in merge.held),
        away=away,
    )


def _memory_sync(merge: Merge, place: Place) -> MemorySync:
    folder = place.folder
    problem = merge.problems.get(folder, "")
    after = merge.merged.get(folder, Content()).memories
    there = merge.theirs.contents.get(folder, Content()).memories
    here = after if problem else merge.held[folder].content.memories
    return MemorySync(
        place.name,
        place.memory,
        compare(there, after),
        compare(here, after),
        merge.conflicts.get(folder, ()),
        is_new=not problem and place.project is not None and not place.memory.is_dir(),
        problem=problem,
        forgets=0 if problem else _number_forgotten(merge, folder),
    )


def _number_forgotten(merge: Merge, folder: str) -> int:
    held = merge.held[folder]
    return len(forgotten(held, merge.after(folder)).keys() & held.content.memories.keys())
