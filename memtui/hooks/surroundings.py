"""The surroundings of a session, by asking git: branch, changed files, commits, open branches."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import monotonic
from typing import NamedTuple

from store.platform.git_command import git_command, git_environment

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
_ASKED = (
    ("status", "--porcelain=v1", "-z", "--untracked-files=no", "--ignore-submodules"),
    ("for-each-ref", "--no-merged=HEAD", "--format=%(refname:short)", "refs/heads"),
    (
        "log", f"-{_MOST_COMMITS}", "--no-merges", "--no-show-signature", "--no-ext-diff",
        "--name-only", "-z", "--format=%x01%s%x01", "HEAD", "--not", *_NOT_IN_MAIN,
    ),
)  # fmt: skip
_TRACKED = ("ls-files", "--", _RECORD)
_TOLD_COMMITS = 5
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
    try:
        environ = git_environment(root, _PATIENCE)
    except (OSError, subprocess.TimeoutExpired):
        environ = None
    is_main = branch in _WORDLESS
    asked = _ASKED[:2] if is_main else _ASKED
    changed, unmerged, log = (*_answers(root, asked, environ, end), "")[:3]
    # A hook waits for each process of git: this one is only asked where it matters.
    (tracked,) = _answers(root, (_TRACKED,), environ, end) if unmerged else ("",)
    uncommitted = [entry[3:] for entry in changed.split("\0") if entry[2:3] == " "]
    subjects, committed = _commits(log)
    files = [path for path in dict.fromkeys([*uncommitted, *committed]) if not _is_ours(path)]
    words = () if is_main else tuple(_NOT_A_WORD.sub(" ", branch).split())
    return Surroundings(
        branch,
        words,
        tuple(files[:_MOST_FILES]),
        tuple(subjects[:_TOLD_COMMITS]),
        () if tracked else tuple(unmerged.split()),
    )


def _commits(log: str) -> tuple[list[str], list[str]]:
    subjects, files = [], []
    for at, part in enumerate(log.split("\x01")):
        if at % 2:
            subjects.append(part)
        else:
            files += [path for path in part.strip("\n").split("\0") if path.strip()]
    return subjects, [path.strip("\n") for path in files]


def _is_ours(path: str) -> bool:
    return path.startswith(".agentx/")


def _answers(
    root: Path,
    asked: Sequence[Sequence[str]],
    environ: Mapping[str, str] | None,
    end: float,
) -> list[str]:
    """Ask git several things at once; empty where it is missing, fails or takes too long."""
    running = []
    if environ is None:
        return [""] * len(asked)
    for arguments in asked:
        try:
            running.append(
                subprocess.Popen(
                    git_command(root, *arguments),
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    env=environ,
                )
            )
        except OSError:
            return [""] * len(asked)
    return [_answer(process, max(0.0, end - monotonic())) for process in running]


def _answer(process: subprocess.Popen[bytes], seconds: float) -> str:
    with process:
        try:
            said, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            return ""
    return said.decode("utf-8", "replace") if process.returncode == 0 else ""
