"""The hooks that clients offer: values only. How they are written: `hook_styles`."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

COMMAND = "memtui"
_ISOLATED = ("-I", "-m", COMMAND)
"""What Python is called with so that no variable, and no folder that it starts in, adds modules."""


class Hook(NamedTuple):
    """One hook: the client's event, our command's name for it, and its time limit in seconds.

    `matcher` are the tools that it is for, in events of tools.
    """

    event: str
    name: str
    seconds: int
    matcher: str = ""


class Answer(StrEnum):
    """The shape in which a client takes a hook's output: as it is, or in a JSON object."""

    TEXT = "text"
    HOOK_OUTPUT = "hook-output"
    ADDITIONAL_CONTEXT = "additional-context"
    CONTEXT_FIELD = "context-field"
    STEPS = "steps"


class HookState(StrEnum):
    ACTIVE = "active"
    MISSING = "missing"
    OUTDATED = "outdated"
    MOVED = "moved"
    DISABLED = "disabled"
    UNTRUSTED = "untrusted"
    TWICE = "twice"
    TOO_OLD = "too old"


class Trouble(NamedTuple):
    """The reason why an installed hook does not run."""

    state: HookState
    reason: str


class HookEntry(NamedTuple):
    """An entry of ours in a client's file. `seconds` is None where none are given.

    `group` and `at` are its places in its event; `settings` is the entry as it stands.
    """

    event: str
    line: str
    seconds: float | None = None
    group: int = 0
    at: int = 0
    matcher: str | None = None
    settings: Mapping[str, Any] = MappingProxyType({})

    @property
    def words(self) -> list[str]:
        """The words of the command line: the program, and what memtui is called with."""
        return own_words(split(self.line))

    @property
    def name(self) -> str:
        return self.words[2] if len(self.words) > 2 else ""


def line_of(command: str, hook: Hook, client: str) -> str:
    """The command line of a hook. It is for a shell: some clients know no arguments apart."""
    return shlex.join([*program_words(command), "hook", hook.name, "--channel", client])


def program_words(command: str) -> list[str]:
    """Return the words that start memtui: its name or path, or that of the Python which runs it,
    then isolated from variables and folders.
    """
    return [command, *_ISOLATED] if Path(command).name.startswith("python") else [command]


def own_words(words: list[str]) -> list[str]:
    """Return the words of a command without those that only isolate Python."""
    if tuple(words[1 : 1 + len(_ISOLATED)]) == _ISOLATED:
        return [words[0], *words[1 + len(_ISOLATED) :]]
    return words


def is_memtui_call(words: list[str]) -> bool:
    """Return whether the words of a command start memtui, wherever it lies."""
    return bool(words) and (own_words(words) != words or Path(words[0]).stem == COMMAND)


def is_ours(line: str) -> bool:
    words = split(line)
    return is_memtui_call(words) and own_words(words)[1:2] == ["hook"] and len(own_words(words)) > 2


def split(line: str) -> list[str]:
    """Return the words of a command line; none where its quotes don't end."""
    try:
        return shlex.split(line)
    except ValueError:
        return []
