"""What git does with a store: tracks it, or ignores it."""

from __future__ import annotations

import os
from pathlib import Path


def describe_git(folder: Path) -> str | None:
    """Whether git tracks the store, in a sentence; `None` where there is no repository."""
    root = next((place for place in folder.resolve().parents if (place / ".git").exists()), None)
    if root is None:
        return None
    import shutil
    import subprocess

    git = shutil.which("git")
    if git is None:
        return None
    environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0"}
    try:
        ignored = subprocess.run(
            [git, "-C", str(folder), "check-ignore", "-q", "issue-0.json"],
            capture_output=True,
            timeout=5,
            env=environment,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    if ignored.returncode == 0:
        return "git ignores the memory: it stays on this machine."
    return "git sees the memory: its issue files can be committed and reviewed."
