"""`memtui restore`: take observations out of the archive."""

from __future__ import annotations

import click

from memtui.cli.memory import opened
from memtui.cli.plans import carry_out_on, operation_options
from store.places import Location


@click.command()
@click.argument("identifiers", metavar="ID...", nargs=-1, required=True)
@operation_options
def restore_command(
    identifiers: tuple[str, ...], dry_run: bool, yes: bool, as_json: bool, folder: Location | None
) -> None:
    """Restore archived memories to their issue."""
    with opened(folder) as memory:
        plan = memory.plan.restore(identifiers)
        carry_out_on(
            memory, identifiers, plan, "not archived", dry_run=dry_run, yes=yes, as_json=as_json
        )
