"""Hooks in clients' files: one module for each style, all with the same functions.

They take and give a file's text, so that a change can be shown before it is made.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Protocol, cast

from store.agents.client import Client
from store.agents.hooks import HookEntry
from store.errors import Unreadable


class HookFile(Protocol):
    """A style of file. All raise Unreadable for a text that its client would not understand."""

    def entries(self, text: str, path: Path) -> list[HookEntry]:
        """Our entries in the text."""

    def with_hooks(self, text: str, path: Path, client: Client, command: str) -> str:
        """The text with all of the client's hooks, ours renewed where they are outdated."""

    def without_hooks(self, text: str, path: Path) -> str:
        """The text without our entries and what they leave empty; empty where nothing is left."""

    def is_equivalent(self, one: str, other: str) -> bool:
        """Return whether two texts mean the same to the client."""


def hook_file(style: str) -> HookFile:
    """The functions for a style."""
    return cast(HookFile, importlib.import_module(f"store.agents.hook_files.{style}"))


def not_understood(path: Path, what: str) -> Unreadable:
    """Error for a file that is not in its client's format."""
    return Unreadable(
        f"{path} is not in the expected format: {what}.", "Fix the file first; it was not changed."
    )
