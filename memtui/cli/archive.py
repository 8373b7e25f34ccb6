"""`memtui archive`: take observations out of recall and default search."""

from __future__ import annotations

import click

from memtui.cli.memory import opened
from memtui.cli.plans import carry_out_on, operation_options
from store.places import Location

_EPILOG = """\b
Examples:
  memtui archive a1b2c3 d4e5f6
  memtui archive --query 'is:stale' --dry-run
  memtui search is:archived         list the archive
"""


@click.command(epilog=_EPILOG)
@click.argument("identifiers", metavar="[ID]...", nargs=-1)
@click.option("--query", help="Archive all memories that match a query.")
@operation_options
def archive_command(
    identifiers: tuple[str, ...],
    query: str | None,
    dry_run: bool,
    yes: bool,
    as_json: bool,
    folder: Location | None,
) -> None:
    """Archive memories: no longer injected, still readable and restorable."""
    if bool(identifiers) == (query is not None):
        raise click.UsageError("Give IDs or --query.")
    with opened(folder) as memory:
        if query is not None and memory.parse_query(query).finds_all:
            memory.search_ids(query)
            raise click.UsageError(f"--query {query!r} matches everything. Narrow it down.")
        ids = list(identifiers) if query is None else memory.search_ids(query)
        plan = memory.plan.archive(ids)
        carry_out_on(
            memory, ids, plan, "already archived", dry_run=dry_run, yes=yes, as_json=as_json
        )
