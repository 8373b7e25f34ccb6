"""What git says of a folder, asked so that nothing a checkout brought along is run."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

_SECONDS = 10.0
"""Seconds after which git is no longer waited for."""
_SAFE = (
    "--no-optional-locks",
    "--no-pager",
    "-c",
    "core.fsmonitor=false",
    "-c",
    f"core.hooksPath={os.devnull}",
    "-c",
    "log.showSignature=false",
    "-c",
    "core.quotePath=false",
)
"""A repository's own configuration names programs; these settings keep git from running them."""
_OF_ANOTHER = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_PREFIX",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_EXTERNAL_DIFF",
)
"""What a hook of git has in its environment, about a repository that may be another one."""


def ask_git(
    folder: Path, arguments: Sequence[str], told: bytes = b"", *, seconds: float = _SECONDS
) -> bytes | None:
    """What git prints in a folder; `None` where it is missing, fails or takes too long.

    Only for commands that read: those that apply filters, text conversions or external diffs are
    given the options that turn these off by their caller.
    """
    import shutil
    import subprocess

    git = shutil.which("git")
    if git is None:
        return None
    environ = {key: value for key, value in os.environ.items() if key not in _OF_ANOTHER}
    try:
        done = subprocess.run(
            [git, *_SAFE, "-C", str(folder), *arguments],
            input=told,
            capture_output=True,
            timeout=seconds,
            env={**environ, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"},
            check=False,
        )
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


def find_repository(folder: Path) -> Path | None:
    """The work tree that a folder stands in, by its `.git`, without asking git."""
    return next((place for place in folder.resolve().parents if (place / ".git").exists()), None)


def describe_git(folder: Path) -> str | None:
    """Whether git tracks the store, in a sentence; `None` where there is no repository."""
    if find_repository(folder) is None:
        return None
    if ask_git(folder, ["rev-parse", "--git-dir"]) is None:
        return None
    if ask_git(folder, ["check-ignore", "-q", "issue-0.json"]) is not None:
        return "git ignores the memory: it stays on this machine."
    return "git sees the memory: its issue files can be committed and reviewed."


def unmerged_versions(path: Path) -> tuple[bytes | None, bytes | None, bytes | None] | None:
    """What git keeps of a file while it is in conflict: the base's content, ours and theirs.

    Each is `None` where that side has no such file; all is `None` where git knows no conflict.
    """
    if find_repository(path) is None:
        return None
    asked = "".join(f":{stage}:./{path.name}\n" for stage in (1, 2, 3)).encode()
    said = ask_git(path.parent, ["cat-file", "--batch"], asked)
    if said is None:
        return None
    found: list[bytes | None] = []
    for _ in range(3):
        line, _, said = said.partition(b"\n")
        size = line.rpartition(b" ")[2]
        if not size.isdigit():
            found.append(None)
            continue
        found.append(said[: int(size)])
        said = said[int(size) + 1 :]
    base, ours, theirs = found
    return None if ours is None and theirs is None else (base, ours, theirs)
