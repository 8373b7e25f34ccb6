"""Hooks as a plugin file that is ours alone: JavaScript or TypeScript from `agents/plugins`."""

from __future__ import annotations

import json
import re
from pathlib import Path

from store.agents.commented_json import not_understood
from store.agents.hook_styles.base import HookFile
from store.agents.hooks import COMMAND, HookEntry, line_of, own_words, program_words

_PLUGINS = Path(__file__).parents[1] / "plugins"
_PLUGIN_MARK = "// Written by `memtui hooks install "
_PLUGIN_COMMAND = re.compile(r'^const COMMAND = (".*"|\[".*"\])$', re.M)


class PluginHooks(HookFile):
    """A file of its own, which hands the client's events to our command."""

    def all_entries(self, text: str, path: Path) -> list[HookEntry]:
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
