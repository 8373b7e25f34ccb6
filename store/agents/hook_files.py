"""Our hooks in clients' files, in each style: entries found, added and taken out.

All take and give a file's text, so that a change can be shown before it is made.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container, Mapping
from pathlib import Path
from typing import Any

from store.agents.client import Client, Hooks
from store.agents.commented_json import ClientJson, not_understood, parsed_toml
from store.agents.hooks import (
    COMMAND,
    Hook,
    HookEntry,
    is_ours,
    line_of,
    own_words,
    program_words,
)
from store.errors import NotFound
from store.platform.bounds import load_toml
from store.platform.json_fields import items

BACKUP_SUFFIX = ".memtui-backup"
"""What the name of a file's backup ends in, for its hooks; servers have one of their own."""
_PLUGINS = Path(__file__).parent / "plugins"
_PLUGIN_MARK = "// Written by `memtui hooks install "
_PLUGIN_COMMAND = re.compile(r'^const COMMAND = (".*"|\[".*"\])$', re.M)
_TABLE = re.compile(
    r"^\[\[hooks\]\][ \t]*\r?\n"
    r"(?:(?:[ \t]*(?:#[^\n]*)?\r?\n)*[ \t]*[\w\"'][^\n]*(?:\n|\Z))*",
    re.M,
)
"""A table up to its last key: a comment or an empty line after it is its user's."""


class HookFile:
    """A style of file that holds a client's hooks.

    All methods raise `Unreadable` for a text that the client would not understand.
    """

    backup_suffix = BACKUP_SUFFIX

    def __init__(self, client: Client, hooks: Hooks) -> None:
        self._client = client
        self._hooks = hooks

    def entries(self, text: str, path: Path) -> list[HookEntry]:
        """Our entries in the text, in its order."""
        raise NotImplementedError

    def with_ours(self, text: str, path: Path, command: str) -> str:
        """Return the text with all of the client's hooks, ours renewed where they are outdated."""
        raise NotImplementedError

    def without_ours(self, text: str, path: Path) -> str:
        """The text without our entries and what they leave empty; empty where nothing is left."""
        raise NotImplementedError

    def is_equivalent(self, one: str, other: str) -> bool:
        """Return whether two texts mean the same to the client and its user."""
        raise NotImplementedError


def hook_file(client: Client) -> HookFile:
    """Return the style of the files that hold a client's hooks. Raises `NotFound`."""
    hooks = hooks_of(client)
    styles = {"toml-tables": TomlHooks, "plugin": PluginHooks}
    return styles.get(hooks.style, JsonHooks)(client, hooks)


def hooks_of(client: Client) -> Hooks:
    """Return the hooks a client offers. Raises `NotFound`."""
    if client.hooks is None:
        raise NotFound(f"{client.title} has no hooks.", "Use `memtui capture` instead.")
    return client.hooks


class JsonHooks(HookFile):
    """Lists of hooks under each event, in groups (Claude Code and others) or plain (Cursor).

    `{"hooks": {EVENT: [{"matcher": …, "hooks": [{"type": …, "command": …, "timeout": …}]}]}}`
    `{"version": 1, "hooks": {EVENT: [{"command": …, "matcher": …, "timeout": …}]}}`
    `{"version": 1, "hooks": {EVENT: [{"type": …, "bash": …, "timeoutSec": …}]}}` (Copilot CLI)
    """

    def __init__(self, client: Client, hooks: Hooks) -> None:
        super().__init__(client, hooks)
        self._json = ClientJson(has_comments=client.has_comments)
        self._has_groups = hooks.style == "json-groups"
        self._line_key, self._seconds_key = hooks.keys
        self._first = {} if self._has_groups else {"version": 1}

    def entries(self, text: str, path: Path) -> list[HookEntry]:
        found = []
        settings = _toml_events(text) if path.suffix == ".toml" else self._json.parsed(text, path)
        for event, listed in _lists(settings, path).items():
            for group_at, group in enumerate(listed):
                for at, entry in enumerate(self._inner(group)):
                    if not _is_ours(entry):
                        continue
                    seconds, matcher = entry.get(self._seconds_key), group.get("matcher")
                    found.append(
                        HookEntry(
                            event=event,
                            line=_line(entry),
                            seconds=seconds if isinstance(seconds, int | float) else None,
                            group=group_at,
                            at=at,
                            matcher=matcher if isinstance(matcher, str) else None,
                            settings=entry,
                        )
                    )
        return found

    def with_ours(self, text: str, path: Path, command: str) -> str:
        settings = self._json.parsed(text, path)
        needed = frozenset(hook.event for hook in self._hooks.events)
        entries = {hook: self._entry(hook, command) for hook in self._hooks.events}
        missing = {(hook.event, hook.name): entry for hook, entry in entries.items()}
        hooks = self._renewed(settings, _lists(settings, path, needed), missing)
        for hook in self._hooks.events:
            if entry := missing.get((hook.event, hook.name)):
                matcher = {"matcher": hook.matcher} if hook.matcher else {}
                group = {**matcher, "hooks": [entry]} if self._has_groups else entry
                hooks[hook.event] = [*hooks.get(hook.event, []), group]
        after = {**self._first, **settings, "hooks": hooks}
        return self._json.edited(text, after)

    def without_ours(self, text: str, path: Path) -> str:
        settings = self._json.parsed(text, path)
        lists = _lists(settings, path)
        hooks = self._renewed(settings, lists, {})
        if hooks == settings.get("hooks", {}):
            return text
        emptied = {**settings, "hooks": {event: [] for event in lists} | hooks}
        bare = {key: value for key, value in settings.items() if key != "hooks"}
        if hooks:
            bare["hooks"] = hooks
        if bare == self._first:
            bare = {}
        return self._json.reduced(text, emptied, bare)

    def is_equivalent(self, one: str, other: str) -> bool:
        return self._json.is_equivalent(one, other)

    def _renewed(
        self,
        settings: Mapping[str, Any],
        lists: Mapping[str, list[Any]],
        wanted: dict[tuple[str, str], dict[str, Any]],
    ) -> dict[str, Any]:
        """Return the hooks with our entries as they are `wanted`, which are taken out of there.
        Those that are not wanted go, and what they leave empty.
        """
        hooks = dict(settings.get("hooks", {}))
        for event, listed in lists.items():
            kept = [item for group in listed for item in self._renewed_group(event, group, wanted)]
            if kept:
                hooks[event] = kept
            elif listed:
                del hooks[event]
        return hooks

    def _renewed_group(
        self,
        event: str,
        group: Any,  # noqa: ANN401 - JSON
        wanted: dict[tuple[str, str], dict[str, Any]],
    ) -> list[Any]:
        inner = self._inner(group)
        if not any(map(_is_ours, inner)):
            return [group]
        kept = []
        for entry in inner:
            if not _is_ours(entry):
                kept.append(entry)
            elif new := wanted.pop((event, HookEntry(event, _line(entry)).name), None):
                kept.append(new)
        if not self._has_groups:
            return kept
        return [{**group, "hooks": kept}] if kept else []

    def _inner(self, group: object) -> list[Any]:
        """Return the entries of a group; where there are no groups, each is one."""
        if not self._has_groups:
            return [group]
        return items(group.get("hooks")) if isinstance(group, dict) else []

    def _entry(self, hook: Hook, command: str) -> dict[str, Any]:
        line = line_of(command, hook, self._client.name)
        seconds = int(hook.seconds / self._hooks.unit)
        if self._has_groups:
            return {"type": "command", "command": line, "timeout": seconds}
        matcher = {"matcher": hook.matcher} if hook.matcher else {}
        kind = {} if self._line_key == "command" else {"type": "command"}
        return {**kind, self._line_key: line, **matcher, self._seconds_key: seconds}


class TomlHooks(HookFile):
    """One `[[hooks]]` table a hook (Kimi Code). Ours are added at the end, as text."""

    def entries(self, text: str, path: Path) -> list[HookEntry]:
        hooks = parsed_toml(text, path).get("hooks", [])
        if not isinstance(hooks, list):
            raise not_understood(path, '"hooks" is not a list of tables')
        return [
            HookEntry(str(hook.get("event", "")), _line(hook), hook.get("timeout"))
            for hook in hooks
            if _is_ours(hook)
        ]

    def with_ours(self, text: str, path: Path, command: str) -> str:
        wanted = [
            HookEntry(hook.event, line_of(command, hook, self._client.name), hook.seconds)
            for hook in self._hooks.events
        ]
        if self.entries(text, path) == wanted:
            return text
        rest = self.without_ours(text, path)
        end = "" if not rest or rest.endswith("\n") else "\n"
        tables = [
            f'[[hooks]]\nevent = "{entry.event}"\ncommand = {json.dumps(entry.line)}\n'
            f"timeout = {entry.seconds}\n"
            for entry in wanted
        ]
        after = f"{rest}{end}" + "".join(tables)
        parsed_toml(after, path)
        return after

    def without_ours(self, text: str, path: Path) -> str:
        if not self.entries(text, path):
            return text
        return _TABLE.sub(lambda table: "" if _is_our_table(table[0]) else table[0], text)

    def is_equivalent(self, one: str, other: str) -> bool:
        return one.rstrip() == other.rstrip()


class PluginHooks(HookFile):
    """A file of its own, which hands the client's events to our command."""

    def entries(self, text: str, path: Path) -> list[HookEntry]:
        """One for each event; of another version, ones that are outdated."""
        if not text:
            return []
        name = text.partition(_PLUGIN_MARK)[2].partition("`")[0]
        found = _PLUGIN_COMMAND.search(text)
        if name != self._client.name or found is None:
            raise not_understood(path, "not a memtui plugin")
        words = json.loads(found[1])
        command = words if isinstance(words, str) else str(own_words(words)[0])
        is_old = text != self._text(command)
        return [
            HookEntry(hook.event, f"{command} hook {hook.name} --old")
            if is_old
            else HookEntry(hook.event, line_of(command, hook, name), hook.seconds)
            for hook in self._hooks.events
        ]

    def with_ours(self, text: str, path: Path, command: str) -> str:
        self.entries(text, path)
        return self._text(command)

    def without_ours(self, text: str, path: Path) -> str:
        self.entries(text, path)
        return ""

    def is_equivalent(self, one: str, other: str) -> bool:
        return one == other

    def _text(self, command: str) -> str:
        name = self._hooks.plugin_of or self._client.name
        (file,) = _PLUGINS.glob(f"{name}.*")
        words = json.dumps(program_words(command))
        text = file.read_text(encoding="utf-8").replace(name, self._client.name)
        return text.replace(f'const COMMAND = ["{COMMAND}"]', f"const COMMAND = {words}")


def _lists(
    settings: Mapping[str, Any], path: Path, needed: Container[str] = ()
) -> dict[str, list[Any]]:
    """Return the lists under `hooks`, by event. What else may stand there is left out, but not
    under an event that is `needed`. Raises `Unreadable`.
    """
    hooks = settings.get("hooks", {})
    if not isinstance(hooks, dict):
        raise not_understood(path, '"hooks" is not an object')
    for event, entries in hooks.items():
        is_odd = isinstance(entries, bool | str | int) and event not in needed
        if not isinstance(entries, list) and not is_odd:
            raise not_understood(path, f'"{event}" is not a list')
    return {event: listed for event, listed in hooks.items() if isinstance(listed, list)}


def _toml_events(text: str) -> dict[str, Any]:
    """Codex takes the same lists in TOML. What else stands under `hooks` there is no event."""
    try:
        hooks = load_toml(text).get("hooks")
    except ValueError:
        return {}
    named = hooks.items() if isinstance(hooks, dict) else ()
    return {"hooks": {event: groups for event, groups in named if isinstance(groups, list)}}


def _is_ours(entry: object) -> bool:
    return is_ours(_line(entry))


def _line(entry: object) -> str:
    """Return an entry's command line; arguments apart from it, as we once wrote them, are added."""
    if not isinstance(entry, dict):
        return ""
    more = " ".join(map(str, items(entry.get("args"))))
    return f"{entry.get('command') or entry.get('bash', '')} {more}".strip()


def _is_our_table(table: str) -> bool:
    try:
        (hook,) = load_toml(table)["hooks"]
    except (KeyError, ValueError):
        return False
    return _is_ours(hook)
