"""What is synced of one memory, as a value, and the files that it is in the repository.

`mine/…` is the user's own memory, `projects/KEY/…` one of a project: in each `issue-N.json`,
`archive/`, `removed/` and, where they are along, `sessions/`; `project.json` names the project.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from store.backends.files.issue_file import IssueFile, dump_issue_file, parse_issue_file
from store.backends.files.layout import archive_name, issue_name, issue_of
from store.backends.text_kinds import TextKind, text_at, text_path
from store.backends.tombstones import Tombstone, dump_tombstones, name_of, parse_tombstones
from store.errors import NotFound
from store.merge.changes import Snapshot, Standing
from store.merge.values import instant, later
from store.platform.json_fields import object_in, strings
from store.records import as_json, new_record, record_id

MINE = "mine"
PROJECTS = "projects"
_ABOUT = "project.json"
_PATH = re.compile(rf"({MINE}|{PROJECTS}/\w[\w.-]{{0,99}})/([\w./-]{{1,200}})")


class Identity(NamedTuple):
    """By what a project is known on every machine."""

    remotes: frozenset[str] = frozenset()
    first_commits: frozenset[str] = frozenset()

    def is_same(self, other: Identity) -> bool:
        """Return whether two are of one project: by a remote, unless both have first commits and
        share none; else by a first commit, unless both have remotes.
        """
        shares_commit = bool(self.first_commits & other.first_commits)
        if self.remotes & other.remotes:
            return shares_commit or not (self.first_commits and other.first_commits)
        return shares_commit and not (self.remotes and other.remotes)

    def __or__(self, other: Identity) -> Identity:
        return Identity(self.remotes | other.remotes, self.first_commits | other.first_commits)


NO_PROJECT = Identity()


@dataclass(frozen=True, slots=True)
class Content:
    """The memories of one memory by id, its tombstones with their issues, and its digests of
    sessions by name; `project` is empty for the user's own.
    """

    memories: Snapshot = field(default_factory=dict)
    removed: frozenset[tuple[int, Tombstone]] = frozenset()
    sessions: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    project: Identity = NO_PROJECT

    @property
    def is_bare(self) -> bool:
        """Nothing was ever in it, or its files are gone: what was removed leaves a tombstone."""
        return not (self.memories or self.removed)


Contents = Mapping[str, Content]
"""What is synced of each memory, by its folder in the repository."""
Files = Mapping[str, object]
"""What is in the files of the repository that are ours, by their paths."""


def parse(path: str, data: bytes) -> object | None:
    """Return what is in a file of the repository; `None` for one that is not ours.

    Raises `Unreadable`: what can't be read is not taken to be gone.
    """
    folder, name = _divided(path)
    if not folder:
        return None
    if issue_of(name) is not None:
        records = parse_issue_file(data, path).records
        found = {record_id(record.value): record.exact() for record in records}
        return {identifier: value for identifier, value in found.items() if identifier is not None}
    if name == _ABOUT:
        about = object_in(data)
        return Identity(
            frozenset(strings(about.get("remotes"))), frozenset(strings(about.get("firstCommits")))
        )
    kind = _kind_of(name)
    if kind is TextKind.REMOVED and _issue_of_tombstones(name) is not None:
        return frozenset(parse_tombstones(data))
    return object_in(data) if kind is TextKind.SESSIONS else None


def contents_of(files: Files) -> dict[str, Content]:
    """Put the files of a repository together; where an id is in an archive too, the issue wins."""
    memories: dict[str, dict[str, Standing]] = defaultdict(dict)
    removed: dict[str, set[tuple[int, Tombstone]]] = defaultdict(set)
    sessions: dict[str, dict[str, Mapping[str, Any]]] = defaultdict(dict)
    projects: dict[str, Identity] = {}
    for path in sorted(files, key=lambda path: "/archive/" not in path):
        folder, name = _divided(path)
        value, issue = files[path], issue_of(name)
        if isinstance(value, Identity):
            projects[folder] = value
        elif isinstance(value, frozenset):
            of = _issue_of_tombstones(name) or 0
            removed[folder] |= {(of, stone) for stone in value}
        elif isinstance(value, dict) and issue is None:
            sessions[folder][text_at(name)[1]] = value
        elif isinstance(value, dict) and issue is not None:
            is_archived = name.startswith("archive/")
            for identifier, record in value.items():
                memories[folder][identifier] = Standing(issue, is_archived, record)
    return {
        folder: Content(
            memories[folder],
            frozenset(removed[folder]),
            sessions[folder],
            projects.get(folder, NO_PROJECT),
        )
        for folder in {**memories, **removed, **sessions, **projects}
    }


def files_of(contents: Contents) -> dict[str, object]:
    """Divide what is synced into the files of the repository."""
    files: dict[str, object] = {}
    for folder, content in contents.items():
        if folder != MINE:
            files[f"{folder}/{_ABOUT}"] = content.project
        issues: dict[str, dict[str, Mapping[str, Any]]] = defaultdict(dict)
        for identifier, (issue, is_archived, record) in content.memories.items():
            name = archive_name(issue) if is_archived else issue_name(issue)
            issues[f"{folder}/{name}"][identifier] = record
        stones: dict[str, set[Tombstone]] = defaultdict(set)
        for issue, stone in content.removed:
            stones[f"{folder}/{text_path(TextKind.REMOVED, name_of(issue))}"].add(stone)
        files |= issues
        files |= {path: frozenset(found) for path, found in stones.items()}
        for name, digest in content.sessions.items():
            files[f"{folder}/{text_path(TextKind.SESSIONS, name)}"] = digest
    return files


def dump(path: str, value: object) -> bytes:
    """Return the bytes of a file: the same for the same value."""
    name = _divided(path)[1]
    issue = issue_of(name)
    if isinstance(value, Identity):
        about = {
            "version": 1,
            "remotes": sorted(value.remotes),
            "firstCommits": sorted(value.first_commits),
        }
        return f"{json.dumps(about, indent=2, ensure_ascii=False)}\n".encode()
    if isinstance(value, frozenset):
        return dump_tombstones(value)
    if issue is None or not isinstance(value, dict):
        return as_json(value) + b"\n"
    records = sorted(value.items(), key=lambda item: (instant(item[1].get("timestamp")), item[0]))
    header = {"version": 1, "issueNumber": issue, "updatedAt": _latest(value.values())}
    return dump_issue_file(IssueFile(header, [new_record(dict(record)) for _, record in records]))


def _latest(records: Iterable[Mapping[str, Any]]) -> object:
    times = [record.get(key) for record in records for key in ("timestamp", "editedAt")]
    return later("", *(time for time in times if isinstance(time, str)))


def is_of_project(folder: str) -> bool:
    """Return whether a folder can be that of a project in the repository."""
    return folder != MINE and _divided(f"{folder}/{_ABOUT}")[0] == folder


def _divided(path: str) -> tuple[str, str]:
    """Return the memory's folder and the name in it; empty for a path that is not ours."""
    match = _PATH.fullmatch(path)
    return (match[1], match[2]) if match and ".." not in path else ("", "")


def _kind_of(name: str) -> TextKind | None:
    try:
        return text_at(name)[0]
    except NotFound:
        return None


def _issue_of_tombstones(name: str) -> int | None:
    return issue_of(f"{text_at(name)[1]}.json")
