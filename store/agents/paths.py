"""File names as a project writes them: relative to its root, and only those that belong to it."""

from __future__ import annotations

import re
from posixpath import normpath

from store.platform.lazy_pattern import lazy_pattern

_ABSOLUTE = lazy_pattern(r"/|~|[A-Za-z]:/")
_ELSEWHERE = lazy_pattern(r"/|~|\.\.(?:/|$)|[A-Za-z]:/")
_SCRATCH = lazy_pattern(
    r"^(?:/private)?/(?:tmp|var/folders|dev|proc)/|(?:^|/)\.claude/(?:plans|todos|projects)/"
)
_OF_THE_CLIENT = lazy_pattern(
    r"(?:^|/)\.(?:claude/(?:file-history|todos|projects|shell-snapshots|statsig|session-env|debug)"
    r"|codex/(?:sessions|log)|gemini/tmp)/"
)
"""What an agent's program writes for itself, where the project is the home folder."""
_WORKTREE = lazy_pattern(r"^\.claude/worktrees/[^/]+/")
"""Where an agent's program keeps the checkouts of its sub-agents: what they hold is the project."""
_GIT = lazy_pattern(r"(?:^|/)\.git/")
_TEST = lazy_pattern(r"(?:^|[/_.-])(?:tests?|specs?|__tests__)(?:[/_.-]|$)", re.I)
_HOME = lazy_pattern(r"^(?:/home/[^/]+|/Users/[^/]+|[A-Za-z]:/Users/[^/]+)/")


def project_path(path: str, folder: str, roots: tuple[str, ...] = ()) -> str:
    """Return a file's path relative to the first root above it, or to `folder`; empty for scratch
    files.

    `folder` is where the session runs, and what relative paths are relative to. A file elsewhere
    keeps its path, with the home folder as `~`, so that no name of a person is remembered.
    """
    bases = [root.replace("\\", "/").rstrip("/") for root in (*roots, folder) if root]
    path = path.strip().replace("\\", "/")
    if not path:
        return ""
    if not _ABSOLUTE.match(path) and bases and _ABSOLUTE.match(bases[-1]):
        path = f"{bases[-1]}/{path}"
    path = normpath(path)
    if _GIT.search(path) or _OF_THE_CLIENT.search(path):
        return ""
    for base in bases:
        if path.startswith(base + "/"):
            return _WORKTREE.sub("", path[len(base) + 1 :])
    return "" if _SCRATCH.search(path) else _HOME.sub("~/", path)


def is_elsewhere(path: str) -> bool:
    """Return whether a path, as `project_path` returns it, is outside the project."""
    return _ELSEWHERE.match(path) is not None


def without_folder(text: str, folder: str) -> str:
    """Return a text in which the files below `folder` are relative to it."""
    base = folder.replace("\\", "/").rstrip("/")
    return text.replace(f"{base}/", "") if base.count("/") > 1 else text


def is_test(path: str) -> bool:
    return _TEST.search(path) is not None
