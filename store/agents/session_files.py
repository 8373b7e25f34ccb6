"""The session files there are: in the clients' own folders, or under any folder."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager
from pathlib import Path

from store.agents.client import Home, SessionFile
from store.agents.files import files_at
from store.agents.registry import clients

_SUB_AGENTS = "subagents"
_ENDINGS = frozenset({".jsonl", ".json"})


def session_files(home: Home, folders: Iterable[Path] = ()) -> tuple[SessionFile, ...]:
    """The sessions in the clients' own folders, newest first.

    With `folders` (a project's working trees, `store.project.folders_of`), those that ran there.
    Folders that are missing or can't be read hold none.
    """
    within = tuple(folders)
    found = [file for client in clients() for file in client.session_files(home, within)]
    return tuple(sorted(found, key=lambda file: (file.modified, file.path), reverse=True))


def open_session(path: Path) -> AbstractContextManager[Iterable[bytes]]:
    """The lines of a session, for `with`: of a file, or of `FILE#ID` in a database.

    Raises OSError.
    """
    if "#" in path.name and not path.exists():
        for client in clients():
            if client.lines is not None:
                return client.lines(path)
    return path.open("rb")


def transcripts_in(folder: Path) -> tuple[SessionFile, ...]:
    """All files under a folder that may be transcripts, oldest first: the order of a history.

    Those of sub-agents are left out. Which of the others are transcripts, reading them tells.
    """
    paths = (path for path in folder.rglob("*") if path.suffix in _ENDINGS)
    files = files_at((path for path in paths if _SUB_AGENTS not in path.parts), "")
    return tuple(sorted(files, key=lambda file: (file.modified, file.path)))
