"""The app's own settings, beside those of memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar

from memtui.settings.themes import THEMES
from store.settings.schema import Settings, setting

if TYPE_CHECKING:
    from annotated_types import Predicate

    from memtui.settings.choices import check_action, check_command, check_keys, check_theme

_CHOICES = "memtui.settings.choices"


@dataclass(frozen=True)
class AppSettings(Settings):
    """The settings of memtui: those of memory, and how the app looks and is used."""

    CHECKS: ClassVar[Mapping[str, str]] = {
        "check_theme": f"{_CHOICES}:check_theme",
        "check_action": f"{_CHOICES}:check_action",
        "check_keys": f"{_CHOICES}:check_keys",
        "check_command": f"{_CHOICES}:check_command",
    }

    theme: Annotated[str, Predicate(check_theme)] = setting(
        "Theme of the app: memtui, or a Textual theme such as nord, textual-light or ansi-dark.",
        "memtui",
        options=THEMES,
    )
    keymap: Mapping[
        Annotated[str, Predicate(check_action)], Annotated[str, Predicate(check_keys)]
    ] = setting(
        "Key bindings: an action and its keys, separated by commas.",
        example={"archive": "f8,ctrl+d"},
    )
    editor: Annotated[str, Predicate(check_command)] = setting(
        "Editor command; empty uses $VISUAL or $EDITOR. Ignored in a project's file, which comes "
        "with the repository and could run any command.",
        "",
        is_personal=True,
    )


def app_settings(settings: Settings) -> AppSettings:
    """The app's settings among those of a memory; its own defaults where a program gave others."""
    return settings if isinstance(settings, AppSettings) else AppSettings(**vars(settings))
