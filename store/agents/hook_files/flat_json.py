"""A file of hooks with a plain list under each event, as Cursor has it.

`{"version": 1, "hooks": {EVENT: [{"command": …, "matcher": …, "timeout": …}]}}`
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from store.agents.client import Client
from store.agents.hook_files.json_text import events_of, is_equivalent, parsed, written
from store.agents.hooks import HookEntry, is_ours, line_of

__all__ = ["entries", "is_equivalent", "with_hooks", "without_hooks"]
_VERSION = {"version": 1}


def entries(text: str, path: Path) -> list[HookEntry]:
    """Our entries, in the order of the file."""
    return [
        HookEntry(event, it["command"], it.get("timeout"), 0, at, None, it)
        for event, listed in events_of(parsed(text, path), path).items()
        for at, it in enumerate(listed)
        if _is_ours(it)
    ]


def with_hooks(text: str, path: Path, client: Client, command: str) -> str:
    """The text with each of the client's hooks."""
    assert client.hooks is not None
    settings = parsed(text, path)
    needed = {hook.event for hook in client.hooks.events}
    hooks = {
        event: [item for item in listed if not _is_ours(item)]
        for event, listed in events_of(settings, path, needed).items()
    }
    for hook in client.hooks.events:
        matcher = {"matcher": hook.matcher} if hook.matcher else {}
        line = line_of(command, hook, client.name)
        entry = {"command": line, **matcher, "timeout": hook.seconds}
        hooks[hook.event] = [*hooks.get(hook.event, []), entry]
    kept = {event: listed for event, listed in hooks.items() if listed}
    after = {**_VERSION, **settings, "hooks": {**_odd(settings), **kept}}
    return text if after == settings else written(after, text)


def without_hooks(text: str, path: Path) -> str:
    """The text without our entries and the events that they leave empty."""
    settings = parsed(text, path)
    before = events_of(settings, path)
    kept = {
        event: [item for item in listed if not _is_ours(item)] for event, listed in before.items()
    }
    if kept == before:
        return text
    kept = {event: listed for event, listed in kept.items() if listed or not before[event]}
    after = {**settings, "hooks": {**_odd(settings), **kept}}
    if not after["hooks"]:
        del after["hooks"]
    return written(after, text) if after not in ({}, _VERSION) else ""


def _odd(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Values under `hooks` that are no list: they stay."""
    hooks = settings.get("hooks", {})
    return {event: value for event, value in hooks.items() if not isinstance(value, list)}


def _is_ours(entry: object) -> bool:
    return isinstance(entry, dict) and is_ours(str(entry.get("command", "")))
