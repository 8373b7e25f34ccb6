"""What a session is about before anybody said it: its branch, changed files and last commits."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import monotonic
from typing import NamedTuple

from store.git import git_command, git_environment

_PATIENCE = 0.5
"""Seconds that git may take for all it is asked; in a large repository the rest goes unsaid."""
_RECORD = ".agentx/memory/issue-*.json"
_ASKED = (
    ("status", "--porcelain=v1", "-z", "--untracked-files=no", "--ignore-submodules"),
    ("for-each-ref", "--no-merged=HEAD", "--format=%(refname:short)", "refs/heads"),
    ("log", "-5", "--no-merges", "--no-show-signature", "--no-ext-diff", "--format=%s"),
)
_TRACKED = ("ls-files", "--", _RECORD)
_MOST_FILES = 20
_WORDLESS = frozenset({"main", "master", "trunk", "develop", "head"})
_NOT_A_WORD = re.compile(r"[\W_]+")


class Surroundings(NamedTuple):
    """The words of the branch's name, the changed files, and the subjects of the last commits.

    `unmerged` are the other branches whose work is not in this one; none where git tracks memory,
    since what they taught comes with their merge.
    """

    branch_words: tuple[str, ...] = ()
    changed_files: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()
    unmerged: tuple[str, ...] = ()


def surroundings_of(root: Path, branch: str) -> Surroundings:
    """What git says of a project; a main branch says nothing of what is being done."""
    end = monotonic() + _PATIENCE
    try:
        environ = git_environment(root, _PATIENCE)
    except (OSError, subprocess.TimeoutExpired):
        environ = None
    changed, unmerged, subjects = _answers(root, _ASKED, environ, end)
    # A hook waits for each process of git: this one is only asked where it matters.
    (tracked,) = _answers(root, (_TRACKED,), environ, end) if unmerged else ("",)
    files = [entry[3:] for entry in changed.split("\0") if entry[2:3] == " "][:_MOST_FILES]
    words = () if branch in _WORDLESS else tuple(_NOT_A_WORD.sub(" ", branch).split())
    commits = tuple(subjects.strip().splitlines())
    return Surroundings(words, tuple(files), commits, () if tracked else tuple(unmerged.split()))


def _answers(
    root: Path,
    asked: Sequence[Sequence[str]],
    environ: Mapping[str, str] | None,
    end: float,
) -> list[str]:
    """What git says, asked side by side; empty where it is missing, fails or takes too long."""
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
