"""Types of parameters: a number with a least value, a memory's location, a format of files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import click

from store.backends import Location

FORMATS = ("json-lines", "markdown", "agentx", "vault")
FOLDERS = ("agentx", "vault")
"""The formats that are a folder."""
_ENDINGS: Mapping[str, str] = MappingProxyType({"jsonl": "json-lines", "md": "markdown"})
"""Endings of files that are taken for the name of their format."""
NAMED = "json-lines (or jsonl), markdown (or md), agentx, vault"
"""The formats, as the help of an option names them."""

if TYPE_CHECKING:  # click's types take no parameter when the program runs
    _NumberType = click.ParamType[int]
    _LocationType = click.ParamType[Location]
else:
    _NumberType = _LocationType = click.ParamType


class Number(_NumberType):
    """A whole number of at least `min`."""

    name = "number"

    def __init__(self, min: int) -> None:
        self.min = min

    def convert(
        self, value: str | int, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        try:
            number = int(value)
        except ValueError:
            number = self.min - 1
        if number < self.min:
            self.fail(f"{str(value)!r} is not a whole number of at least {self.min}.", param, ctx)
        return number


class LocationType(_LocationType):
    """A path, or the URL of a memory."""

    name = "location"

    def convert(
        self,
        value: Any,  # noqa: ANN401 - as click has it
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> Location:
        if isinstance(value, str) and value.lower().startswith("memory://"):
            self.fail(
                "Memory at memory:// is lost when the command ends. Give a folder.", param, ctx
            )
        if value == "":
            self.fail("It is empty; a dot is this folder.", param, ctx)
        return value if isinstance(value, str) and "://" in value else Path(value)


class FormatChoice(click.Choice[str]):
    """One of some formats; the ending of a format's files is taken for its name."""

    def __init__(self, names: Sequence[str] = FORMATS) -> None:
        super().__init__(names)

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> str:
        return super().convert(_ENDINGS.get(str(value), value), param, ctx)
