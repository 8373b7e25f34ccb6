"""What a sentence calls the key of an action: keys can be chosen, and some write into a box."""

from __future__ import annotations

from typing import Any

from textual.app import App
from textual.binding import Binding


def added_by_tooltip(binding: Binding) -> str:
    """What a binding's tooltip says beyond its word; empty where it only says that again."""
    again = binding.tooltip.casefold() == binding.description.casefold()
    return "" if again else binding.tooltip


def key_in_use(app: App[Any], binding: str) -> str:
    """The key of the binding with this id, as the foot of the screen writes it; empty for none.

    Below a window, the keys of what it lies on count too: they work again once it is left.
    """
    for screen in reversed(app.screen_stack):
        for active in screen.active_bindings.values():
            if active.binding.id == binding:
                return app.get_key_display(active.binding)
        if not screen.is_modal:
            break
    return ""
