"""Values of settings as a person types them: on the command line, in the app, in a variable."""

from __future__ import annotations

from typing import Any

from store.errors import InvalidSetting
from store.settings.known import allowed, as_toml, check_setting, known_settings

_OURS = "value_error"
"""The type of what our own checks find, which say what was meant."""


def typed_value(name: str, text: str) -> Any:  # noqa: ANN401 - of the field's type
    """The value that a text stands for: as it is, for a table as TOML writes it.

    Raises `InvalidSetting`.
    """
    from pydantic import ValidationError

    try:
        return check_setting(name, plain_value(name, text), strict=False)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        if where := ".".join(str(part) for part in problem["loc"][:1]):
            said = f"{where}: {why_wrong(problem)}"
        else:
            said = why_wrong(problem) if problem["type"] == _OURS else f"give {allowed(name)}"
            said = said[:1].upper() + said[1:]
        raise InvalidSetting(said if said.endswith("?") else f"{said}.") from error


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


def why_wrong(problem: Any) -> str:  # noqa: ANN401 - pydantic's ErrorDetails
    """What a check of pydantic's says, as the end of a sentence."""
    message = str(problem["msg"]).removeprefix("Value error, ")
    return message[:1].lower() + message[1:]
