"""The question for the value of a setting."""

from __future__ import annotations

from memtui.settings.values import Owner
from memtui.tui.frame import routes
from store.errors import StoreError
from store.settings.schema import known_settings
from store.settings.values import allowed, typed_value


def setting_prompt(name: str, text: str, owner: Owner) -> routes.Prompt:
    """Asks for the value of a setting."""

    def wrong(text: str) -> str:
        try:
            typed_value(name, text)
        except StoreError as error:
            return error.message
        return ""

    return routes.Prompt(
        name,
        known_settings()[name].meaning,
        text,
        f"Allowed: {allowed(name)}",
        wrong,
        known_settings()[name].accepts.options,
        owner.value,
    )
