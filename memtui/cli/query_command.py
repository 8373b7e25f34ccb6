"""Commands that take a query: `-word` is a part of it, while options keep their meaning."""

from __future__ import annotations

import re

import click

_NOT_THIS = re.compile(r"-[^-].+|-[^-]", re.DOTALL)
_HIDDEN = "\0"
"""Before a part of the query that begins with a minus, which would be taken for options."""


class QueryCommand(click.Command):
    """A command whose argument `query` may hold words that begin with one minus.

    Its own short options count only where they stand alone: `-o FILE`, not `-oFILE`.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take the arguments apart. Raises `click.UsageError` for an option there is not."""
        short = {name for param in self.get_params(ctx) for name in param.opts}
        hidden = [
            f"{_HIDDEN}{each}" if _NOT_THIS.fullmatch(each) and each not in short else each
            for each in args
        ]
        left = super().parse_args(ctx, hidden)
        query = ctx.params.get("query") or ()
        ctx.params["query"] = tuple(part.removeprefix(_HIDDEN) for part in query)
        return left
