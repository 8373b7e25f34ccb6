"""The command `/remember`, which a client reads from a file of its own."""

from __future__ import annotations

import json
from pathlib import Path

from memtui.client_file import text_there
from memtui.words.remember import ABOUT, TEXT
from store.agents.client import Client, Home
from store.errors import Conflict

_MARK = "memtui put this down; `memtui hooks uninstall` or `memtui mcp uninstall` takes it away."


class RememberFile:
    """The file of a client's command `/remember`, which is all ours."""

    backup_suffix = ".memtui-command-backup"

    def with_ours(self, text: str, path: Path, command: str) -> str:
        """Return the command as the client reads it, by the name of its file: TOML, or Markdown.

        Raises `Conflict` where somebody else's command has its name.
        """
        if text and _MARK not in text:
            raise Conflict(
                f"{path} is a command of somebody else's; it stays as it is.", "Rename it first."
            )
        if path.suffix == ".toml":
            return f"# {_MARK}\ndescription = {json.dumps(ABOUT)}\nprompt = '''\n{TEXT}'''\n"
        return f"---\nname: remember\ndescription: {ABOUT}\n---\n\n<!-- {_MARK} -->\n\n{TEXT}"

    def without_ours(self, text: str, path: Path) -> str:
        return "" if _MARK in text else text

    def is_equivalent(self, one: str, other: str) -> bool:
        return one == other


def command_path(client: Client, home: Home, project: Path | None = None) -> Path | None:
    """Return the file of a client's command: the user's, or a project's; None where it has none."""
    return client.command.file(home, project) if client.command is not None else None


def is_put_down(path: Path) -> bool:
    """Return whether the command is there, and is ours. Raises `Unreadable`."""
    return _MARK in (text_there(path) or "")
