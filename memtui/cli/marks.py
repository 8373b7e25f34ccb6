"""The commands that set a mark of observations: `pin` and `mute` differ in the mark alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memtui.cli.memory import opened
from memtui.cli.plans import carry_out_on, operation_options
from store.places import Location

if TYPE_CHECKING:
    from memtui.editing.flags import Flag


def flag_command(flag: Flag, help_text: str, off: str) -> click.Command:
    """The command that sets a mark, and removes it with `--off`; `off` says so in its help."""

    @click.command(help=help_text)
    @click.argument("identifiers", metavar="ID...", nargs=-1, required=True)
    @click.option("--off", is_flag=True, help=off)
    @operation_options
    def command(
        identifiers: tuple[str, ...],
        off: bool,
        dry_run: bool,
        yes: bool,
        as_json: bool,
        folder: Location | None,
    ) -> None:
        from memtui.editing.flags import plan_flag

        with opened(folder) as memory:
            plan = plan_flag(memory, identifiers, flag, on=not off)
            already = f"not {flag}" if off else f"{flag} already"
            carry_out_on(
                memory, identifiers, plan, already, dry_run=dry_run, yes=yes, as_json=as_json
            )

    return command
