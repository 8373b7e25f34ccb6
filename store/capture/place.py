"""Where a capture is filed: its issue, and the project whose memory it belongs to.

Everything is read from git's own files: no program is started for it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

ISSUE_VARIABLES = ("MEMTUI_ISSUE", "AGENTX_ISSUE", "ISSUE_NUMBER")
"""Environment variables that name the issue, the first one first."""

_BRANCH_ISSUE = (
    re.compile(r"(?:^|[/_-])(?:issue|issues|gh|ticket|bug)[-_/#]?(\d{1,7})(?:$|[-_/])", re.I),
    re.compile(
        r"^(?:[\w.-]+/)*(?:feature|feat|fix|bugfix|hotfix|chore|task|docs|refactor|story)"
        r"/#?(\d{1,7})(?:$|[-_/])",
        re.I,
    ),
    re.compile(r"^#?(\d{1,7})(?:$|[-_/](?=[A-Za-z]))"),
)
_REFERENCE = "ref: refs/heads/"
_GITDIR = "gitdir:"


@dataclass(frozen=True, slots=True)
class Project:
    """A git working tree: its root, the root of its main working tree, and its branch."""

    root: Path
    main_root: Path
    branch: str


def issue_from_branch(branch: str) -> int:
    """The issue a branch's name speaks of (`feature/29-x`, `issue-29`, `GH-29`), else 0."""
    for pattern in _BRANCH_ISSUE:
        match = pattern.search(branch)
        if match:
            return int(match.group(1))
    return 0


def issue_for(
    *,
    option: int | None = None,
    environ: Mapping[str, str] | None = None,
    hook: Mapping[str, object] | None = None,
    branch: str = "",
) -> int:
    """The issue of a session: by option, environment, hook input, branch name, else 0."""
    if option is not None:
        return option
    for name in ISSUE_VARIABLES:
        value = (environ or {}).get(name, "").strip().lstrip("#")
        if value.isdecimal():
            return int(value)
    for key in ("issue", "issue_number", "issueNumber"):
        value = str((hook or {}).get(key, "")).lstrip("#")
        if value.isdecimal():
            return int(value)
    return issue_from_branch(branch)


def project_of(folder: Path) -> Project | None:
    """The git working tree that `folder` lies in, or None. Folders that are gone are no error."""
    for place in (folder, *folder.parents):
        dot_git = place / ".git"
        if dot_git.is_dir():
            return Project(place, place, _branch(dot_git))
        if dot_git.is_file():
            git_folder = _linked(dot_git)
            if git_folder is not None:
                return Project(place, _main_root(git_folder, place), _branch(git_folder))
    return None


def _linked(dot_git: Path) -> Path | None:
    """The git folder that a worktree's or submodule's `.git` file points to."""
    text = _read(dot_git)
    if not text.startswith(_GITDIR):
        return None
    return (dot_git.parent / text.removeprefix(_GITDIR).strip()).resolve()


def _main_root(git_folder: Path, root: Path) -> Path:
    """The main working tree's root for a linked worktree; a submodule is its own."""
    common = _read(git_folder / "commondir")
    if not common:
        return root
    shared = (git_folder / common).resolve()
    return shared.parent if shared.name == ".git" else root


def _branch(git_folder: Path) -> str:
    head = _read(git_folder / "HEAD")
    return head.removeprefix(_REFERENCE) if head.startswith(_REFERENCE) else ""


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
