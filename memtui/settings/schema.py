"""The app's own settings, beside those of memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from memtui.settings.choices import THEMES, check_action, check_command, check_keys, check_theme
from store.settings.schema import Accepts, Settings, setting


@dataclass(frozen=True)
class AppSettings(Settings):
    """The settings of memtui: those of memory, and how the app looks and is used."""

    theme: str = setting(
        "Theme of the app: memtui, or a Textual theme such as nord, textual-light or ansi-dark.",
        "memtui",
        Accepts(options=THEMES, check=check_theme),
    )
    keymap: Mapping[str, str] = setting(
        "Key bindings: an action and its keys, separated by commas.",
        accepts=Accepts(check=check_keys),
        keys=Accepts(check=check_action),
        example={"archive": "f8,ctrl+d"},
    )
    editor: str = setting(
        "Editor command; empty uses $VISUAL or $EDITOR. Ignored in a project's file, which comes "
        "with the repository and could run any command.",
        "",
        Accepts(check=check_command),
        is_personal=True,
    )


def app_settings(settings: Settings) -> AppSettings:
    """The app's settings among those of a memory; its own defaults where a program gave others."""
    return settings if isinstance(settings, AppSettings) else AppSettings(**vars(settings))
