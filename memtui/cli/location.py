"""`--dir` as the command line takes it: a path, or the URL of a database."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from store.backends import Location

    _Type = click.ParamType[Location]
else:
    _Type = click.ParamType


class LocationType(_Type):
    """A path, or the URL of a memory."""

    name = "location"

    def convert(
        self,
        value: Any,  # noqa: ANN401 - as click has it
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> Location:
        """A URL as it is; anything else is a path."""
        if isinstance(value, str) and value.lower().startswith("memory://"):
            self.fail(
                "Memory at memory:// is lost when the command ends. Give a folder.", param, ctx
            )
        return value if isinstance(value, str) and "://" in value else Path(value)
