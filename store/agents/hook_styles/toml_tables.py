"""Hooks as tables of a TOML file, which is changed as text: comments and order stay."""

from __future__ import annotations

import json
import re
from pathlib import Path

from store.agents.commented_json import not_understood, parsed_toml
from store.agents.hook_styles.base import HookFile, is_our_entry, line_of_entry
from store.agents.hooks import HookEntry, line_of
from store.platform.bounds import load_toml

_TABLE = re.compile(
    r"^\[\[hooks\]\][ \t]*\r?\n"
    r"(?:(?:[ \t]*(?:#[^\n]*)?\r?\n)*[ \t]*[\w\"'][^\n]*(?:\n|\Z))*",
    re.M,
)
"""A table up to its last key: a comment or an empty line after it is its user's."""


class TomlHooks(HookFile):
    """One `[[hooks]]` table a hook (Kimi Code). Ours are added at the end, as text."""

    def all_entries(self, text: str, path: Path) -> list[HookEntry]:
        hooks = parsed_toml(text, path).get("hooks", [])
        if not isinstance(hooks, list):
            raise not_understood(path, '"hooks" is not a list of tables')
        return [
            HookEntry(str(hook.get("event", "")), line_of_entry(hook), hook.get("timeout"))
            for hook in hooks
            if isinstance(hook, dict)
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


def _is_our_table(table: str) -> bool:
    try:
        (hook,) = load_toml(table)["hooks"]
    except (KeyError, ValueError):
        return False
    return is_our_entry(hook)
