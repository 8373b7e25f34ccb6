"""A TOML file with one `[[hooks]]` table a hook, as Kimi Code has it.

Our tables are added at the end, as text: the rest of the file stays as its user wrote it.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from store.agents.client import Client
from store.agents.hook_files import not_understood
from store.agents.hooks import HookEntry, is_ours, line_of
from store.platform.bounds import load_toml

_TABLE = re.compile(
    r"^\[\[hooks\]\][ \t]*\r?\n"
    r"(?:(?:[ \t]*(?:#[^\n]*)?\r?\n)*[ \t]*[\w\"'][^\n]*(?:\n|\Z))*",
    re.M,
)
"""A table up to its last key: a comment or an empty line after it is its user's."""


def entries(text: str, path: Path) -> list[HookEntry]:
    """Our tables, in the order of the file."""
    hooks = _parsed(text, path).get("hooks", [])
    if not isinstance(hooks, list):
        raise not_understood(path, '"hooks" is not a list of tables')
    return [
        HookEntry(str(it.get("event", "")), str(it["command"]), it.get("timeout"), 0, at, None, it)
        for at, it in enumerate(hooks)
        if isinstance(it, dict) and is_ours(str(it.get("command", "")))
    ]


def with_hooks(text: str, path: Path, client: Client, command: str) -> str:
    """The text with the client's hooks at its end."""
    assert client.hooks is not None
    lines = []
    for hook in client.hooks.events:
        line = json.dumps(line_of(command, hook, client.name))
        lines += [
            "[[hooks]]",
            f'event = "{hook.event}"',
            f"command = {line}",
            f"timeout = {hook.seconds}",
        ]
    wanted = [
        (event.event, line_of(command, event, client.name), event.seconds)
        for event in client.hooks.events
    ]
    if [(entry.event, entry.line, entry.seconds) for entry in entries(text, path)] == wanted:
        return text
    rest = without_hooks(text, path)
    end = "" if not rest or rest.endswith("\n") else "\n"
    text = f"{rest}{end}" + "\n".join(lines) + "\n"
    _parsed(text, path)
    return text


def without_hooks(text: str, path: Path) -> str:
    """The text without our tables."""
    if not entries(text, path):
        return text
    return _TABLE.sub(lambda match: "" if _is_ours(match.group()) else match.group(), text)


def is_equivalent(one: str, other: str) -> bool:
    """Return whether two texts are the same but for their ends: comments are said too."""
    return one.rstrip() == other.rstrip()


def _is_ours(table: str) -> bool:
    try:
        (hook,) = load_toml(table)["hooks"]
    except (KeyError, ValueError):
        return False
    return is_ours(str(hook.get("command", "")))


def _parsed(text: str, path: Path) -> dict[str, Any]:
    try:
        return load_toml(text)
    except ValueError as error:
        raise not_understood(path, str(error)) from error
