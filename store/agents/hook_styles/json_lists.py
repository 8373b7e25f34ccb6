"""Hooks as lists under each event, in JSON (Codex: in TOML, too)."""

from __future__ import annotations

from collections.abc import Container, Mapping
from pathlib import Path
from typing import Any

from store.agents.client import Client, Hooks
from store.agents.commented_json import ClientJson, not_understood
from store.agents.hook_styles.base import HookFile, is_our_entry, line_of_entry
from store.agents.hooks import COMMAND, Hook, HookEntry, line_of
from store.platform.bounds import load_toml
from store.platform.json_fields import items


class JsonHooks(HookFile):
    """Lists of hooks under each event, in groups (Claude Code and others) or plain (Cursor).

    `{"hooks": {EVENT: [{"matcher": …, "hooks": [{"type": …, "command": …, "timeout": …}]}]}}`
    `{"version": 1, "hooks": {EVENT: [{"command": …, "matcher": …, "timeout": …}]}}`
    `{"version": 1, "hooks": {EVENT: [{"type": …, "bash": …, "timeoutSec": …}]}}` (Copilot CLI)
    `{"memtui": {EVENT: [{"command": …, "timeout": …}]}}` (Antigravity)
    """

    def __init__(self, client: Client, hooks: Hooks) -> None:
        super().__init__(client, hooks)
        self._json = ClientJson(has_comments=client.has_comments)
        self._has_groups = hooks.style == "json-groups"
        self._line_key, self._seconds_key = hooks.keys
        self._under = hooks.under
        self._first = {} if self._has_groups or self._under == COMMAND else {"version": 1}

    def all_entries(self, text: str, path: Path) -> list[HookEntry]:
        found = []
        settings = _toml_events(text) if path.suffix == ".toml" else self._json.parsed(text, path)
        for event, listed in self._lists(settings, path).items():
            for group_at, group in enumerate(listed):
                for at, entry in enumerate(self._inner(group)):
                    if not isinstance(entry, dict):
                        continue
                    seconds, matcher = entry.get(self._seconds_key), group.get("matcher")
                    found.append(
                        HookEntry(
                            event=event,
                            line=line_of_entry(entry),
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
        missing = {(hook.event, hook.name): hook for hook in self._hooks.events}
        before = self._lists(settings, path, {event for event, _ in missing})
        after = {
            event: self._renewed(event, groups, missing, command)
            for event, groups in before.items()
        }
        for hook in missing.values():
            after[hook.event] = [*after.get(hook.event, []), self._group(hook, command)]
        hooks = self._without_emptied(settings, before, after)
        return self._json.edited(text, {**self._first, **settings, self._under: hooks})

    def without_ours(self, text: str, path: Path) -> str:
        settings = self._json.parsed(text, path)
        before = self._lists(settings, path)
        after = {event: self._renewed(event, groups, {}) for event, groups in before.items()}
        if after == before:
            return text
        emptied = {**settings, self._under: {**settings[self._under], **after}}
        bare = {key: value for key, value in settings.items() if key != self._under}
        if hooks := self._without_emptied(settings, before, after):
            bare[self._under] = hooks
        if bare == self._first:
            bare = {}
        return self._json.reduced(text, emptied, bare)

    def is_equivalent(self, one: str, other: str) -> bool:
        return self._json.is_equivalent(one, other)

    def _lists(
        self, settings: Mapping[str, Any], path: Path, needed: Container[str] = ()
    ) -> dict[str, list[Any]]:
        """Return the lists under their key, by event. What else may be there is left out, but
        not under an event that is `needed`. Raises `Unreadable`.
        """
        hooks = settings.get(self._under, {})
        if not isinstance(hooks, dict):
            raise not_understood(path, f'"{self._under}" is not an object')
        for event, entries in hooks.items():
            is_odd = isinstance(entries, bool | str | int) and event not in needed
            if not isinstance(entries, list) and not is_odd:
                raise not_understood(path, f'"{event}" is not a list')
        return {event: listed for event, listed in hooks.items() if isinstance(listed, list)}

    def _without_emptied(
        self,
        settings: Mapping[str, Any],
        before: Mapping[str, list[Any]],
        after: Mapping[str, list[Any]],
    ) -> dict[str, Any]:
        """Return the hooks with their lists as they are `after`, without those that lost all."""
        hooks = {**settings.get(self._under, {}), **after}
        return {event: groups for event, groups in hooks.items() if groups or not before.get(event)}

    def _renewed(
        self, event: str, groups: list[Any], wanted: dict[tuple[str, str], Hook], command: str = ""
    ) -> list[Any]:
        """Return the groups of an event with our entries as they are `wanted`, and take these out
        of there; other entries of ours go, and the groups that they leave empty.
        """
        kept = []
        for group in groups:
            entries = self._inner(group)
            if not any(map(is_our_entry, entries)):
                kept.append(group)
                continue
            renewed = []
            for entry in entries:
                if not is_our_entry(entry):
                    renewed.append(entry)
                elif hook := wanted.pop((event, HookEntry(event, line_of_entry(entry)).name), None):
                    renewed.append(self._entry(hook, command))
            if not self._has_groups:
                kept += renewed
            elif renewed:
                kept.append({**group, "hooks": renewed})
        return kept

    def _inner(self, group: object) -> list[Any]:
        """Return the entries of a group; where there are no groups, each is one."""
        if not self._has_groups:
            return [group]
        return items(group.get("hooks")) if isinstance(group, dict) else []

    def _group(self, hook: Hook, command: str) -> dict[str, Any]:
        entry = self._entry(hook, command)
        if not self._has_groups:
            return entry
        return {**_matcher(hook), "hooks": [entry]}

    def _entry(self, hook: Hook, command: str) -> dict[str, Any]:
        line = line_of(command, hook, self._client.name)
        seconds = int(hook.seconds / self._hooks.unit)
        if self._has_groups:
            return {"type": "command", "command": line, "timeout": seconds}
        kind = {} if self._line_key == "command" else {"type": "command"}
        return {**kind, self._line_key: line, **_matcher(hook), self._seconds_key: seconds}


def _matcher(hook: Hook) -> dict[str, str]:
    return {"matcher": hook.matcher} if hook.matcher else {}


def _toml_events(text: str) -> dict[str, Any]:
    """Codex takes the same lists in TOML. What else is under `hooks` there is no event."""
    try:
        hooks = load_toml(text).get("hooks")
    except ValueError:
        return {}
    named = hooks.items() if isinstance(hooks, dict) else ()
    return {"hooks": {event: groups for event, groups in named if isinstance(groups, list)}}
