"""A call of a hook: which it is, and what memory needs to know of the session that made it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from memtui.hooks.event import HookInput
from store.agents.client import Client, Home
from store.backends import Location
from store.backends.location import chosen_store, nearest_store, place_to_start
from store.backends.placement import MemoryPlace, chosen_place, prepare_place
from store.platform.home import expanded
from store.platform.project import project_of
from store.sessions.place import issue_for


class HookCall(NamedTuple):
    """A hook by its name, its input, the client that runs it, and what that client runs in."""

    hook: str
    given: HookInput
    client: Client
    environ: Mapping[str, str]
    home: Home

    @property
    def agent(self) -> str:
        """Agent of the call: by the client's own name for it, if it has one."""
        return self.given.agent_type or self.client.name

    @property
    def folder(self) -> Path:
        """Folder of the session."""
        return Path(self.given.folder or ".")

    @property
    def branch(self) -> str:
        """The branch of that folder; empty without a repository."""
        project = project_of(self.folder)
        return project.branch if project else ""

    @property
    def commit(self) -> str:
        """The commit that folder is at; empty without a repository, or one without commits."""
        project = project_of(self.folder)
        return project.commit if project else ""

    @property
    def issue(self) -> int:
        """The issue that the session is about, by environment, input or branch; else 0."""
        return issue_for(environ=self.environ, hook=self.given.fields, branch=self.branch)

    def transcript(self, named: str) -> Path | None:
        """The session's file: the one that is named, else the one that the client keeps of it, for
        those that don't tell it to hooks. Raises `NoMemory` for the home of no user.
        """
        if named:
            return expanded(named)
        session_id = self.given.session_id
        files = self.client.session_files(self.home, ()) if session_id else ()
        own = (file for file in files if session_id in (file.session_id, file.path.stem))
        return next((file.path for file in own), None)


def memory_of(folder: Path, environ: Mapping[str, str]) -> Location | None:
    """The memory that a session in `folder` belongs to, by the rule of `find_store`, if any.

    Raises `NoMemory` where `MEMTUI_DIR` is wrong, or the memory is a link.
    """
    return chosen_store(folder, environ) or nearest_store(folder)


def memory_to_start(folder: Path, home: Path, environ: Mapping[str, str]) -> Path | None:
    """Where a memory begins for a session that has none: in the user's data folder, unless the
    user chose the project. Nothing is written in a project that nobody asked for.

    None for the home folder and the root of the disk, which are nobody's project. Raises
    `ReadOnly`, `WriteFailed`, `StoreError`.
    """
    place = place_to_start(folder)
    if place in (home, Path(place.anchor)):
        return None
    return prepare_place(place, chosen_place(environ) or MemoryPlace.USER)
