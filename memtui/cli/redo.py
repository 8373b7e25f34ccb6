"""`memtui redo`: do again what an undo took back."""

from __future__ import annotations

from pathlib import Path

import click

from memtui.cli.changes import carry_out, operation_options
from memtui.cli.memory import opened

_EPILOG = """\b
Examples:
  memtui redo                what the last undo took back
  memtui redo a1b2           the operation, or the undo, whose id ends so
  memtui redo --dry-run      what would change
"""


@click.command(epilog=_EPILOG)
@click.argument("operation", required=False)
@operation_options
def redo_command(
    operation: str | None, dry_run: bool, yes: bool, as_json: bool, folder: Path | None
) -> None:
    """Do again what was undone. What has changed since is left as it is, and named."""
    with opened(folder) as memory:
        chosen = operation or memory.last_undo().id
        plan = memory.plan_redo(chosen)
        carry_out(
            memory,
            plan,
            dry_run=dry_run,
            yes=yes,
            as_json=as_json,
            apply=lambda: memory.redo(chosen),
        )
