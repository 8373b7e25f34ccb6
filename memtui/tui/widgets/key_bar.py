"""The line at the bottom: the keys of the screen, as many as fit."""

from __future__ import annotations

from itertools import groupby

from textual.app import RenderResult
from textual.content import Content
from textual.reactive import reactive
from textual.screen import Screen
from textual.style import Style
from textual.widget import Widget

_ALWAYS = ("save", "apply", "undo", "help", "quit", "back")
_LAST = ("help", "quit")
_NAMED = {"slash": "/", "at": "@", "plus": "+", "equals_sign": "=", "minus": "-"}
"""The characters of keys that our bindings call by a name."""


class KeyBar(Widget):
    """Keys in the accent, their words plain, groups apart; a click presses the key."""

    ALLOW_SELECT = False
    auto_links = False
    keys: reactive[tuple[tuple[str, ...], ...]] = reactive(())
    """Shown keys: (group, key, word, action to run, id)."""

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, self._gather)
        self._gather(self.screen)

    def _gather(self, screen: Screen[object]) -> None:
        shown: dict[str, tuple[str, ...]] = {}
        for active in screen.active_bindings.values():
            binding = active.binding
            if self._is_typed(screen.focused, binding.key):
                continue
            if not binding.show or not active.enabled or binding.action in shown:
                continue
            group = binding.group.description if binding.group else ""
            key = self.app.get_key_display(binding)
            shown[binding.action] = (group, key, binding.description, binding.key, binding.id or "")
        self.keys = tuple(shown.values())

    @staticmethod
    def _is_typed(focused: Widget | None, key: str) -> bool:
        """True if the key writes where the focus is: Textual itself misses keys with a name."""
        character = _NAMED.get(key)
        return bool(character and focused and focused.check_consume_key(key, character))

    def render(self) -> RenderResult:
        width = self.content_size.width
        keys = list(self.keys)
        while keys and (bar := self._bar(keys)).cell_length > width:
            names = [key[4].rpartition(".")[2] for key in keys]
            spare = [key for key, name in zip(keys, names, strict=True) if name not in _ALWAYS]
            spare = spare or [
                key for key, name in zip(keys, names, strict=True) if name not in _LAST
            ]
            if not spare:
                return bar.truncate(width)
            keys.remove(spare[-1])
        return self._bar(keys)

    def _bar(self, keys: list[tuple[str, ...]]) -> Content:
        groups = []
        for _group, members in groupby(keys, key=lambda key: key[0]):
            items = [
                Content.assemble((key, "bold $accent-text"), " ", word).stylize(
                    Style.from_meta({"@click": f"app.simulate_key({pressed!r})"})
                )
                for _, key, word, pressed, _ in members
            ]
            groups.append(Content("  ").join(items))
        return Content.styled("   ", "$dim").join(groups)
