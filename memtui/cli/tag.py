"""`memtui tag`: add tags to observations, or take them away."""

from __future__ import annotations

import click

from memtui.cli.memory import opened
from memtui.cli.plans import carry_out_on, operation_options
from store.places import Location

_EPILOG = """\b
Examples:
  memtui tag a1b2c3 --add auth --add login
  memtui tag a1b2c3 --add done         close a task
  memtui tag a1b2c3 --remove done      open it again
"""


@click.command(epilog=_EPILOG)
@click.argument("identifier", metavar="ID")
@click.option("--add", "added", multiple=True, help="Tag to add; repeat for several.")
@click.option("--remove", "removed", multiple=True, help="Tag to remove; repeat for several.")
@operation_options
def tag_command(
    identifier: str,
    added: tuple[str, ...],
    removed: tuple[str, ...],
    dry_run: bool,
    yes: bool,
    as_json: bool,
    folder: Location | None,
) -> None:
    """Add or remove tags. Tag a task `done` to close it."""
    if not added and not removed:
        raise click.UsageError("Give --add or --remove.")
    plus = [tag.lstrip("#") for tag in added]
    minus = {tag.lstrip("#") for tag in removed}
    with opened(folder) as memory:
        observation = memory.get(identifier)
        tags = dict.fromkeys((*observation.tags, *plus))
        kept = tuple(tag for tag in tags if tag not in minus)
        plan = memory.plan.edit(observation.id, {"tags": kept}, "tag")
        carry_out_on(
            memory,
            [observation.id],
            plan,
            "already tagged",
            dry_run=dry_run,
            yes=yes,
            as_json=as_json,
        )
