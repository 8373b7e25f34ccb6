"""What a sentence calls the key of an action: keys can be chosen, and some write into a box."""

from __future__ import annotations

from typing import Any

from textual.app import App


def key_in_use(app: App[Any], binding: str) -> str:
    """The key of the binding with this id, as the foot of the screen writes it; empty for none."""
    screen = next(screen for screen in reversed(app.screen_stack) if not screen.is_modal)
    found = (each.binding for each in screen.active_bindings.values())
    return next((app.get_key_display(each) for each in found if each.id == binding), "")
