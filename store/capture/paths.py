"""File names as a project says them: relative to its root, and only those that belong to it."""

from __future__ import annotations

import re
from posixpath import normpath

_TEMPORARY = re.compile(
    r"^(?:/private)?/(?:tmp|var/folders|dev|proc)/|/\.claude/(?:plans|todos)/|^\S*/\.claude/projects/"
)
_HOME = re.compile(r"^(?:/home/[^/]+|/Users/[^/]+|[A-Za-z]:/Users/[^/]+)/")


def project_path(path: str, folder: str, roots: tuple[str, ...] = ()) -> str:
    """A file's path relative to the first root above it, or to `folder`; empty for scratch files.

    A file elsewhere keeps its path, with the home folder as `~`, so that no name of a person is
    remembered.
    """
    path = path.strip().replace("\\", "/")
    if not path or path.startswith("~/.claude/plans"):
        return ""
    bases = [root.replace("\\", "/").rstrip("/") for root in (*roots, folder) if root]
    inside = not path.startswith("/") and not re.match(r"^[A-Za-z]:/|^~", path)
    if inside:
        path = normpath(path)
        if not path.startswith("../"):
            return path.removeprefix("./")
        path = normpath(f"{bases[-1]}/{path}") if bases else path
    for base in bases:
        if path.startswith(base + "/"):
            return normpath(path[len(base) + 1 :])
    if _TEMPORARY.search(path):
        return ""
    return _HOME.sub("~/", normpath(path))
