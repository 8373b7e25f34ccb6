"""`memtui mute`: never recalled, still found by search."""

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
def mute_command(
    identifiers: tuple[str, ...],
    off: bool,
    dry_run: bool,
    yes: bool,
    as_json: bool,
    folder: Path | None,
) -> None:
    """Mute observations: they are never recalled, still found by search."""
    with opened(folder) as memory:
        plan = plan_flag(memory, identifiers, "muted", on=not off)
        carry_out(memory, plan, dry_run=dry_run, yes=yes, as_json=as_json)
