"""The command `/remember` that a client reads from a file of its own: planned, written, removed."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

from memtui.client_file import InstallPlan, apply_install, text_there
from memtui.words.remember import ABOUT, TEXT
from store.agents.client import Client, Home
from store.errors import Conflict
from store.platform.home import check_home

_MARK = "memtui put this down; `memtui hooks uninstall` or `memtui mcp uninstall` takes it away."
_SUFFIX = ".memtui-command-backup"


def command_path(client: Client, home: Home, project: Path | None = None) -> Path | None:
    """Return the file of a client's command: the user's, or a project's; None where it has none."""
    return client.command.file(home, project) if client.command is not None else None


def is_put_down(path: Path) -> bool:
    """Return whether the command is there, and is ours. Raises `Unreadable`."""
    return _MARK in (text_there(path) or "")


def plan_command(path: Path) -> InstallPlan:
    """Plan to put the command down, or to renew it.

    Raises `Conflict` where somebody else's command has its name, `StoreError` for a user without a
    home.
    """
    check_home(path)
    before = text_there(path)
    if before is not None and _MARK not in before:
        raise Conflict(
            f"{path} is a command of somebody else's; it stays as it is.", "Rename it first."
        )
    return InstallPlan(path, before, _text_for(path), None, _SUFFIX)


def plan_no_command(path: Path) -> InstallPlan:
    """Plan to take the command away, where it is ours. Raises `Unreadable`."""
    before = text_there(path)
    return InstallPlan(path, before, None if _MARK in (before or "") else before, None, _SUFFIX)


def apply_command(plan: InstallPlan) -> Path | None:
    """Write or remove the command's file; it has no backup. Raises as `apply_install`."""
    apply_install(plan)
    if plan.after is None and plan.path.name == "SKILL.md":  # a folder of its own
        with suppress(OSError):
            plan.path.parent.rmdir()
    return None


def _text_for(path: Path) -> str:
    """Return the command as the client reads it, by the name of its file: TOML, or Markdown."""
    if path.suffix == ".toml":
        return f"# {_MARK}\ndescription = {json.dumps(ABOUT)}\nprompt = '''\n{TEXT}'''\n"
    return f"---\nname: remember\ndescription: {ABOUT}\n---\n\n<!-- {_MARK} -->\n\n{TEXT}"
