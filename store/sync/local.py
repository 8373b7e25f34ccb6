"""The memories of this machine that are synced: the user's own, and those of projects that are in
the user's data folder.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

from store.action import Action, ActionKind
from store.backends.activity import RecallLog
from store.backends.files.layout import issue_of
from store.backends.issue_records import IssueRecords, check_read, location_of
from store.backends.protocol import Backend
from store.backends.text_kinds import TextKind
from store.backends.tombstones import Tombstone, parse_tombstones
from store.backends.user_data import (
    MEMORY,
    KeptProject,
    kept_projects,
    mine_memory,
    other_place,
    projects_folder,
)
from store.merge.changes import Standing
from store.model import Location
from store.operations.plan import Change, Plan, TextChange
from store.platform.json_fields import integer, object_in, string
from store.records import record_id, time_or_none
from store.redaction.sanitizer import clean_record
from store.sync.content import MINE, PROJECTS, Content, Contents, Identity, is_of_project
from store.sync.merge import USE, without_use

_COUNT, _LAST = "recallCount", "lastRecalled"
_USE_AFTER = timedelta(days=1)
"""How much later a memory was recalled for that alone to be synced: what is stale is so by days."""


class Place(NamedTuple):
    """A memory of this machine: its folder in the repository, its name for people, where it is, and
    the project that it is of. One that `is_elsewhere` was moved into its project.
    """

    folder: str
    name: str
    memory: Path
    project: KeptProject | None = None
    is_elsewhere: bool = False

    @property
    def identity(self) -> Identity:
        return _identity(self.project) if self.project else Identity()


@dataclass(frozen=True, slots=True)
class Held:
    """What a memory of this machine holds: as it is synced, and as it is in its files."""

    content: Content = field(default_factory=Content)
    where: Mapping[int, IssueRecords] = field(default_factory=dict)


def find_places(theirs: Contents, taken: Collection[str]) -> list[Place]:
    """Return the memories of this machine and those that it is to get, each with its folder in the
    repository: that of the same project on another machine, or a new one that is not `taken`.
    """
    kept = list(kept_projects())
    places = [Place(MINE, MINE, mine_memory())]
    folders: dict[Path, str] = {}
    for item in kept:  # a copy of a place gets another key
        folder = f"{PROJECTS}/{item.key}"
        if folder in {*theirs, *taken} and folder not in folders.values():
            folders[item.place] = folder
    for item in kept:
        used = folders.values()
        folder = folders.get(item.place) or _folder_of(item, theirs, used)
        folder = folder or _new_folder(item, {*theirs, *taken, *used})
        folders[item.place] = folder
        named = item._replace(key=folder.rpartition("/")[2])
        places.append(Place(folder, _name_of(item), item.memory, named, _is_moved(item)))
    for folder in sorted(theirs.keys() - {MINE, *folders.values()}):
        key = folder.rpartition("/")[2]
        # No project of this machine has a place of that name: theirs end in a digest of their path.
        new = KeptProject(projects_folder() / f"{key}-synced", key=key)
        new = identified(new, theirs[folder].project)
        places.append(Place(folder, _name_of(new), new.memory, new))
    return places


def removed_from(backend: Backend) -> frozenset[tuple[int, Tombstone]]:
    """Return the tombstones of a memory, each with its issue."""
    return frozenset(
        (of, stone)
        for name in backend.texts.names(TextKind.REMOVED)
        if (of := issue_of(f"{name}.json")) is not None
        for stone in parse_tombstones(backend.texts.read(TextKind.REMOVED, name))
    )


def forgotten(held: Held, after: Content) -> dict[str, int]:
    """Return the memories, by id, that other machines forgot, each with its issue."""
    return {
        stone.id: issue
        for issue, stone in after.removed - held.content.removed
        if stone.is_forgotten
    }


class Known(NamedTuple):
    """What this machine had of a memory when it was synced last, and what others have now."""

    ours: Content
    theirs: Content


def read_held(
    backend: Backend,
    place: Place,
    known: Known,
    recalls: Sequence[RecallLog],
    *,
    with_sessions: bool,
) -> Held:
    """Read a memory. Its records are without secrets, and have the recalls of some logs counted in;
    where nothing else is new of one, once a day at most. So a recall makes no commit by itself. The
    digests of sessions that are not along are those that are known. Raises `Unreadable`.
    """
    memories: dict[str, Standing] = {}
    where: dict[int, IssueRecords] = {}
    for issue in sorted(backend.issues()):
        records = where[issue] = backend.read(issue)
        check_read(records, *Location)
        for part, record in records.distinct():
            identifier = record_id(record.value)
            if identifier is not None:
                is_archived = location_of(part) is Location.ARCHIVE
                standing = Standing(issue, is_archived, record.exact())
                memories.setdefault(identifier, _as_synced(standing, known, recalls, identifier))
    names = backend.texts.names(TextKind.SESSIONS) if with_sessions else ()
    digests = {name: object_in(backend.texts.read(TextKind.SESSIONS, name)) for name in names}
    sessions = {name: digest for name, digest in digests.items() if digest}
    content = Content(
        memories,
        removed_from(backend),
        sessions if with_sessions else known.ours.sessions,
        place.identity | known.ours.project,
    )
    return Held(content, where)


def plan_changes(held: Held, after: Content, *, with_sessions: bool) -> Plan:
    """Return a plan that makes a memory of this machine what all machines are to have."""
    before = held.content.memories
    ids = [
        name
        for name in {**before, **after.memories}
        if _without_use(before.get(name)) != _without_use(after.memories.get(name))
        and name not in forgotten(held, after)
    ]
    changes = [
        change
        for name in ids
        for change in _changes(held.where, name, before.get(name), after.memories.get(name))
    ]
    ours = held.content.sessions
    names = sorted({**ours, **after.sessions}) if with_sessions else []
    texts = tuple(
        TextChange(TextKind.SESSIONS, name, ours.get(name), after.sessions.get(name))
        for name in names
        if ours.get(name) != after.sessions.get(name)
    )
    return Plan(Action(ActionKind.SYNC, {"memories": len(ids)}), tuple(changes), texts=texts)


def used_elsewhere(held: Held, after: Content) -> dict[int, dict[str, Standing]]:
    """Return what was recalled on other machines, by issue and id."""
    found: dict[int, dict[str, Standing]] = {}
    for name, one in after.memories.items():
        before = held.content.memories.get(name)
        if before is not None and _use(before) != _use(one):
            found.setdefault(one.issue, {})[name] = one
    return found


def take_use(backend: Backend, used: Mapping[int, Mapping[str, Standing]]) -> None:
    """Write how often memories were recalled, and when last: no operation, since an undo takes back
    none of it. Raises as writing does.
    """
    for issue, memories in used.items():
        with backend.changing(issue) as records:
            for name, one in memories.items():
                record = records.find(_location(one), name)
                if record is not None:
                    records.put(_location(one), {**record, **_use(one)})


def _use(one: Standing) -> dict[str, Any]:
    return {key: one.record[key] for key in (_COUNT, _LAST) if key in one.record}


def _without_use(one: Standing | None) -> Standing | None:
    return one and one._replace(record={k: v for k, v in one.record.items() if k not in USE})


def _changes(
    where: Mapping[int, IssueRecords], name: str, old: Standing | None, new: Standing | None
) -> Iterable[Change]:
    """Yield the changes of one memory: of one that moves, the copy first."""
    places = [one and (_location(one), one.issue) for one in (old, new)]
    if new is not None:
        location, issue = _location(new), new.issue
        there = where[issue].find(location, name) if issue in where else None
        yield Change(location, issue, name, there, dict(new.record))
    if old is not None and places[0] != places[1]:
        location, records = _location(old), where[old.issue]
        record, at = records.find(location, name), records.place_of(location, name)
        yield Change(location, old.issue, name, record, None, at)


def _location(one: Standing) -> Location:
    return Location.ARCHIVE if one.archived else Location.ISSUE


def _as_synced(
    one: Standing, known: Known, recalls: Sequence[RecallLog], identifier: str
) -> Standing:
    """Return a memory as it leaves this machine; what is sent already was cleaned."""
    other = known.ours.memories.get(identifier)
    counted = _with_recalls(one.record, recalls, identifier)
    if other is None:
        return one._replace(record=dict(clean_record(counted)[0]))
    plain = without_use(one.record, other.record)
    if plain != other.record:
        plain = dict(clean_record(plain)[0])
    is_old = one._replace(record=plain) == other == known.theirs.memories.get(identifier)
    last, before = (time_or_none(record.get(_LAST)) for record in (counted, other.record))
    is_used = last is not None and (before is None or last - before >= _USE_AFTER)
    if is_used or not is_old:
        plain |= {key: counted[key] for key in (_COUNT, _LAST) if key in counted}
    return one._replace(record=plain)


def _with_recalls(
    record: Mapping[str, Any], recalls: Sequence[RecallLog], identifier: str
) -> dict[str, Any]:
    """Return a record with the recalls of logs counted in that are later than those it counts."""
    last = string(record.get(_LAST))
    found = [uncounted for log in recalls if (uncounted := log.since(identifier, last))]
    if not found:
        return dict(record)
    number = integer(record.get(_COUNT)) + sum(one.count for one in found)
    return {**record, _COUNT: number, _LAST: max(one.last for one in found)}


def _folder_of(item: KeptProject, theirs: Contents, used: Iterable[str]) -> str:
    """Return the folder of the same project of another machine; empty where there is none."""
    identity = _identity(item)
    others = (folder for folder in sorted(theirs) if folder not in used)
    return next((folder for folder in others if identity.is_same(theirs[folder].project)), "")


def _new_folder(item: KeptProject, taken: Collection[str]) -> str:
    """Return a folder for a project that nobody sent yet: by the key that it got before that."""
    own = f"{PROJECTS}/{item.key}"
    if is_of_project(own) and own not in taken:
        return own
    wanted = f"{PROJECTS}/{item.place.name}"
    names = (wanted, *(f"{wanted}-{number}" for number in range(2, len(taken) + 3)))
    return next(name for name in names if name not in taken)


def _is_moved(item: KeptProject) -> bool:
    """Return whether a memory is in its project now: its own, or since it was synced the team's."""
    if item.memory.is_dir():
        return False
    is_there = any((Path(folder) / MEMORY).is_dir() for folder in item.folders)
    return other_place(item.memory) is not None or (is_there and bool(item.key))


def _name_of(item: KeptProject) -> str:
    """Return the name of a project's folder, as far as it is known: that before the digest."""
    if item.folders:
        return Path(item.folders[0]).name
    name = item.key or item.place.name
    return name.rpartition("-")[0] or name


def _identity(item: KeptProject) -> Identity:
    return Identity(frozenset(item.remotes), frozenset(item.first_commits))


def identified(item: KeptProject, identity: Identity) -> KeptProject:
    return item._replace(
        remotes=tuple(sorted(identity.remotes)), first_commits=tuple(sorted(identity.first_commits))
    )
