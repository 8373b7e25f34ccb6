"""`memtui redo`: do again what an undo took back."""

from __future__ import annotations

import click

from memtui.cli.memory import opened
from memtui.cli.plans import carry_out, operation_options
from store.places import Location

_EPILOG = """\b
Examples:
  memtui redo               the last undo
  memtui redo a1b2          by the end of its id
  memtui redo --dry-run     preview the changes
"""


@click.command(epilog=_EPILOG)
@click.argument("operation", required=False)
@operation_options
def redo_command(
    operation: str | None, dry_run: bool, yes: bool, as_json: bool, folder: Location | None
) -> None:
    """Redo an undone operation. Memories changed since are left unchanged and listed."""
    with opened(folder) as memory:
        chosen = operation or memory.history.last_undo().id
        plan = memory.history.plan_redo(chosen)
        carry_out(
            memory,
            plan,
            dry_run=dry_run,
            yes=yes,
            as_json=as_json,
            apply=lambda: memory.redo(chosen),
        )
