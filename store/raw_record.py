"""A record as text and value together, so that what nobody changes keeps its very bytes."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import orjson

from store.errors import Unreadable


class RawRecord(NamedTuple):
    """One element of `observations`: its JSON text and its value.

    `value` may have been read by a parser that rounds integers past 64 bits; `exact()` has not.
    """

    text: bytes
    value: Any

    def exact(self) -> Any:  # noqa: ANN401 - any JSON value
        """The value with integers of any size kept.

        Raises `Unreadable` where it nests too deep, or lines inside it stand where a file's own
        separators do.
        """
        try:
            return json.loads(self.text.decode("utf-8", "surrogatepass"))
        except (RecursionError, ValueError) as error:
            raise Unreadable(
                "A record nests too deeply to be changed.",
                "It is kept unchanged.",
            ) from error


def new_record(value: dict[str, Any]) -> RawRecord:
    """A record to be written, laid out as AgentX lays it out (indent 2, inside `observations`)."""
    return RawRecord(as_json(value).replace(b"\n", b"\n    "), value)


def as_json(value: object) -> bytes:
    """Indented JSON of any value `json` can write: huge integers, NaN and lone surrogates too."""
    try:
        text = orjson.dumps(value, option=orjson.OPT_INDENT_2)
    except TypeError:
        # Lone surrogates and integers past 64 bits: the standard library writes both.
        return json.dumps(value, indent=2).encode("ascii")
    if b"null" in text:
        # orjson writes NaN and the infinities as null; the standard library keeps them.
        return json.dumps(value, indent=2, ensure_ascii=False).encode()
    return text


def compact_json(value: object) -> bytes:
    """JSON in one line of any value `json` can write; NaN and the infinities become null."""
    try:
        return orjson.dumps(value)
    except TypeError:  # as above
        return json.dumps(value, separators=(",", ":")).encode("ascii")
