"""JSON Schema: the few keywords that our own schemas use, and arguments held against them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memtui.formatting import plural

_KINDS: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}
_NAMES = {
    "string": "a string",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}


def object_schema(
    required: Sequence[str] = (), /, **properties: Mapping[str, Any]
) -> dict[str, Any]:
    """The schema of an object with these properties and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def mistake(value: Any, schema: Mapping[str, Any], name: str = "The arguments") -> str:  # noqa: ANN401 - any JSON
    """What is wrong with a value, as one sentence; empty where nothing is.

    Knows type, enum, minimum, maximum, minLength, maxLength, minItems, maxItems, items,
    properties, required and additionalProperties.
    """
    given = schema.get("type", ())
    kinds: Sequence[str] = (given,) if isinstance(given, str) else given
    kind = next((it for it in kinds if _is(value, it)), "")
    if kinds and not kind:
        return f"{name} must be {' or '.join(_NAMES[it] for it in kinds)}."
    if "enum" in schema and value not in schema["enum"]:
        return f"{name} must be one of {', '.join(map(str, schema['enum']))}."
    if kind == "object":
        return _object_mistake(value, schema, name)
    if kind in ("string", "array"):
        return _length_mistake(value, schema, name)
    if kind in ("integer", "number"):
        return _range_mistake(value, schema, name)
    return ""


def _is(value: object, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    return isinstance(value, _KINDS[kind])


def _object_mistake(value: Mapping[str, Any], schema: Mapping[str, Any], name: str) -> str:
    known: Mapping[str, Any] = schema.get("properties", {})
    for key in schema.get("required", ()):
        if key not in value:
            return f"`{key}` is missing."
    for key, part in value.items():
        if key in known:
            if found := mistake(part, known[key], f"`{key}`"):
                return found
        elif schema.get("additionalProperties") is False:
            return f"{name} have no `{key[:40]}`; known: {', '.join(known)}."
    return ""


def _length_mistake(value: str | list[Any], schema: Mapping[str, Any], name: str) -> str:
    units, least, most = (
        (("character", "characters"), schema.get("minLength", 0), schema.get("maxLength"))
        if isinstance(value, str)
        else (("entry", "entries"), schema.get("minItems", 0), schema.get("maxItems"))
    )
    if len(value) < least:
        return f"{name} must have at least {plural(least, *units)}."
    if most is not None and len(value) > most:
        return f"{name} may have at most {plural(most, *units)}, but has {len(value):,}."
    if isinstance(value, list) and "items" in schema:
        for number, part in enumerate(value, 1):
            if found := mistake(part, schema["items"], f"Entry {number} of {name}"):
                return found
    return ""


def _range_mistake(value: float, schema: Mapping[str, Any], name: str) -> str:
    if "minimum" in schema and value < schema["minimum"]:
        return f"{name} must be at least {schema['minimum']:,}."
    if "maximum" in schema and value > schema["maximum"]:
        return f"{name} must be at most {schema['maximum']:,}."
    return ""
