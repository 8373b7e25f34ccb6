"""The session files of a project, and what its person answered about those that ran elsewhere."""

from __future__ import annotations

from pathlib import Path

from store.agents.answers import Answer, keep_answer
from store.agents.answers import forget_answer as forget_kept_answer
from store.agents.client import Home, SessionFile
from store.agents.discovery import session_files
from store.agents.ownership import Earlier, Standing, is_other_home, sort_sessions
from store.backends.user_data import project_root
from store.opened_store import OpenedStore
from store.platform.project import folders_of
from store.sessions.everywhere import files_everywhere


class SessionFiles:
    """The sessions in clients' own folders that ran in this memory's project."""

    def __init__(self, store: OpenedStore) -> None:
        self._store = store

    def of_project(self, home: Home) -> tuple[SessionFile, ...]:
        """Return the project's session files, newest first: those of all its working trees; where
        sessions of all projects are kept, those of all.

        Reads no more than their first lines.
        """
        if self._store.is_everywhere:
            return files_everywhere(home)
        return session_files(home, self._folders())

    def earlier_folders(self, home: Home) -> tuple[Earlier, ...]:
        """Return where sessions ran that may be the project's from before, with what became of
        them: those first that can be adopted (`adopt`).
        """
        return sort_sessions(home, self._folders()).earlier

    def offered(self, home: Home) -> list[Earlier]:
        """Return the earlier folders that wait for an answer: `adopt` or `refuse`."""
        found = self.earlier_folders(home)
        return [folder for folder in found if folder.standing is Standing.OFFERED]

    def adopt(self, home: Home, folder: Path) -> None:
        """Count what ran in a folder, or lies in one of a client's, as the project's sessions.

        Of a home folder, what ran in all projects there. Raises `WriteFailed`, `Unreadable`.
        """
        self._answer(home, folder, is_taken=True)

    def refuse(self, home: Home, folder: Path) -> None:
        """Leave what ran in a folder out of the project's sessions. Raises as `adopt`."""
        self._answer(home, folder, is_taken=False)

    def forget_answer(self, home: Home, folder: Path) -> None:
        """Take back that a folder was adopted or refused. Raises `NotFound`, and as above."""
        forget_kept_answer(home, folder, self._project_for(home, folder))

    def _answer(self, home: Home, folder: Path, *, is_taken: bool) -> None:
        keep_answer(home, Answer(folder, self._project_for(home, folder), is_taken))

    def _project_for(self, home: Home, folder: Path) -> Path:
        """Map a folder to one of this project: the project moved, or the home around it."""
        root = self._folders()[0]
        return home.path if is_other_home(home, root, folder) else root

    def _folders(self) -> tuple[Path, ...]:
        """Return the working trees of this memory's project, the main one first."""
        return folders_of(project_root(self._store.path))
