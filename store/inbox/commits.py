"""What others committed to a file: git has it, and somebody there has approved it."""

from __future__ import annotations

from pathlib import Path

from store.backends.approved_files import kept_text
from store.platform.git_command import ask_git, find_repository, read_objects

_MOST = 30
"""Commits of a file that are looked at."""
_SECONDS = 2.0


def committed_by_others(root: Path, name: str, approved: str) -> str | None:
    """Return a file's text in the last commit, where only others committed to it since it was as
    approved; None for any other file. Both texts are without secrets.

    What an agent does is committed by its user.
    """
    if find_repository(root / name) is None or "\n" in name:
        return None
    asked = ["--literal-pathspecs", "log", f"-{_MOST}", "--format=%H %ce", "--", name]
    log = ask_git(root, asked, seconds=_SECONDS)
    user = ask_git(root, ["var", "GIT_COMMITTER_IDENT"], seconds=_SECONDS)
    if not log or user is None:
        return None
    own = user.partition(b"<")[2].partition(b">")[0]
    commits = [line.split(b" ", 1) for line in log.splitlines()]
    names = [f"{commit.decode()}:./{name}" for commit, _ in commits]
    newest: str | None = None
    for (_, committer), data in zip(commits, read_objects(root, names) or (), strict=False):
        text = None if data is None else kept_text(data.decode(errors="replace"))
        if text == approved:
            return newest
        if committer == own or text is None:
            return None
        newest = text if newest is None else newest
    return None
