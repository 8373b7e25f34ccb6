"""The formats of `import` and `export`, as an option names them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import click

FORMATS = ("json-lines", "markdown", "agentx", "vault")
FOLDERS = ("agentx", "vault")
"""Those that are a folder."""
_ALSO: Mapping[str, str] = MappingProxyType({"jsonl": "json-lines", "md": "markdown"})

NAMED = "json-lines (or jsonl), markdown (or md), agentx, vault"
"""For the help of the option."""


class FormatChoice(click.Choice[str]):
    """One of some formats; the ending of a format's files is taken for its name."""

    def __init__(self, names: Sequence[str] = FORMATS) -> None:
        super().__init__(names)

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> str:
        """The format's own name."""
        return super().convert(_ALSO.get(str(value), value), param, ctx)
