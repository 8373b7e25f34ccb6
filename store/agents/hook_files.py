"""The file that holds a client's hooks, in the style that the client reads."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from store.agents.client import Client, Home, Hooks
from store.agents.hook_styles.base import HookFile
from store.agents.hook_styles.json_lists import JsonHooks
from store.agents.hook_styles.plugin import PluginHooks
from store.agents.hook_styles.toml_tables import TomlHooks
from store.agents.hooks import HookEntry, is_ours
from store.errors import NotFound, StoreError
from store.platform.bounds import read_regular

_ADDING = frozenset({"session-start", "user-prompt"})
"""Our names of the events whose hooks add to a session's context."""


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


def other_hooks(client: Client, home: Home, project: Path) -> Iterator[tuple[Path, HookEntry]]:
    """List the hooks of others that may add to a session's context at its start or with a prompt,
    each with the file that has it. Files that can't be read are passed over.
    """
    hooks = client.hooks
    if hooks is None or hooks.style == "plugin":
        return
    adding = {hook.event for hook in hooks.events if hook.name in _ADDING}
    files = [hooks.file(home, None), hooks.file(home, project)]
    files += hooks.others(home, project) if hooks.others is not None else ()
    for file in dict.fromkeys(files):
        try:
            entries = hook_file(client).all_entries(read_regular(file).decode("utf-8-sig"), file)
        except (OSError, ValueError, StoreError):
            continue
        yield from (
            (file, entry)
            for entry in entries
            if entry.event in adding and entry.line and not is_ours(entry.line)
        )
