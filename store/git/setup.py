"""Set up a repository so that git merges and shows memory by itself: a plan and its undo.

An attributes file in the memory names which files are memory's; it is committed with them. The
driver's command is in git's configuration, which no clone brings along: of the repository, or
of the user, once for all clones.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path

from store.agents.hooks import program_words
from store.backends.files.issue_reader import layout_to_read
from store.backends.files.layout import issue_of
from store.errors import StoreError, Unreadable, WriteFailed
from store.model import Layout
from store.platform.git_command import ask_git, find_repository, is_tracked
from store.platform.read import read_bytes
from store.platform.write import replace_durably

ATTRIBUTES = ".gitattributes"
_MARK = "# Written by `memtui git install`: memory merges and shows memory by memory."
_LINES = (
    _MARK,
    "issue-*.json merge=memtui diff=memtui",
    "archive/issue-*-archived.json merge=memtui diff=memtui",
    "issue-*/*.json merge=memtui diff=memtui",
    "archive/issue-*/*.json merge=memtui diff=memtui",
    "sessions/*.json merge=memtui",
    "**/removed/*.jsonl merge=union",
)
_NAME = "merge.memtui.name"
DRIVER = "merge.memtui.driver"
TEXTCONV = "diff.memtui.textconv"


@dataclass(frozen=True, slots=True)
class Setting:
    """One key of git's configuration, before and after; `None` where it is not set."""

    key: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class GitPlan:
    """Changes of an installation, or of its undo. `for_user`: in the user's configuration."""

    folder: Path
    before: str
    after: str
    settings: tuple[Setting, ...]
    for_user: bool = False

    @property
    def is_empty(self) -> bool:
        return self.before == self.after and not self.settings

    @property
    def diff(self) -> str:
        """The plan as a diff of the attributes file, and the configuration's keys."""
        path = str(self.folder / ATTRIBUTES)
        sides = self.before.splitlines(), self.after.splitlines()
        lines = list(unified_diff(*sides, path, path, lineterm=""))
        where = "the user's configuration" if self.for_user else "this repository's configuration"
        lines += [f"git, {where}:"] if self.settings else []
        for setting in self.settings:
            lines += [] if setting.before is None else [f"-{setting.key} = {setting.before}"]
            lines += [] if setting.after is None else [f"+{setting.key} = {setting.after}"]
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class GitStatus:
    """The treatment of a memory by git.

    `repository` is its work tree, if any; `is_ignored` whether git leaves it out; `has_issues`
    whether it tracks files that the driver merges, which a vault has none of; `attributes`
    whether its files name the driver; `driver` the driver's command; `unmerged` the files that git
    holds in conflict, `tracks_manifest` whether it tracks what is derived.
    """

    repository: Path | None
    is_ignored: bool = False
    is_tracked: bool = False
    has_issues: bool = False
    attributes: bool = False
    driver: str = ""
    unmerged: tuple[str, ...] = ()
    tracks_manifest: bool = False

    @property
    def is_offered(self) -> bool:
        """An installation would help: memory is in git, and git merges it line by line."""
        return self.has_issues and not (self.attributes and self.driver)


def git_status(folder: Path) -> GitStatus:
    """Ask git how it treats a memory; changes nothing."""
    root = find_repository(folder)
    if root is None or is_tracked(folder) is None:
        return GitStatus(None)
    file = "issue-0.json" if layout_to_read(folder) is Layout.PER_ISSUE else "issue-0/memory.json"
    output = ask_git(folder, ["check-attr", "merge", "--", file]) or b""
    tracked = _names(ask_git(folder, ["ls-files", "-z", "--", "."]))
    unmerged = {line.rpartition("\t")[2] for line in _names(ask_git(folder, ["ls-files", "-uz"]))}
    return GitStatus(
        root,
        is_ignored=ask_git(folder, ["check-ignore", "-q", "issue-0.json"]) is not None,
        is_tracked=any(name.endswith((".json", ".md")) for name in tracked),
        has_issues=any(issue_of(name) is not None for name in tracked),
        attributes=output.strip().endswith(b": memtui"),
        driver=_setting(folder, DRIVER) or "",
        unmerged=tuple(sorted(unmerged)),
        tracks_manifest="manifest.json" in tracked,
    )


def plan_git_install(folder: Path, command: str, *, for_user: bool = False) -> GitPlan:
    """A plan that has git merge and show memory by `command`. Raises `Unreadable`, `StoreError`."""
    check_repository(folder)
    before = _attributes(folder)
    missing = [line for line in _LINES if line not in before.splitlines()]
    text = before if not before or before.endswith("\n") else before + "\n"
    program = shlex.join(program_words(command))
    wanted = {
        _NAME: "memory by memory",
        DRIVER: f"{program} merge-file %O %A %B %P",
        TEXTCONV: f"{program} git textconv",
    }
    settings = [
        Setting(key, _setting(folder, key, for_user), after) for key, after in wanted.items()
    ]
    return GitPlan(
        folder,
        before,
        text + "".join(f"{line}\n" for line in missing),
        tuple(setting for setting in settings if setting.before != setting.after),
        for_user,
    )


def plan_git_uninstall(folder: Path, *, for_user: bool = False) -> GitPlan:
    """Return a plan that takes out exactly what an installation put in. Raises as above."""
    check_repository(folder)
    before = _attributes(folder)
    kept = [line for line in before.splitlines(keepends=True) if line.strip() not in _LINES]
    found = [(key, _setting(folder, key, for_user)) for key in (_NAME, DRIVER, TEXTCONV)]
    settings = tuple(Setting(key, value, None) for key, value in found if value is not None)
    return GitPlan(folder, before, "".join(kept), settings, for_user)


def apply_git_plan(plan: GitPlan) -> None:
    """Carry out a plan. Raises `ReadOnly`, `WriteFailed`; then the rest is left as it is."""
    if plan.before != plan.after:
        replace_durably(plan.folder / ATTRIBUTES, plan.after.encode(), plan.folder)
    scope = "--global" if plan.for_user else "--local"
    for setting in plan.settings:
        arguments = ["config", scope]
        if setting.after is None:
            arguments += ["--unset-all", setting.key]
        else:
            arguments += ["--replace-all", setting.key, setting.after]
        if ask_git(plan.folder, arguments) is None:
            raise WriteFailed(
                f"git could not set {setting.key}.",
                f"Try `git {' '.join(arguments[:2])} {setting.key} …` by hand.",
            )


def check_repository(folder: Path) -> None:
    """Raise `StoreError` where there is no repository, or one that git refuses to read."""
    if find_repository(folder) is None:
        raise StoreError(f"{folder} is not in a git repository.", "Create one with `git init`.")
    if is_tracked(folder) is None:
        raise StoreError("git can't read this repository.", "Check `git status`.")


def _attributes(folder: Path) -> str:
    try:
        return read_bytes(folder / ATTRIBUTES, folder).decode()
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError as error:
        raise Unreadable(f"{folder / ATTRIBUTES} is not a text file.", "Fix it by hand.") from error


def _setting(folder: Path, key: str, for_user: bool | None = None) -> str | None:
    """Return a key's value: in one configuration, or with `None` the one that counts."""
    scope: Sequence[str] = () if for_user is None else ("--global" if for_user else "--local",)
    output = ask_git(folder, ["config", *scope, "--get", key])
    return None if output is None else output.decode("utf-8", "replace").rstrip("\n")


def _names(output: bytes | None) -> list[str]:
    return [name.decode("utf-8", "replace") for name in (output or b"").split(b"\0") if name]
