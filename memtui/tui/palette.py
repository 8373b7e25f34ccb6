"""The palette and its commands: every action of the screen, and a jump to any issue or agent."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from textual.command import CommandList, CommandPalette, DiscoveryHit, Hit, Hits, Provider

from memtui.formatting import memories
from memtui.tui.browse.screen import BrowseScreen
from memtui.tui.frame.keys import MOVE, added_by_tooltip
from store.text.display import visible_line


class Palette(CommandPalette):
    """Commands found as one types, in windows of any height."""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "command_list" and not self.query_one(CommandList).size.height:
            return False
        return super().check_action(action, parameters)


class MemtuiCommands(Provider):
    """Commands of the palette: the keys of the screen, the themes, every agent and issue."""

    async def discover(self) -> Hits:
        for command in self._actions():
            yield command

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for command in (*self._actions(), *self._places()):
            name = str(command.display)
            if (score := matcher.match(name)) > 0:
                shown = matcher.highlight(name)
                yield Hit(score, shown, command.command, text=name, help=command.help)

    def _actions(self) -> Iterator[DiscoveryHit]:
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
                yield DiscoveryHit(binding.description.capitalize(), run, help=hint)
        yield DiscoveryHit("Theme", self.app.action_change_theme, help="Choose the colours")

    def _places(self) -> Iterator[DiscoveryHit]:
        browse = next((s for s in self.app.screen_stack if isinstance(s, BrowseScreen)), None)
        if browse is None:
            return
        for agent, number in browse.everything.agents.items():
            go = partial(browse.go_to_agent, agent)
            name = f"Agent {visible_line(agent)}"
            yield DiscoveryHit(name, go, help=memories(number))
        for issue, number in browse.everything.issues.items():
            go = partial(browse.go_to_issue, issue)
            yield DiscoveryHit(f"Issue #{issue}", go, help=memories(number))
