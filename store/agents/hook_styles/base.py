"""What every style of hook file does: our entries found, added and taken out.

All take and give a file's text, so that a change can be shown before it is made.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path

from store.agents.client import Client, Hooks
from store.agents.hooks import HookEntry, is_ours
from store.platform.json_fields import items

BACKUP_SUFFIX = ".memtui-backup"
"""What the name of a file's backup ends in, for its hooks; servers have one of their own."""


class HookFile(ABC):
    """A style of file that holds a client's hooks.

    All methods raise `Unreadable` for a text that the client would not understand.
    """

    backup_suffix = BACKUP_SUFFIX

    def __init__(self, client: Client, hooks: Hooks) -> None:
        self._client = client
        self._hooks = hooks

    def entries(self, text: str, path: Path) -> list[HookEntry]:
        """Our entries in the text, in its order."""
        return [entry for entry in self.all_entries(text, path) if is_ours(entry.line)]

    @abstractmethod
    def all_entries(self, text: str, path: Path) -> list[HookEntry]:
        """The entries in the text, whosever they are, in its order."""

    @abstractmethod
    def with_ours(self, text: str, path: Path, command: str) -> str:
        """Return the text with all of the client's hooks, ours renewed where they are outdated."""

    @abstractmethod
    def without_ours(self, text: str, path: Path) -> str:
        """The text without our entries and what they leave empty; empty where nothing is left."""

    @abstractmethod
    def is_equivalent(self, one: str, other: str) -> bool:
        """Return whether two texts mean the same to the client and its user."""


def is_our_entry(entry: object) -> bool:
    return is_ours(line_of_entry(entry))


def line_of_entry(entry: object) -> str:
    """Return an entry's command line; arguments apart from it, as we once wrote them, are added."""
    if not isinstance(entry, dict):
        return ""
    more = " ".join(map(str, items(entry.get("args"))))
    return f"{entry.get('command') or entry.get('bash', '')} {more}".strip()
