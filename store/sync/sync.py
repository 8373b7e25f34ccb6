"""Memories of the user's data folder, the same on all machines: through a git repository that the
user names.

A sync fetches, merges, sends and then changes the memories of this machine, each as one operation.
What this machine has is a commit of its own, `LOCAL`, from which the next merge starts; it moves
on last. So a sync that is broken off anywhere is simply done again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from store.backends import open_backend, shown_location
from store.backends.activity import RecallLog
from store.backends.files.locks import StoreLock
from store.backends.user_data import kept_projects, write_project
from store.errors import Away, Conflict, InvalidSetting, StoreError, WriteFailed
from store.memory import Memory
from store.merge.changes import compare
from store.operations.apply import Applied
from store.operations.tombstones import change_tombstones
from store.platform.home import expanded
from store.settings.schema import Settings
from store.sync.commits import Commits
from store.sync.content import Content, Contents, files_of
from store.sync.encryption import Encryption
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
from store.sync.plan import Merge, Synced, SyncPlan, plan_of
from store.sync.repository import LOCAL, THEIRS, Repository

_TRIES = 5
"""How often a merge is made again where another machine sent something meanwhile."""


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
        encryption = Encryption(settings.sync_identity)
        self._repository = Repository(check_remote(settings.sync_remote))
        self._commits = Commits(self._repository, encryption, self._clock)

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
            return plan_of(self._merge(), self._repository.shown, away)

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

    def _merge(self) -> Merge:
        local = self._commits.read(self._repository.commit_at(LOCAL))
        theirs = self._commits.read(self._repository.commit_at(THEIRS))
        is_known = bool(local.commit and theirs.commit)
        base = self._repository.base(local.commit, theirs.commit) if is_known else ""
        places = find_places(theirs.contents, local.contents)
        held, problems = self._read_held(places, local.contents, theirs.contents)
        # What has nothing, and no tombstone of what it had, was not emptied: it is to come.
        ours = {
            folder: one.content
            for folder, one in held.items()
            if not (one.content.is_bare and folder in {**local.contents, **theirs.contents})
        }
        # What was not here before can't have been removed here.
        contents = self._commits.read(base).contents
        bases = {folder: contents[folder] for folder in contents if folder in local.contents}
        merged = merge_all(bases, ours, theirs.contents)
        return Merge(local, theirs, places, held, ours, problems, merged.contents, merged.conflicts)

    def _read_held(
        self, places: Sequence[Place], local: Contents, theirs: Contents
    ) -> tuple[dict[str, Held], dict[str, str]]:
        """Return what the memories of this machine hold, and why some take no part, by folder."""
        held: dict[str, Held] = {}
        problems: dict[str, str] = {}
        logs = {place.folder: open_backend(place.memory, self._clock).log for place in places}
        recalls = {folder: RecallLog(log) for folder, log in logs.items()}
        for log in recalls.values():
            log.read_on(complete=True)
        for place in places:
            others = theirs.get(place.folder) or Content()
            known = Known(local.get(place.folder) or others, others)
            # The user's own memories are recalled in all projects.
            counted = [recalls[place.folder]] if place.project else [*recalls.values()]
            try:
                held[place.folder] = self._held(place, known, counted)
            except StoreError as error:
                problems[place.folder] = error.message
        return held, problems

    def _held(self, place: Place, known: Known, recalls: Sequence[RecallLog]) -> Held:
        """Read a memory of this machine. Raises `Conflict`, `Unreadable`."""
        if place.is_elsewhere:
            raise Conflict("It is kept in its project.")
        backend = open_backend(place.memory, self._clock)
        try:
            return read_held(backend, place, known, recalls, with_sessions=self._with_sessions)
        finally:
            backend.release()

    def _keep_projects(self, merge: Merge) -> None:
        """Write by what each project is found again, before anything is sent under its key."""
        known = {kept.place: kept for kept in kept_projects()}
        for place in merge.places:
            if place.project and place.folder not in merge.problems:
                identity = merge.after(place.folder).project
                project = identified(place.project, identity)
                if known.get(project.place) != project:
                    write_project(project)

    def _commit_ours(self, merge: Merge) -> str:
        """Commit what this machine has, but for a memory that it had not and others have: what they
        have of it is not yet here. Returns the commit, or an empty text where there is nothing.
        """
        taken = {
            folder: content
            for folder, content in merge.ours.items()
            if folder in merge.local.contents or folder not in merge.theirs.contents
        }
        return self._commits.written(merge.local, taken, [merge.local.commit])

    def _commit_merged(self, merge: Merge, ours: str) -> str:
        """Commit what all are to have, after what others have; that itself where it is the same."""
        local, theirs = merge.local, merge.theirs
        is_same = theirs.commit == local.commit and (
            self._commits.read(ours).files == files_of(merge.merged)
        )
        if is_same or not theirs.commit:
            return ours
        return self._commits.written(theirs, merge.merged, [theirs.commit, ours])

    def _apply(self, merge: Merge) -> Synced:
        """Make the memories of this machine what all are to have, each by one operation."""
        done = plan_of(merge, self._repository.shown)
        operations: dict[Path, str] = {}
        left: list[str] = []
        failed: set[Path] = set()
        for place in merge.places:
            if place.folder in merge.problems:
                continue
            held, after = merge.held[place.folder], merge.after(place.folder)
            try:
                applied = self._make_same(place, held, after)
            except StoreError as error:
                left.append(f"{place.name}: {error.message}")
                failed.add(place.memory)
                continue
            if applied is not None and applied.operation_id:
                operations[place.memory] = applied.operation_id
            if applied is not None and applied.left:
                left.append(f"{place.name}: {len(applied.left):,} changed meanwhile.")
        memories = tuple(
            replace(one, receives=compare({}, {}), conflicts=()) if one.memory in failed else one
            for one in done.memories
        )
        return Synced(replace(done, memories=memories), operations, tuple(left))

    def _make_same(self, place: Place, held: Held, after: Content) -> Applied | None:
        """Make a memory of this machine what it is to be; None where it is. Raises `StoreError`."""
        plan = plan_changes(held, after, with_sessions=self._with_sessions)
        before, used = held.content.removed, used_elsewhere(held, after)
        if plan.is_empty and after.removed == before and not used:
            return None
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
        return applied

    def _keep(self, merge: Merge, commit: str) -> None:
        """Note what this machine has now: all of a commit, but for what takes no part."""
        if not commit:
            return
        if merge.problems:
            contents = {
                folder: content
                for folder, content in merge.merged.items()
                if folder not in merge.problems
            }
            commit = self._commits.written(self._commits.read(commit), contents, [commit])
        if commit != merge.local.commit:
            self._repository.keep(commit)
