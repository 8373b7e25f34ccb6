"""What methods and tools take, checked by pydantic: nothing else, and no type for another."""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError


class Arguments(BaseModel):
    """The arguments of a method or a tool."""

    model_config = ConfigDict(extra="forbid", strict=True)


_Taken = TypeVar("_Taken", bound=Arguments)


class WrongArguments(ValueError):
    """A mistake in arguments, as one sentence; it repeats no more than a name of what came."""


def checked(takes: type[_Taken], given: object) -> _Taken:
    """Return the arguments, where they are what a method takes. Raises `WrongArguments`."""
    try:
        return takes.model_validate(given)
    except ValidationError as error:
        first, *_ = error.errors(include_url=False, include_context=False, include_input=False)
        place = ".".join(map(str, first["loc"]))[:80]
        if first["type"] == "missing":
            raise WrongArguments(f"`{place}` is missing.") from error
        if first["type"] == "extra_forbidden":
            known = ", ".join(takes.model_fields)
            raise WrongArguments(f"`{place}` is not known; known: {known}.") from error
        sentence = f"`{place}`: {first['msg']}." if place else f"{first['msg']}."
        raise WrongArguments(sentence) from error


def schema_of(takes: type[Arguments]) -> dict[str, Any]:
    """The JSON schema of arguments, without the titles that pydantic makes of their names."""
    schema = takes.model_json_schema()
    for part in (schema, *schema.get("$defs", {}).values()):
        for key in ("title", "description"):
            part.pop(key, None)
        for field in part.get("properties", {}).values():
            field.pop("title", None)
    return schema
