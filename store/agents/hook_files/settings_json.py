"""Settings with groups of hooks under each event, as Claude Code has them and others took over.

`{"hooks": {EVENT: [{"matcher": …, "hooks": [{"type": "command", "command": …, "timeout": …}]}]}}`
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from store.agents.client import Client, Hooks
from store.agents.hook_files.json_text import events_of, is_equivalent, parsed, written
from store.agents.hooks import Hook, HookEntry, is_ours, line_of

__all__ = ["entries", "is_equivalent", "with_hooks", "without_hooks"]


def entries(text: str, path: Path) -> list[HookEntry]:
    """Our entries, in the order of the file: Codex takes the same in TOML, too."""
    found = []
    settings = _table(text) if path.suffix == ".toml" else parsed(text, path)
    for event, groups in events_of(settings, path).items():
        for group_at, group in enumerate(groups):
            for at, entry in enumerate(_inner(group)):
                if is_ours(_line(entry)):
                    matcher = group.get("matcher")
                    seconds = entry.get("timeout")
                    found.append(
                        HookEntry(
                            event,
                            _line(entry),
                            seconds if isinstance(seconds, int | float) else None,
                            group_at,
                            at,
                            matcher if isinstance(matcher, str) else None,
                            entry,
                        )
                    )
    return found


def _table(text: str) -> dict[str, Any]:
    """The events of a table; what else stands under `hooks`, as whom its user trusts, is none."""
    try:
        hooks = tomllib.loads(text).get("hooks")
    except (tomllib.TOMLDecodeError, RecursionError):
        hooks = None
    named = hooks.items() if isinstance(hooks, dict) else ()
    return {"hooks": {event: groups for event, groups in named if isinstance(groups, list)}}


def with_hooks(text: str, path: Path, client: Client, command: str) -> str:
    """The text with each of the client's hooks, in its place where an older one stood."""
    assert client.hooks is not None
    settings = parsed(text, path)
    groups = events_of(settings, path, {hook.event for hook in client.hooks.events})
    hooks = dict(settings.get("hooks", {}))
    wanted = {
        (hook.event, hook.name): _entry(client.name, client.hooks, hook, command)
        for hook in client.hooks.events
    }
    placed: set[tuple[str, str]] = set()
    for event in list(groups):
        hooks[event] = [
            one for item in groups[event] for one in _renewed(item, event, wanted, placed)
        ]
        if not hooks[event] and groups[event]:
            del hooks[event]
    for hook in client.hooks.events:
        if (key := (hook.event, hook.name)) not in placed:
            group = {"matcher": hook.matcher} if hook.matcher else {}
            hooks[hook.event] = [*hooks.get(hook.event, []), {**group, "hooks": [wanted[key]]}]
    if hooks == settings.get("hooks", {}):
        return text
    return written({**settings, "hooks": hooks}, text)


def _renewed(
    group: object,
    event: str,
    wanted: dict[tuple[str, str], dict[str, Any]],
    placed: set[tuple[str, str]],
) -> list[object]:
    """The group with ours as wanted; none where nothing else was in it and none is wanted."""
    inner = _inner(group)
    if not isinstance(group, dict) or not any(is_ours(_line(entry)) for entry in inner):
        return [group]
    kept = []
    for entry in inner:
        if not is_ours(_line(entry)):
            kept.append(entry)
            continue
        key = (event, HookEntry(event, _line(entry)).name)
        if key in wanted and key not in placed:
            placed.add(key)
            kept.append(wanted[key])
    return [{**group, "hooks": kept}] if kept else []


def without_hooks(text: str, path: Path) -> str:
    """The text without our entries and the groups and events that they leave empty."""
    settings = parsed(text, path)
    listed = events_of(settings, path)
    hooks = dict(settings.get("hooks", {}))
    for event, groups in listed.items():
        kept = [item for group in groups for item in _renewed(group, event, {}, set())]
        if kept != groups:
            hooks[event] = kept
            if not kept:
                del hooks[event]
    if hooks == settings.get("hooks", {}):
        return text
    bare = {key: value for key, value in settings.items() if key != "hooks"}
    if hooks:
        bare = {**settings, "hooks": hooks}
    return written(bare, text) if bare else ""


def _inner(group: object) -> list[Any]:
    """Entries of a group: objects; anything else in it belongs to somebody else."""
    inner = group.get("hooks") if isinstance(group, dict) else None
    return inner if isinstance(inner, list) else []


def _line(entry: object) -> str:
    """An entry's command line; arguments that stand apart, as we once wrote them, are added."""
    if not isinstance(entry, dict):
        return ""
    arguments = entry.get("args")
    more = " ".join(map(str, arguments)) if isinstance(arguments, list) else ""
    return f"{entry.get('command', '')} {more}".strip()


def _entry(client: str, hooks: Hooks, hook: Hook, command: str) -> dict[str, Any]:
    return {
        "type": "command",
        "command": line_of(command, hook, client),
        "timeout": int(hook.seconds / hooks.unit),
    }
