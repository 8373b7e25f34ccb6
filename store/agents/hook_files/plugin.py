"""A plugin: a file of its own, which hands the client's events to our command."""

from __future__ import annotations

import json
import re
from pathlib import Path

from store.agents.client import Client
from store.agents.hook_files import not_understood
from store.agents.hooks import COMMAND, HookEntry, line_of, own_words, program_words
from store.agents.registry import NAMES, client_named

_FOLDER = Path(__file__).parents[1] / "plugins"
_MARK = "// Written by `memtui hooks install "
_COMMAND = re.compile(r'^const COMMAND = (".*"|\[".*"\])$', re.M)


def entries(text: str, path: Path) -> list[HookEntry]:
    """One for each event that the plugin hands on; of another version, ones that are outdated."""
    if not text:
        return []
    name = text.partition(_MARK)[2].partition("`")[0]
    found = _COMMAND.search(text)
    if name not in NAMES or found is None:
        raise not_understood(path, "not a memtui plugin")
    client, words = client_named(name), json.loads(found.group(1))
    command = words if isinstance(words, str) else str(own_words(words)[0])
    hooks = client.hooks.events if client.hooks else ()
    if text != _text(client, command):
        return [HookEntry(hook.event, f"{command} hook {hook.name} --old") for hook in hooks]
    return [HookEntry(item.event, line_of(command, item, name), item.seconds) for item in hooks]


def with_hooks(text: str, path: Path, client: Client, command: str) -> str:
    """The plugin; it takes the place of an older one. Raises Unreadable for another's file."""
    entries(text, path)
    return _text(client, command)


def without_hooks(text: str, path: Path) -> str:
    """Empty text: the file is all ours. Raises Unreadable for another's file."""
    entries(text, path)
    return ""


def is_equivalent(one: str, other: str) -> bool:
    """Return whether two texts are the same."""
    return one == other


def _text(client: Client, command: str) -> str:
    (file,) = _FOLDER.glob(f"{client.name}.*")
    text = file.read_text(encoding="utf-8")
    words = json.dumps(program_words(command))
    return text.replace(f'const COMMAND = ["{COMMAND}"]', f"const COMMAND = {words}")
