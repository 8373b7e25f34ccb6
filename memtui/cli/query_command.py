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
        options = [it for it in self.get_params(ctx) if isinstance(it, click.Option)]
        short = {name for it in options for name in it.opts}
        given = {name for it in options if not (it.is_flag or it.count) for name in it.opts}
        hidden = [
            f"{_HIDDEN}{each}"
            if _NOT_THIS.fullmatch(each) and each not in short and before not in given
            else each
            for before, each in zip(["", *args], args, strict=False)
        ]
        left = super().parse_args(ctx, hidden)
        query = ctx.params.get("query") or ()
        ctx.params["query"] = tuple(part.removeprefix(_HIDDEN) for part in query)
        return left
