"""The file that holds a client's hooks, in the style that the client reads."""

from __future__ import annotations

from store.agents.client import Client, Hooks
from store.agents.hook_styles.base import HookFile
from store.agents.hook_styles.json_lists import JsonHooks
from store.agents.hook_styles.plugin import PluginHooks
from store.agents.hook_styles.toml_tables import TomlHooks
from store.errors import NotFound


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
