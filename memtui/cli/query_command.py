"""A command that takes words which may begin with a minus: of a query, or tags to remove."""

from __future__ import annotations

import re

import click

_BEGINS_WITH_MINUS = re.compile(r"-[^-].+|-[^-]", re.DOTALL)
_HIDDEN = "\0"
"""Before a part of the query that begins with a minus, which would be taken for options."""


class QueryCommand(click.Command):
    """A command whose argument, of any number of words, may hold some that begin with one minus.

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
        for param in self.get_params(ctx):
            if isinstance(param, click.Argument) and param.nargs == -1 and param.name:
                words = ctx.params.get(param.name) or ()
                ctx.params[param.name] = tuple(word.removeprefix(_HIDDEN) for word in words)
        return left
