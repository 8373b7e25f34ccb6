"""The palette: every action of the screen and the theme, at home each agent and issue too."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeAlias

from textual.app import App

from memtui.formatting import count
from memtui.tui.browse.screen import BrowseScreen
from memtui.tui.frame.keys import MOVE, added_by_tooltip
from memtui.tui.frame.routes import Choice, Pick
from store.text.display import visible_line

Command: TypeAlias = Callable[[], Any]


def pick_command(app: App[Any], choose_theme: Command, sync: Command) -> Pick[Command]:
    """Gives what is to be done on the screen that is shown now."""
    without_key = (
        _choice(sync, "Sync", "", "Have your memories the same on all machines"),
        _choice(choose_theme, "Theme", "", "Choose the colours"),
    )
    return Pick("Commands", [*_actions(app), *without_key, *_places(app)], "type a command")


def _actions(app: App[Any]) -> Iterator[Choice[Command]]:
    seen = set()
    for active in app.screen.active_bindings.values():
        binding = active.binding
        if binding.id is None or not active.enabled or binding.group is MOVE:
            continue
        if binding.action not in seen:
            seen.add(binding.action)
            run = partial(app.run_action, binding.action, active.node)
            key, more = app.get_key_display(binding), added_by_tooltip(binding)
            yield _choice(run, binding.description.capitalize(), key, more)


def _places(app: App[Any]) -> Iterator[Choice[Command]]:
    browse = app.screen
    if isinstance(browse, BrowseScreen):
        for agent, number in browse.everything.agents.items():
            go = partial(browse.go_to_agent, agent)
            yield _choice(go, f"Agent {visible_line(agent)}", count(number))
        for issue, number in browse.everything.issues.items():
            yield _choice(partial(browse.go_to_issue, issue), f"Issue #{issue}", count(number))


def _choice(run: Command, name: str, fact: str, words: str = "") -> Choice[Command]:
    return Choice(run, name, fact, key=name, words=words)
