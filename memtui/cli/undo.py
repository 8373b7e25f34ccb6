"""`memtui undo`: take the last operation back, or a named one."""

from __future__ import annotations

from pathlib import Path

import click

from memtui.cli.changes import carry_out, operation_options
from memtui.cli.memory import opened

_EPILOG = """\b
Examples:
  memtui undo                the last operation that was not undone
  memtui undo a1b2           the one whose id ends so; `memtui history` lists them
  memtui undo --dry-run      what would change
"""


@click.command(epilog=_EPILOG)
@click.argument("operation", required=False)
@operation_options
def undo_command(
    operation: str | None, dry_run: bool, yes: bool, as_json: bool, folder: Path | None
) -> None:
    """Take back an operation of any kind: adding, capture, edit, removal, compaction, import …

    What has changed since is left as it is, and named. Operations are kept 30 days; `memtui redo`
    does again what was taken back.
    """
    with opened(folder) as memory:
        # What is shown is what is taken back, whatever another program does meanwhile.
        chosen = operation or memory.last_operation().id
        plan = memory.plan_undo(chosen)
        carry_out(
            memory,
            plan,
            dry_run=dry_run,
            yes=yes,
            as_json=as_json,
            apply=lambda: memory.undo(chosen),
        )
