"""Memories of the user's data folder, the same on all machines: through a git repository that the
user names.

A sync fetches, merges, sends and then changes the memories of this machine, each as one operation.
What this machine has is a commit of its own, `LOCAL`, from which the next merge starts; it moves
on last. So a sync that is broken off anywhere is simply done again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from store.backends import open_backend, shown_location
from store.backends.activity import RecallLog
from store.backends.files.locks import StoreLock
from store.backends.protocol import Log
from store.backends.user_data import kept_projects, write_project
from store.errors import Away, Conflict, InvalidSetting, StoreError, Unreadable, WriteFailed
from store.memory import Memory
from store.merge.changes import MemoryDiff, compare
from store.operations.tombstones import change_tombstones
from store.platform.home import expanded
from store.settings.schema import Settings
from store.sync.content import (
    Content,
    Contents,
    Files,
    contents_of,
    dump,
    files_of,
    parse,
)
from store.sync.encryption import Encryption, plain_path
from store.sync.local import (
    Held,
    Known,
    Place,
    find_places,
    forgotten,
    identified,
    plan_changes,
    read_held,
    removed_from,
    take_use,
    used_elsewhere,
)
from store.sync.merge import merge_all
from store.sync.repository import LOCAL, THEIRS, Repository

_TRIES = 5
"""How often a merge is made again where another machine sent something meanwhile."""


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
class _State:
    """A commit, its files as they are, their contents, and the paths that they have there."""

    commit: str = ""
    files: Files = field(default_factory=dict)
    contents: Contents = field(default_factory=dict)
    paths: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Merge:
    """A merge and all that it is made of: `local` is what this machine had, `held` what it holds,
    `ours` of that what takes part, and `problems` why a memory does not.
    """

    local: _State
    theirs: _State
    places: Sequence[Place]
    held: Mapping[str, Held]
    ours: Contents
    problems: Mapping[str, str]
    merged: Contents
    conflicts: Mapping[str, tuple[str, ...]]

    def after(self, folder: str) -> Content:
        """Return what a memory of this machine is to have."""
        return self.merged.get(folder) or self.held[folder].content


def check_remote(remote: str) -> str:
    """Return a repository as the settings keep it: a path in full. Raises `InvalidSetting`."""
    shown = shown_location(remote)
    if shown != remote:
        raise InvalidSetting(
            f"{shown} was given with a password.", "Use a path, ssh, or git's credential helper."
        )
    if not remote.strip() or remote.startswith("-") or "::" in remote:
        raise InvalidSetting(f"{shown!r} is no git repository.", "Give a path or an ssh address.")
    is_address = "://" in remote or ":" in remote.partition("/")[0]
    return remote if is_address else str(expanded(remote).resolve())


class Sync:
    """Syncs the memories of this machine with a repository."""

    def __init__(
        self,
        settings: Settings,
        *,
        clock: Callable[[], datetime] | None = None,
        open_memory: Callable[[Path], Memory] = Memory,
    ) -> None:
        """Raises `InvalidSetting` where no repository is named."""
        if not settings.sync_remote:
            raise InvalidSetting(
                "No repository to sync with.",
                "Make one with `git init --bare PATH`, then `memtui sync PATH`.",
            )
        self._clock = clock or (lambda: datetime.now(UTC))
        self._open = open_memory
        self._with_sessions = settings.sync_sessions
        self._encryption = Encryption(settings.sync_identity)
        self._repository = Repository(check_remote(settings.sync_remote))
        self._parsed: dict[tuple[str, str], object | None] = {}
        """By object and path, what is in the files that were read."""

    def plan(self) -> SyncPlan:
        """Return what a sync would do, by what the repository has now, or had when it was last
        reached. No memory is changed, and nothing is sent. Raises `StoreError`.
        """
        with self._locked():
            away = ""
            try:
                self._repository.fetch()
            except Away as error:
                away = error.message
            return self._plan_of(self._merge(), away)

    def run(self) -> Synced:
        """Sync. Raises `Away` where the repository can't be reached, and `WriteFailed` where it
        takes nothing: then this machine waits with what it has.
        """
        with self._locked():
            before, refused = "", ""
            for _ in range(_TRIES):
                self._repository.fetch()
                merge = self._merge()
                if refused and merge.theirs.commit == before:
                    break  # nobody was faster
                before = merge.theirs.commit
                self._keep_projects(merge)
                commit = self._commit_merged(merge, self._commit_ours(merge))
                refused = self._repository.push(commit) if commit != before else ""
                if not refused:
                    break
            synced = self._apply(merge)
            if not synced.left:
                self._keep(merge, commit)
            if refused:
                raise WriteFailed(
                    f"{self._repository.shown} takes nothing: {refused}.",
                    "Check your rights there. What this machine has waits for the next sync.",
                )
            return synced

    @contextmanager
    def _locked(self) -> Iterator[None]:
        self._repository.make_folder()
        with StoreLock(self._repository.folder).hold():
            self._repository.make()
            yield

    def _merge(self) -> _Merge:
        local = self._state(self._repository.commit_at(LOCAL))
        theirs = self._state(self._repository.commit_at(THEIRS))
        is_known = bool(local.commit and theirs.commit)
        base = self._repository.base(local.commit, theirs.commit) if is_known else ""
        places = find_places(theirs.contents, local.contents)
        held: dict[str, Held] = {}
        ours: dict[str, Content] = {}
        problems: dict[str, str] = {}
        recalls = {place.folder: RecallLog(self._log_of(place)) for place in places}
        for log in recalls.values():
            log.read_on(complete=True)
        for place in places:
            known = local.contents.get(place.folder) or theirs.contents.get(place.folder)
            others = theirs.contents.get(place.folder) or Content()
            try:
                told = [recalls[place.folder]] if place.project else [*recalls.values()]
                held[place.folder] = one = self._held(place, Known(known or others, others), told)
            except StoreError as error:
                problems[place.folder] = error.message
                continue
            # What has nothing, and no tombstone of what it had, was not emptied: it is to come.
            if known is None or not one.content.is_bare:
                ours[place.folder] = one.content
        # What was not here before can't have been removed here.
        contents = self._state(base).contents
        bases = {folder: contents[folder] for folder in contents if folder in local.contents}
        merged = merge_all(bases, ours, theirs.contents)
        return _Merge(
            local, theirs, places, held, ours, problems, merged.contents, merged.conflicts
        )

    def _log_of(self, place: Place) -> Log:
        return open_backend(place.memory, self._clock).log

    def _held(self, place: Place, known: Known, recalls: Sequence[RecallLog]) -> Held:
        """Read a memory of this machine; the user's own is recalled in all projects. Raises
        `Conflict`, `Unreadable`.
        """
        if place.is_elsewhere:
            raise Conflict("It is kept in its project.")
        backend = open_backend(place.memory, self._clock)
        try:
            return read_held(backend, place, known, recalls, with_sessions=self._with_sessions)
        finally:
            backend.release()

    def _state(self, commit: str) -> _State:
        """Read a commit; each file once, whichever commits it is in."""
        if not commit:
            return _State()
        named = self._repository.files(commit)
        unread = [name for path, name in named.items() if (name, path) not in self._parsed]
        data = self._repository.read(list(dict.fromkeys(unread)))
        for path, name in named.items():
            if name in data:
                plain = self._encryption.decrypt(path, data[name])
                self._parsed[name, path] = self._parse(plain_path(path), plain)
        found = {path: self._parsed[name, path] for path, name in named.items()}
        ours = {path: value for path, value in found.items() if value is not None}
        files = {plain_path(path): value for path, value in ours.items()}
        return _State(commit, files, contents_of(files), frozenset(ours))

    def _parse(self, path: str, data: bytes) -> object | None:
        try:
            return parse(path, data)
        except Unreadable as error:
            raise self._repository.unreadable(error.message) from error

    def _keep_projects(self, merge: _Merge) -> None:
        """Write by what each project is found again, before anything is sent under its key."""
        known = {kept.place: kept for kept in kept_projects()}
        for place in merge.places:
            if place.project and place.folder not in merge.problems:
                identity = merge.after(place.folder).project
                project = identified(place.project, identity)
                if known.get(project.place) != project:
                    write_project(project)

    def _commit_ours(self, merge: _Merge) -> str:
        """Commit what this machine has, but for a memory that it had not and others have: what they
        have of it is not yet here. Returns the commit, or an empty text where there is nothing.
        """
        taken = {
            folder: content
            for folder, content in merge.ours.items()
            if folder in merge.local.contents or folder not in merge.theirs.contents
        }
        return self._committed(merge.local, files_of(taken), [merge.local.commit])

    def _commit_merged(self, merge: _Merge, ours: str) -> str:
        """Commit what all are to have, after what others have; that itself where it is the same."""
        files = files_of(merge.merged)
        if not merge.theirs.commit or (
            merge.theirs.commit == merge.local.commit and self._state(ours).files == files
        ):
            return ours
        return self._committed(merge.theirs, files, [merge.theirs.commit, ours])

    def _committed(self, before: _State, files: Files, parents: Sequence[str]) -> str:
        """Return a commit of some files: the one `before` where these are the same."""
        changes: dict[str, bytes | None] = {}
        for path, value in files.items():
            target = self._encryption.path_of(path)
            if before.files.get(path) != value or target not in before.paths:
                changes[target] = self._encryption.encrypt(dump(path, value))
        wanted = set(map(self._encryption.path_of, files))
        changes |= dict.fromkeys(before.paths - wanted)
        if not changes:
            return before.commit
        message = _message(contents_of(before.files), contents_of(files))
        known = [parent for parent in parents if parent]
        return self._repository.commit(changes, known, message, self._clock())

    def _apply(self, merge: _Merge) -> Synced:
        """Make the memories of this machine what all are to have, each by one operation."""
        done = self._plan_of(merge)
        operations: dict[Path, str] = {}
        left: list[str] = []
        failed: set[Path] = set()
        for place in merge.places:
            if place.folder in merge.problems:
                continue
            held, after = merge.held[place.folder], merge.after(place.folder)
            plan = plan_changes(held, after, with_sessions=self._with_sessions)
            before, used = held.content.removed, used_elsewhere(held, after)
            if plan.is_empty and after.removed == before and not used:
                continue
            try:
                with self._open(place.memory) as memory:
                    if lost := forgotten(held, after):
                        memory.history.forget_as_elsewhere(lost)
                    now = removed_from(memory.backend)
                    own = {pair for pair in now - before if pair[1].id in lost}
                    gone = (before - after.removed) | (own - after.removed)
                    change_tombstones(memory.backend, after.removed - now, gone)
                    applied = memory.apply(plan)
                    take_use(memory.backend, used)
                    memory.index.wrote(used)
            except StoreError as error:
                left.append(f"{place.name}: {error.message}")
                failed.add(place.memory)
                continue
            if applied.operation_id:
                operations[place.memory] = applied.operation_id
            if applied.left:
                count = len(applied.left)
                left.append(f"{place.name}: {count:,} changed meanwhile.")
        memories = tuple(
            replace(one, receives=compare({}, {}), conflicts=()) if one.memory in failed else one
            for one in done.memories
        )
        return Synced(replace(done, memories=memories), operations, tuple(left))

    def _keep(self, merge: _Merge, commit: str) -> None:
        """Note what this machine has now: all of a commit, but for what takes no part."""
        if not commit:
            return
        if merge.problems:
            contents = {
                folder: content
                for folder, content in merge.merged.items()
                if folder not in merge.problems
            }
            commit = self._committed(self._state(commit), files_of(contents), [commit])
        if commit != merge.local.commit:
            self._repository.keep(commit)

    def _plan_of(self, merge: _Merge, away: str = "") -> SyncPlan:
        memories = [_memory_sync(merge, place) for place in merge.places]
        return SyncPlan(
            self._repository.shown,
            tuple(memory for memory in memories if not memory.is_empty),
            is_first=not merge.local.commit,
            is_in_step=merge.theirs.files == files_of(merge.merged)
            and all(merge.held[folder].content == merge.after(folder) for folder in merge.held),
            away=away,
        )


def _memory_sync(merge: _Merge, place: Place) -> MemorySync:
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


def _number_forgotten(merge: _Merge, folder: str) -> int:
    held = merge.held[folder]
    return len(forgotten(held, merge.after(folder)).keys() & held.content.memories.keys())


def _message(before: Contents, after: Contents) -> str:
    """Return what a commit changes: `Sync 3 memories: 2 added, 1 edited`."""
    sides = [
        {name: one for content in contents.values() for name, one in content.memories.items()}
        for contents in (before, after)
    ]
    counts = compare(*sides).counted()
    total = sum(counts.values())
    words = ", ".join(f"{number:,} {what}" for what, number in counts.items())
    return f"Sync {total:,} {'memory' if total == 1 else 'memories'}{words and f': {words}'}"
