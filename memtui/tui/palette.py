"""The palette and its commands: every action of the screen, and a jump to any issue or agent."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from textual.command import CommandList, CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.types import IgnoreReturnCallbackType

from memtui.formatting import memories
from memtui.tui.browse.screen import BrowseScreen
from memtui.tui.frame.keys import MOVE, added_by_tooltip
from store.text.display import visible_line


class Command(NamedTuple):
    """A line of the palette, which Textual lists as a `DiscoveryHit` and finds as a `Hit`."""

    name: str
    help: str
    run: IgnoreReturnCallbackType


class Palette(CommandPalette):
    """Commands found as one types, in windows of any height."""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        # In a window of three rows the list has no line, and Textual fails with an `IndexError`
        # when it turns a page of it.
        if action == "command_list" and not self.query_one(CommandList).size.height:
            return False
        return super().check_action(action, parameters)


class MemtuiCommands(Provider):
    """Commands of the palette: the keys of the screen, the theme, every agent and issue."""

    async def discover(self) -> Hits:
        for command in self._actions():
            yield DiscoveryHit(command.name, command.run, help=command.help)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for command in (*self._actions(), *self._places()):
            if (score := matcher.match(command.name)) > 0:
                shown = matcher.highlight(command.name)
                yield Hit(score, shown, command.run, text=command.name, help=command.help)

    def _actions(self) -> Iterator[Command]:
        seen = set()
        for active in self.screen.active_bindings.values():
            binding = active.binding
            if binding.id is None or not active.enabled or binding.group is MOVE:
                continue
            if binding.action not in seen:
                seen.add(binding.action)
                key = self.app.get_key_display(binding)
                hint = f"{key}   {added_by_tooltip(binding)}".strip()
                run = partial(self.app.run_action, binding.action, active.node)
                yield Command(binding.description.capitalize(), hint, run)
        yield Command("Theme", "Choose the colours", self.app.search_themes)

    def _places(self) -> Iterator[Command]:
        browse = next(
            (screen for screen in self.app.screen_stack if isinstance(screen, BrowseScreen)), None
        )
        if browse is None:
            return
        for agent, number in browse.everything.agents.items():
            go = partial(browse.go_to_agent, agent)
            yield Command(f"Agent {visible_line(agent)}", memories(number), go)
        for issue, number in browse.everything.issues.items():
            go = partial(browse.go_to_issue, issue)
            yield Command(f"Issue #{issue}", memories(number), go)
