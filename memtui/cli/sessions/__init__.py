"""`memtui sessions`: the conversations with agents, listed, indexed, searched and resumed."""

from __future__ import annotations

import shlex

import click

from memtui.cli.options import dir_option, json_option
from memtui.cli.parameter_types import Number
from memtui.cli.sessions.earlier import adopt_command, earlier_command, refuse_command
from memtui.cli.sessions.everywhere import everywhere_option
from memtui.cli.sessions.index import index_command
from memtui.cli.sessions.last import last_command
from memtui.cli.sessions.listing import print_sessions
from memtui.cli.sessions.search import search_command

_EPILOG = """\b
Examples:
  memtui sessions                       list sessions of this project
  memtui sessions index                 index them for search and recall
  memtui sessions search "retry budget"
  memtui sessions search --everywhere project:shop retry
  memtui sessions last                  how the last one ended, and how to resume it
  memtui sessions earlier               list folders it may have had before
  memtui sessions adopt ~/old-name      count what ran there as this project's
"""


class _SessionsGroup(click.Group):
    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Say how words are searched, where somebody gives words in place of a command."""
        if self.get_command(ctx, args[0]) is None:
            words = shlex.join(args)
            also = " --everywhere" if ctx.params.get("everywhere") else ""
            raise click.UsageError(
                f"No such command {args[0]!r}. To search: `memtui sessions search {words}{also}`.",
                ctx,
            )
        return super().resolve_command(ctx, args)


@click.group(cls=_SessionsGroup, invoke_without_command=True, epilog=_EPILOG)
@click.option("--limit", type=Number(min=0), default=50, help="Most rows to list; 0 for all.")
@everywhere_option
@json_option
@dir_option
@click.pass_context
def sessions_command(context: click.Context, limit: int, everywhere: bool, as_json: bool) -> None:
    """List agent sessions of this project, newest first.

    Sessions that are not indexed yet are read for the list, but not stored. Those of all projects
    are indexed in your cache folder, apart from every memory.
    """
    if context.invoked_subcommand is None:
        print_sessions(limit, everywhere=everywhere, as_json=as_json)
    elif everywhere:
        raise click.UsageError(
            "--everywhere comes last: `memtui sessions search WORDS --everywhere`."
        )


for _command in (
    index_command,
    search_command,
    last_command,
    earlier_command,
    adopt_command,
    refuse_command,
):
    sessions_command.add_command(_command)
