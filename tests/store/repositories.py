"""Real git repositories for tests: no configuration of the machine reaches them."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from store.backends.files.backend import FilesBackend

_ENVIRON = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "tester",
    "GIT_AUTHOR_EMAIL": "tester@example.com",
    "GIT_COMMITTER_NAME": "tester",
    "GIT_COMMITTER_EMAIL": "tester@example.com",
    "GIT_AUTHOR_DATE": "2026-03-01T12:00:00Z",
    "GIT_COMMITTER_DATE": "2026-03-01T12:00:00Z",
    "GIT_EDITOR": "true",
}


@dataclass
class Repository:
    """A work tree, and git in it; commits have the `date`, where it is given."""

    root: Path
    said: str = ""
    date: str = ""

    def __call__(self, *arguments: str, fails: bool = False) -> Repository:
        """Run git; what it prints is kept in `said`. It must fail where `fails` says so."""
        # Its user's configuration is the null device here, which git, run by root, would replace.
        assert "--global" not in arguments, "write the file of the user's configuration instead"
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.root,
            env={**os.environ, **_ENVIRON, **self._dates},
            capture_output=True,
            text=True,
            check=False,
        )
        self.said = done.stdout + done.stderr
        assert (done.returncode != 0) == fails, (arguments, self.said)
        return self

    @property
    def _dates(self) -> dict[str, str]:
        names = ("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE")
        return dict.fromkeys(names, self.date) if self.date else {}

    def commit(self, message: str) -> Repository:
        self("add", "-A")
        return self("commit", "-q", "--allow-empty", "-m", message)


def repository(root: Path) -> Repository:
    """A new repository on the branch `main`."""
    root.mkdir(parents=True, exist_ok=True)
    return Repository(root)("init", "-q", "-b", "main")


def tracked_project(root: Path) -> Path:
    """Return a new repository in which git tracks a memory that has nothing yet."""
    git = repository(root)
    FilesBackend(root / ".agentx" / "memory").settle(())
    git("add", ".agentx")
    return root


def program(folder: Path) -> str:
    """A program that runs memtui, for git to call."""
    path = folder / "memtui"
    root = Path(__file__).parents[2]
    path.write_text(f'#!/bin/sh\nPYTHONPATH="{root}" exec "{sys.executable}" -m memtui "$@"\n')
    path.chmod(0o755)
    return str(path)
