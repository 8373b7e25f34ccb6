"""Names and values of settings as people write them: in a file, a variable, a command, the app."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from types import GenericAlias
from typing import Any, NamedTuple

from store.errors import InvalidSetting
from store.platform.bounds import load_toml
from store.settings.schema import SettingInfo, known_settings
from store.text.closest_match import nearest


class Problem(NamedTuple):
    """What is wrong in a value, as the end of a sentence; `key` is that of a table, if it is in
    one.
    """

    key: str
    why: str


class WrongValue(ValueError):
    """A value that a setting does not accept."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        super().__init__()
        self.problems = tuple(problems)


def spellings() -> Mapping[str, str]:
    """Return the names that settings have, or had, in files, each with that of its field."""
    known = known_settings()
    names = {name: name for name in known} | {
        info.former: name for name, info in known.items() if info.former
    }
    return names | {_camel(spelled): name for spelled, name in names.items()}


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(map(str.capitalize, rest))


def closest_setting(key: str) -> str:
    """Return the setting that is spelt much like a key; empty for none."""
    known = spellings()
    found = nearest(key, known)
    return known[found] if found else ""


def setting_named(key: str) -> str:
    """Return the setting that a key means, in either spelling. Raises `InvalidSetting` for none."""
    if name := spellings().get(key):
        return name
    near = closest_setting(key)
    hint = f"Did you mean `{near}`?" if near else "`memtui config` lists the settings."
    raise InvalidSetting(f"Unknown setting `{key}`.", hint)


def allowed(name: str) -> str:
    """Return the values that a setting accepts, as a person reads it."""
    info = known_settings()[name]
    return f"a table, such as {as_toml(info.example)}" if info.is_table else str(info.accepts)


def check_value(name: str, value: Any, *, strict: bool = True) -> Any:  # noqa: ANN401 - of the field's type
    """Return the value as the field takes it. `strict` takes no text for a number.

    Raises `WrongValue`.
    """
    info = known_settings()[name]
    if _is_right(info, value):
        return value
    from pydantic import TypeAdapter, ValidationError

    kind = info.accepts.annotation
    if info.is_table:
        kind = GenericAlias(dict, (info.keys.annotation, kind))
    try:
        return TypeAdapter(kind).validate_python(value, strict=strict)
    except ValidationError as error:
        found = error.errors(include_url=False)
        raise WrongValue(_problem(info, details) for details in found) from error


def _is_right(info: SettingInfo, value: Any) -> bool:  # noqa: ANN401 - any value of a file
    if not info.is_table:
        return info.accepts.matches(value)
    return type(value) is dict and all(
        info.keys.matches(key) and info.accepts.matches(item) for key, item in value.items()
    )


def _problem(info: SettingInfo, details: Any) -> Problem:  # noqa: ANN401 - pydantic's ErrorDetails
    key, *inner = (*map(str, details["loc"]), "")
    if details["type"] == "value_error":
        return Problem(key, str(details["ctx"]["error"]))
    if not key:
        return Problem(key, f"give {allowed(info.name)}")
    return Problem(key, f"give {info.keys if '[key]' in inner else info.accepts}")


def typed_value(name: str, text: str) -> Any:  # noqa: ANN401 - of the field's type
    """Return the value of a text: as it is, for a table as TOML writes it.

    Raises `InvalidSetting`.
    """
    try:
        return value_of(name, text)
    except WrongValue as error:
        key, why = error.problems[0]
        reason = f"{key}: {why}" if key else why[:1].upper() + why[1:]
        raise InvalidSetting(reason if reason.endswith("?") else f"{reason}.") from error


def value_of(name: str, text: str) -> Any:  # noqa: ANN401 - of the field's type
    """Return the value of a text. Raises `WrongValue`."""
    # Bytes of a shell that are no UTF-8 become `?`, since no check can name them.
    text = text.encode("utf-8", "replace").decode()
    value: object = text.strip()
    if known_settings()[name].is_table:
        try:
            value = load_toml(f"value = {text}")["value"]
        except ValueError:
            value = text
    return check_value(name, value, strict=False)


def as_typed(value: object) -> str:
    """Return a value as `typed_value` takes it; empty for what is not set."""
    return "" if value in ("", {}) else value if isinstance(value, str) else as_toml(value)


def as_toml(value: object) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {as_toml(item)}" for key, item in value.items()) + " }"
    return json.dumps(value)
