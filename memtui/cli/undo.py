"""`memtui undo`: take the last operation back, or a named one."""

from __future__ import annotations

import click

from memtui.cli.memory import opened
from memtui.cli.plans import carry_out, operation_options
from store.places import Location

_EPILOG = """\b
Examples:
  memtui undo               undo the last operation
  memtui undo a1b2          by the end of its id; see `memtui history`
  memtui undo --dry-run     preview the changes
"""


@click.command(epilog=_EPILOG)
@click.argument("operation", required=False)
@operation_options
def undo_command(
    operation: str | None, dry_run: bool, yes: bool, as_json: bool, folder: Location | None
) -> None:
    """Undo an operation of any kind: add, capture, edit, delete, compact, import …

    Memories changed since are left unchanged and listed. Operations are kept for 30 days;
    `memtui redo` reverts an undo.
    """
    with opened(folder) as memory:
        # What is shown is what is taken back, whatever another program does meanwhile.
        chosen = operation or memory.history.last_operation().id
        plan = memory.history.plan_undo(chosen)
        carry_out(
            memory,
            plan,
            dry_run=dry_run,
            yes=yes,
            as_json=as_json,
            apply=lambda: memory.undo(chosen),
        )
