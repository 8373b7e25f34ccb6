"""Values of settings as a person types them: on the command line, in the app, in a variable."""

from __future__ import annotations

from typing import Any

from store.errors import InvalidSetting
from store.settings.checks import WrongValue, check_setting, is_plainly_right
from store.settings.known import allowed, as_toml, known_settings

_DIGITS = 15
"""The most digits that are read at a glance."""


def typed_value(name: str, text: str) -> Any:  # noqa: ANN401 - of the field's type
    """The value that a text stands for: as it is, for a table as TOML writes it.

    Raises `InvalidSetting`.
    """
    try:
        return value_of(name, text)
    except WrongValue as error:
        problem = error.problems[0]
        if problem.where:
            said = f"{problem.where[0]}: {problem.why}"
        else:
            said = problem.why if problem.is_ours else f"give {allowed(name)}"
            said = said[:1].upper() + said[1:]
        raise InvalidSetting(said if said.endswith("?") else f"{said}.") from error


def value_of(name: str, text: str) -> Any:  # noqa: ANN401 - of the field's type
    """The value that a text stands for. Raises `WrongValue`."""
    value = plain_value(name, text)
    for reading in (value, _at_a_glance(value)):
        if is_plainly_right(name, reading):
            return reading
    return check_setting(name, value, strict=False)


def _at_a_glance(value: object) -> object:
    """A whole number or a truth as a text says it plainly; else the value as it is."""
    if not isinstance(value, str):
        return value
    if value.isascii() and value.isdigit() and len(value) <= _DIGITS:
        return int(value)
    return {"true": True, "false": False}.get(value, value)


def as_typed(value: object) -> str:
    """A value as `typed_value` takes it; empty for what is not set."""
    return "" if value in ("", {}) else value if isinstance(value, str) else as_toml(value)


def plain_value(name: str, text: str) -> object:
    """What a variable says: a text, or for a field that is a table, what it is in TOML.

    Bytes of a shell that are no UTF-8 become `?`, since no check can name them.
    """
    text = text.encode("utf-8", "replace").decode()
    if not known_settings()[name].is_table:
        return text.strip()
    from store.bounds import load_toml

    try:
        return load_toml(f"value = {text}")["value"]
    except ValueError:
        return text
