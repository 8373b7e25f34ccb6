"""`memtui remove`: remove observations, after a look at them."""

from __future__ import annotations

from pathlib import Path

import click

from memtui.cli.changes import carry_out, operation_options
from memtui.cli.memory import opened


@click.command()
@click.argument("identifiers", metavar="ID...", nargs=-1, required=True)
@operation_options
def remove_command(
    identifiers: tuple[str, ...], dry_run: bool, yes: bool, as_json: bool, folder: Path | None
) -> None:
    """Remove observations, named by id or by any unique ending of one. `memtui undo` brings them

    back for 30 days; `memtui archive` keeps them readable instead.
    """
    with opened(folder) as memory:
        plan = memory.plan_remove(list(identifiers))
        carry_out(memory, plan, dry_run=dry_run, yes=yes, as_json=as_json)
