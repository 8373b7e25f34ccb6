"""`memtui pin`: always recalled, whatever their score."""

from __future__ import annotations

from pathlib import Path

import click

from memtui.cli.flagging import plan_flag
from memtui.cli.opening import opened
from memtui.cli.operating import carry_out, operation_options


@click.command()
@click.argument("identifiers", metavar="ID...", nargs=-1, required=True)
@click.option("--off", is_flag=True, help="Take it back.")
@operation_options
def pin_command(
    identifiers: tuple[str, ...],
    off: bool,
    dry_run: bool,
    yes: bool,
    as_json: bool,
    folder: Path | None,
) -> None:
    """Pin observations: they are always recalled, whatever their score."""
    with opened(folder) as memory:
        plan = plan_flag(memory, identifiers, "pinned", on=not off)
        carry_out(memory, plan, dry_run=dry_run, yes=yes, as_json=as_json)
