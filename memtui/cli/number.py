"""Numbers among the options of a command."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    _Type = click.ParamType[int]
else:
    _Type = click.ParamType


class Number(_Type):
    """A whole number of at least `min`."""

    name = "number"

    def __init__(self, min: int) -> None:
        self.min = min

    def convert(
        self, value: str | int, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        """The number that was typed. Fails with what may be typed instead."""
        try:
            number = int(value)
        except ValueError:
            number = self.min - 1
        if number < self.min:
            self.fail(f"{str(value)!r} is not a whole number of at least {self.min}.", param, ctx)
        return number
