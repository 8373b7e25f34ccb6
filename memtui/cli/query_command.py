"""A command that takes a query, whose words may begin with a minus."""

from __future__ import annotations

import re

import click

_BEGINS_WITH_MINUS = re.compile(r"-[^-].+|-[^-]", re.DOTALL)
_HIDDEN = "\0"
"""Before a part of the query that begins with a minus, which would be taken for options."""


class QueryCommand(click.Command):
    """A command whose argument `query` may hold words that begin with one minus.

    Its own short options count only as words of their own: `-o FILE`, not `-oFILE`.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take the arguments apart. Raises `click.UsageError` for an option there is not."""
        options = [param for param in self.get_params(ctx) if isinstance(param, click.Option)]
        short = {name for option in options for name in option.opts}
        takes_value = {
            name
            for option in options
            if not (option.is_flag or option.count)
            for name in option.opts
        }
        hidden = [
            f"{_HIDDEN}{word}"
            if _BEGINS_WITH_MINUS.fullmatch(word)
            and word not in short
            and before not in takes_value
            else word
            for before, word in zip(["", *args], args, strict=False)
        ]
        left = super().parse_args(ctx, hidden)
        query = ctx.params.get("query") or ()
        ctx.params["query"] = tuple(part.removeprefix(_HIDDEN) for part in query)
        return left
