"""What the app's settings may name: themes, actions, keys, commands.

Settings are checked where no screen is loaded, so nothing here needs one.
"""

from __future__ import annotations

import os
import shlex
import string
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from memtui.settings.keys import ACTIONS
from store.settings.schema import Accepts, Settings, setting
from store.text.closest_match import check_name, nearest

THEMES = tuple(
    "memtui textual-dark textual-light nord gruvbox catppuccin-mocha dracula tokyo-night monokai "
    "flexoki catppuccin-latte catppuccin-frappe catppuccin-macchiato solarized-light "
    "solarized-dark rose-pine rose-pine-moon rose-pine-dawn atom-one-dark atom-one-light "
    "ansi-dark ansi-light".split()
)
"""The themes; those called ansi use the terminal's own colours."""


_MODIFIERS = frozenset({"alt", "ctrl", "hyper", "meta", "shift", "super"})
_SHORTER = {
    "solidus": "slash",
    "reverse_solidus": "backslash",
    "commercial_at": "at",
    "hyphen_minus": "minus",
    "plus_sign": "plus",
    "low_line": "underscore",
}


def _name_of(character: str) -> str:
    """The name of a key that writes a sign, such as `question_mark`: Unicode's, or a shorter."""
    name = unicodedata.name(character).lower().replace("-", "_").replace(" ", "_")
    return _SHORTER.get(name, name)


@cache
def _named() -> frozenset[str]:
    moving = "backspace delete down end enter escape home insert left pagedown pageup right space"
    numbered = [f"f{number}" for number in range(1, 25)]
    return frozenset([*moving.split(), "tab", "up", *numbered, *map(_name_of, string.punctuation)])


def check_theme(name: str) -> None:
    """Check that there is a theme of this name. Raises `ValueError`."""
    check_name(name, "theme", THEMES, f"known: {', '.join(THEMES)}")


def check_action(name: str) -> None:
    """Check that there is an action of this name. Raises `ValueError`."""
    check_name(name, "action", ACTIONS, "see Settings in the manual")


def check_keys(keys: str) -> None:
    """Check the names of keys, joined by commas. Raises `ValueError`."""
    key_names(keys)


def key_names(keys: str) -> tuple[str, ...]:
    """Return the keys that are named, joined by commas: `f8`, `ctrl+d`, `question_mark`, `?`.

    Raises `ValueError` where one is no key.
    """
    return tuple(_key_name(key.strip()) for key in keys.split(","))


def _key_name(key: str) -> str:
    if len(key) == 1 and key.isprintable() and not key.isspace():
        return key if key.isalnum() else _name_of(key)
    *modifiers, plain = key.split("+")
    known = plain in _named() or (len(plain) == 1 and plain.isalnum())
    if not known or not _MODIFIERS.issuperset(modifiers):
        meant = nearest(key, _named())
        such = f"did you mean `{meant}`?" if meant else "keys are named like `x`, `f8` or `ctrl+d`"
        raise ValueError(f"unknown key `{key}`; {such}")
    if modifiers == ["shift"] and plain.isalpha() and len(plain) == 1:
        return plain.upper()  # what terminals send
    return "+".join((*sorted(set(modifiers)), plain))


def check_command(command: str) -> None:
    """Check that a text can be divided into the words of a command. Raises `ValueError`."""
    try:
        shlex.split(command, posix=os.name == "posix")
    except ValueError as error:
        raise ValueError(f"`{command}` is not a command: {str(error).lower()}") from error


@dataclass(frozen=True)
class AppSettings(Settings):
    """The settings of memtui: those of memory, and how the app looks and is used."""

    theme: str = setting(
        "Theme of the app: memtui, or a Textual theme such as nord, textual-light or ansi-dark.",
        "memtui",
        Accepts(options=THEMES, check=check_theme),
        subject="App",
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
