"""`memtui tag`: add tags to observations or take them away, pin and mute them."""

from __future__ import annotations

import click

from memtui.cli.memory import opened
from memtui.cli.options import Options, operation_options
from memtui.cli.plans import carry_out_on
from memtui.editing.text import Flag, plan_flag

_EPILOG = """\b
Examples:
  memtui tag a1b2c3 --add auth --add login
  memtui tag a1b2c3 --add done         close a task
  memtui tag a1b2c3 --remove done      open it again
  memtui tag a1b2c3 d4e5f6 --pin       always inject these
  memtui tag a1b2c3 --mute --off       inject it again
"""


@click.command(epilog=_EPILOG)
@click.argument("identifiers", metavar="ID...", nargs=-1, required=True)
@click.option("--add", "added", multiple=True, help="Tag to add; repeat for several.")
@click.option("--remove", "removed", multiple=True, help="Tag to remove; repeat for several.")
@click.option("--pin", is_flag=True, help="Always inject them.")
@click.option("--mute", is_flag=True, help="Never inject them; search still finds them.")
@click.option("--off", is_flag=True, help="With --pin or --mute: unpin or unmute.")
@operation_options
def tag_command(
    identifiers: tuple[str, ...],
    added: tuple[str, ...],
    removed: tuple[str, ...],
    pin: bool,
    mute: bool,
    off: bool,
    options: Options,
) -> None:
    """Add or remove tags, pin or mute memories. Tag a task `done` to close it."""
    tags = bool(added or removed)
    if tags + pin + mute != 1:
        raise click.UsageError("Give tags to --add or --remove, or one of --pin and --mute.")
    if off and tags:
        raise click.UsageError("--off goes with --pin or --mute.")
    with opened() as memory:
        if tags:
            plan = memory.plan.tag(
                identifiers,
                [tag.lstrip("#") for tag in added],
                {tag.lstrip("#") for tag in removed},
            )
            already = "already tagged"
        else:
            flag: Flag = "pinned" if pin else "muted"
            plan = plan_flag(memory, identifiers, flag, on=not off)
            already = f"not {flag}" if off else f"{flag} already"
        carry_out_on(memory, identifiers, plan, already, options)
