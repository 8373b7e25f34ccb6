"""The question for the value of a setting."""

from __future__ import annotations

from memtui.tui import routes
from memtui.tui.settings.values import Owner, allowed
from store.errors import StoreError
from store.settings import accepted, known_settings, typed_value


def setting_prompt(name: str, text: str, owner: Owner) -> routes.Prompt:
    """Asks for the value of a setting."""
    takes = accepted(name)

    def wrong(text: str) -> str:
        try:
            typed_value(name, text)
        except StoreError as error:
            return error.message if takes.least is None else f"Give {allowed(name)}."
        return ""

    return routes.Prompt(
        name,
        known_settings()[name].meaning,
        text,
        f"Allowed: {allowed(name)}",
        wrong,
        takes.options,
        owner.value,
    )
