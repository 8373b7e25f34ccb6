"""Commits of the repository between machines, as contents of memories; each file is read once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from store.errors import Unreadable
from store.merge.changes import compare
from store.sync.content import Contents, Files, contents_of, dump, files_of, parse
from store.sync.encryption import Encryption, plain_path
from store.sync.repository import Repository


@dataclass(frozen=True, slots=True)
class State:
    """A commit, its files as they are, their contents, and the paths that they have there."""

    commit: str = ""
    files: Files = field(default_factory=dict)
    contents: Contents = field(default_factory=dict)
    paths: frozenset[str] = frozenset()


class Commits:
    """Reads commits and makes new ones, encrypted where the settings name a key."""

    def __init__(
        self, repository: Repository, encryption: Encryption, clock: Callable[[], datetime]
    ) -> None:
        self._repository, self._encryption, self._clock = repository, encryption, clock
        self._parsed: dict[tuple[str, str], object | None] = {}
        """By object and path, what is in the files that were read."""

    def read(self, commit: str) -> State:
        """Read a commit; each file once, whichever commits it is in. Raises `Unreadable`."""
        if not commit:
            return State()
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
        return State(commit, files, contents_of(files), frozenset(ours))

    def _parse(self, path: str, data: bytes) -> object | None:
        try:
            return parse(path, data)
        except Unreadable as error:
            raise self._repository.unreadable(error.message) from error

    def written(self, before: State, contents: Contents, parents: Sequence[str]) -> str:
        """Return a commit of some contents: the one `before` where these are the same."""
        files = files_of(contents)
        changes: dict[str, bytes | None] = {}
        for path, value in files.items():
            target = self._encryption.path_of(path)
            if before.files.get(path) != value or target not in before.paths:
                changes[target] = self._encryption.encrypt(dump(path, value))
        wanted = set(map(self._encryption.path_of, files))
        changes |= dict.fromkeys(before.paths - wanted)
        if not changes:
            return before.commit
        message = _message(before.contents, contents)
        known = [parent for parent in parents if parent]
        return self._repository.commit(changes, known, message, self._clock())


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
