"""Calls of git in a folder that run nothing which a checkout brought along."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from store.platform.links import real_path

_SECONDS = 10.0
"""Seconds after which git is no longer waited for."""
_ALWAYS: Mapping[str, str] = {
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.pager": "",
    "core.quotePath": "false",
    "diff.external": "",
    "gpg.program": "false",
    "log.showSignature": "false",
    "protocol.allow": "never",
    "status.submoduleSummary": "false",
    "submodule.recurse": "false",
}
"""What a repository's own configuration may not decide: each could name a program."""
_OF_ANOTHER = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_PREFIX",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_EXTERNAL_DIFF",
    "GIT_PAGER",
)
"""What a hook of git has in its environment, about a repository that may be another one."""
_UNFILTERED = frozenset({"check-ignore", "ls-files", "rev-list", "rev-parse"})
"""Commands that look at no file's content, so that no filter can run."""
_FILTERS = r"^filter\..*\.(clean|smudge|process|required)$"


def git_command(folder: Path, *arguments: str) -> list[str]:
    """Return the command that asks git about a folder; to be run with `git_environment`."""
    return ["git", "--no-optional-locks", "--no-pager", "-C", str(folder), *arguments]


def git_environment(folder: Path, seconds: float = _SECONDS) -> dict[str, str]:
    """Variables under which git runs no program for a repository: no filter, signature check,
    external diff, hook, monitor or transport. Whoever sent the repository wrote its configuration.

    Raises `OSError` where git is missing, `TimeoutExpired` where it takes longer than `seconds`.
    """
    import subprocess  # most commands ask git nothing

    environ = own_environment()
    asked = subprocess.run(
        git_command(folder, "config", "--null", "--name-only", "--get-regexp", _FILTERS),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        timeout=seconds,
        env=environ,
        check=False,
    )
    names = filter(None, os.fsdecode(asked.stdout).split("\0"))
    filters = {name: "false" if name.endswith(".required") else "" for name in names}
    _override(environ, {**_ALWAYS, **filters})
    return environ


def own_environment(transports: str = "none") -> dict[str, str]:
    """Variables for git in a repository whose configuration is ours: it has no filters.

    `transports` are the ways to other repositories that git may use: `file:ssh`.
    """
    environ = {
        **{key: value for key, value in os.environ.items() if key not in _OF_ANOTHER},
        "GIT_ALLOW_PROTOCOL": transports,
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_OPTIONAL_LOCKS": "0",
        "LC_ALL": "C",
    }
    _override(environ, _ALWAYS)
    return environ


def _override(environ: dict[str, str], values: Mapping[str, str]) -> None:
    """Set configuration over that of every file; keys as variables, since they may hold a `=`."""
    environ["GIT_CONFIG_COUNT"] = str(len(values))
    for number, (key, value) in enumerate(values.items()):
        environ[f"GIT_CONFIG_KEY_{number}"] = key
        environ[f"GIT_CONFIG_VALUE_{number}"] = value


def ask_git(
    folder: Path, arguments: Sequence[str], given: bytes = b"", *, seconds: float = _SECONDS
) -> bytes | None:
    """Output of git in a folder; `None` where git is missing, fails or takes too long.

    Only for commands that read.
    """
    import subprocess  # most commands ask git nothing

    try:
        done = subprocess.run(
            git_command(folder, *arguments),
            input=given,
            capture_output=True,
            timeout=seconds,
            env=(
                own_environment()
                if arguments[0] in _UNFILTERED
                else git_environment(folder, seconds)
            ),
            check=False,
        )
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


def find_repository(folder: Path) -> Path | None:
    """Return the work tree that a folder is in, by its `.git`, without asking git."""
    return next((place for place in real_path(folder).parents if (place / ".git").exists()), None)


def is_tracked(folder: Path) -> bool | None:
    """git tracks the store, or ignores it; None where there is no repository."""
    if find_repository(folder) is None:
        return None
    if ask_git(folder, ["rev-parse", "--git-dir"]) is None:
        return None
    return ask_git(folder, ["check-ignore", "-q", "issue-0.json"]) is None


def read_objects(
    folder: Path, names: Sequence[str], *, seconds: float = _SECONDS
) -> list[bytes | None] | None:
    """Contents of git's objects by their names, `None` for one that is not there.

    `None` for all where git can't be asked.
    """
    asked = "".join(f"{name}\n" for name in names).encode()
    output = ask_git(folder, ["cat-file", "--batch"], asked, seconds=seconds)
    return None if output is None else split_objects(output, len(names))


def split_objects(output: bytes, number: int) -> list[bytes | None]:
    """Return the contents of so many objects in what `git cat-file --batch` wrote."""
    found: list[bytes | None] = []
    at = 0
    for _ in range(number):
        end = output.find(b"\n", at)
        size, at = output[at:end].rpartition(b" ")[2], end + 1
        is_there = end >= 0 and size.isdigit()
        found.append(output[at : at + int(size)] if is_there else None)
        at += int(size) + 1 if is_there else 0
    return found


def unmerged_versions(path: Path) -> list[bytes | None] | None:
    """Return the versions of a file in conflict that git keeps: the base's content, ours and
    theirs.

    Each is `None` where that side has no such file; all is `None` where git knows no conflict.
    """
    if find_repository(path) is None:
        return None
    found = read_objects(path.parent, [f":{stage}:./{path.name}" for stage in (1, 2, 3)])
    return found if found is not None and any(side is not None for side in found[1:]) else None
