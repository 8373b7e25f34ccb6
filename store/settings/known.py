"""The settings there are: those of the class in force, what each means and takes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields
from functools import cache
from typing import Any, NamedTuple, get_args

from store.errors import InvalidSetting
from store.extension import named, settings_name
from store.settings.checks import Ge, Le, type_of
from store.settings.schema import RENAMED_SETTINGS
from store.text.closest_match import nearest


class SettingInfo(NamedTuple):
    """What is known of a setting: its name, meaning and default, and for a table an example.

    `options` are all it takes, where that is a few. What is personal a project's file can't set:
    whoever wrote it would run commands on our machine, or have what was said committed.
    """

    name: str
    meaning: str
    default: object
    example: Mapping[str, Any] | None
    options: tuple[str, ...] = ()
    is_personal: bool = False

    @property
    def is_table(self) -> bool:
        """Whether the setting is a table of values."""
        return self.example is not None


class Accepts(NamedTuple):
    """What a setting takes: one of `options`, or a number from `least` to `most`, or any text."""

    options: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None
    is_whole: bool = False


def known_settings() -> Mapping[str, SettingInfo]:
    """Every setting, by name, in the order of the template."""
    return _known(settings_name())


@cache
def _known(name: str) -> Mapping[str, SettingInfo]:
    return {item.name: _info(item) for item in fields(named(name))}


def _info(item: Field[Any]) -> SettingInfo:
    default = {} if item.default is MISSING else item.default
    return SettingInfo(item.name, default=default, **item.metadata)


def spellings() -> Mapping[str, str]:
    """The names that settings have, or had, in files, each with that of its field."""
    names = {name: name for name in known_settings()} | RENAMED_SETTINGS
    return names | {_camel(name): meant for name, meant in names.items()}


def is_renamed(key: str) -> bool:
    """Whether a setting that was spelt so has another name now."""
    return any(key in (old, _camel(old)) for old in RENAMED_SETTINGS)


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(map(str.capitalize, rest))


def closest_setting(key: str) -> str:
    """The setting that is spelt much like a key; empty for none."""
    known = spellings()
    found = nearest(key, known)
    return known[found] if found else ""


def setting_named(key: str) -> str:
    """The setting that a key means, in either spelling. Raises `InvalidSetting` for none."""
    if name := spellings().get(key):
        return name
    near = closest_setting(key)
    hint = f"Did you mean `{near}`?" if near else "`memtui config` lists the settings."
    raise InvalidSetting(f"Unknown setting `{key}`.", hint)


def accepted(name: str) -> Accepts:
    """What the values of a setting are held to; of a table nothing is told."""
    kind = type_of(name)
    if kind is bool:
        return Accepts(("true", "false"))
    if options := known_settings()[name].options:
        return Accepts(options)
    held = getattr(kind, "__metadata__", ())
    least = next((each.ge for each in held if isinstance(each, Ge)), None)
    most = next((each.le for each in held if isinstance(each, Le)), None)
    return Accepts((), least, most, get_args(kind)[:1] == (int,))


def allowed(name: str) -> str:
    """What a setting takes, in words."""
    info, takes = known_settings()[name], accepted(name)
    if info.is_table:
        return f"a table, such as {as_toml(info.example)}"
    if takes.options:
        return " or ".join(filter(None, (", ".join(takes.options[:-1]), takes.options[-1])))
    if takes.least is None or takes.most is None:
        return "text"
    kind = "a whole number" if takes.is_whole else "a number"
    return f"{kind} from {int(takes.least):,} to {int(takes.most):,}"


def as_toml(value: object) -> str:
    """A value as it is written in TOML."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {as_toml(item)}" for key, item in value.items()) + " }"
    return json.dumps(value)
