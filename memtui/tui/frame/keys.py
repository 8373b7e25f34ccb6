"""The keys of `memtui.settings.keys` as Textual takes them, and what a sentence calls one."""

from __future__ import annotations

from functools import cache
from typing import Any

from textual.app import App
from textual.binding import Binding, BindingType

from memtui.settings.keys import KEYS

_group = cache(Binding.Group)
MOVE = _group("Move")
"""The group of keys that move a cursor or scroll, which the palette leaves out."""


def bindings(*places: str) -> list[BindingType]:
    """Return the keys of these places of the table, as the bindings of a widget or a screen."""
    return [
        Binding(
            key.keys,
            key.action,
            key.label,
            show=key.footer,
            priority=key.priority,
            tooltip=key.tooltip or key.label,
            id=key.id,
            group=_group(key.group) if key.group else None,
        )
        for place in places
        for key in KEYS[place]
    ]


def added_by_tooltip(binding: Binding) -> str:
    """Addition of a binding's tooltip to its word; empty where it only repeats it."""
    again = binding.tooltip.casefold() == binding.description.casefold()
    return "" if again else binding.tooltip


def key_in_use(app: App[Any], binding: str) -> str:
    """Return the key of the binding with this id, as the foot of the screen writes it; empty for
    none.

    Below a window, the keys of what it lies on count too: they work again once it is left.
    """
    for screen in reversed(app.screen_stack):
        for active in screen.active_bindings.values():
            if active.binding.id == binding:
                return app.get_key_display(active.binding)
        if not screen.is_modal:
            break
    return ""
