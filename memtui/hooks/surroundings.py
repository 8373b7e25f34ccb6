"""The surroundings of a session, by asking git: branch, changed files, commits, open branches."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import monotonic
from typing import NamedTuple

from store.platform.git_command import git_command, git_environment
from store.platform.project import has_other_branches

_PATIENCE = 0.5
"""Seconds that git may take for all it is asked; in a large repository the rest goes unsaid."""
_RECORD = ".agentx/memory/issue-*.json"
_MAIN = ("main", "master", "trunk", "develop")
_NOT_IN_MAIN = (
    *(f"--branches=[{name[0]}]{name[1:]}" for name in _MAIN),
    *(f"--remotes=*/[{name[0]}]{name[1:]}" for name in _MAIN),
)
"""The main branches, as patterns: git ignores those that do not exist."""
_MOST_FILES, _MOST_COMMITS = 20, 20
_BRANCHES = ("for-each-ref", "--no-merged=HEAD", "--format=%(refname:short)", "refs/heads")
_LOG = (
    "log", f"-{_MOST_COMMITS}", "--no-merges", "--no-show-signature", "--no-ext-diff",
    "--name-only", "-z", "--format=%x01%s%x01", "HEAD", "--not", *_NOT_IN_MAIN,
)  # fmt: skip
_STATUS = ("status", "--porcelain=v1", "-z", "--untracked-files=no", "--ignore-submodules")
_TRACKED = ("ls-files", "--", _RECORD)
_SHOWN_COMMITS = 5
_WORDLESS = frozenset({*_MAIN, "head"})
_NOT_A_WORD = re.compile(r"[\W_]+")


class Surroundings(NamedTuple):
    """The branch and the words of its name, the files it changed, committed or not, and the
    subjects of its last commits; of a main branch the files that are changed and not committed.

    `unmerged` are the other branches whose work is not in this one; none where git tracks memory,
    since what they taught comes with their merge.
    """

    branch: str = ""
    branch_words: tuple[str, ...] = ()
    changed_files: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()
    unmerged: tuple[str, ...] = ()


def surroundings_of(root: Path, branch: str) -> Surroundings:
    """Ask git about a project. The name of a main branch has no words of its own."""
    end = monotonic() + _PATIENCE
    is_main = branch in _WORDLESS
    words = () if is_main else tuple(_NOT_A_WORD.sub(" ", branch).split())
    try:
        environ = git_environment(root, _PATIENCE)
    except (OSError, subprocess.TimeoutExpired):
        return Surroundings(branch, words)

    def ask(arguments: Sequence[str]) -> str:
        return _answer(git_command(root, *arguments), environ, end - monotonic())

    unmerged = ask(_BRANCHES) if has_other_branches(root) else ""
    is_tracked = bool(unmerged and ask(_TRACKED))
    subjects, committed = _commits("" if is_main else ask(_LOG))
    # Last, since it looks at every file: in a large repository the rest is known without it.
    uncommitted = [entry[3:] for entry in ask(_STATUS).split("\0") if entry[2:3] == " "]
    files = [
        path
        for path in dict.fromkeys([*uncommitted, *committed])
        if not path.startswith(".agentx/")
    ]
    return Surroundings(
        branch,
        words,
        tuple(files[:_MOST_FILES]),
        tuple(subjects[:_SHOWN_COMMITS]),
        () if is_tracked else tuple(unmerged.split()),
    )


def _answer(command: Sequence[str], environ: Mapping[str, str], seconds: float) -> str:
    """Return git's answer; empty where it fails or takes too long."""
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=max(0.0, seconds),
            env=environ,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else ""


def _commits(log: str) -> tuple[list[str], list[str]]:
    subjects, files = [], []
    for at, part in enumerate(log.split("\x01")):
        if at % 2:
            subjects.append(part)
        else:
            files += [path for path in part.strip("\n").split("\0") if path.strip()]
    return subjects, [path.strip("\n") for path in files]
