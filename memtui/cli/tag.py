"""`memtui tag`: add tags to observations or take them away, pin and mute them."""

from __future__ import annotations

import click

from memtui.cli.completed_values import complete_id
from memtui.cli.memory import chosen_ids, opened
from memtui.cli.options import Options, operation_options
from memtui.cli.output import progress
from memtui.cli.plans import carry_out_on
from memtui.cli.query_command import QueryCommand
from memtui.editing.text import Flag, plan_flag

_EPILOG = """\b
Examples:
  memtui tag a1b2c3 +auth +login
  memtui tag a1b2c3 +done                        close a task
  memtui tag a1b2c3 -done                        open it again
  memtui tag --query 'issue:29 lock' +auth -wip  tag all that a query finds
  memtui tag --query 'tag:rule' --pin            always inject these
  memtui tag a1b2c3 d4e5f6 --mute --off          inject them again
"""


@click.command(cls=QueryCommand, epilog=_EPILOG)
@click.argument(
    "words", metavar="[ID]... [+TAG]... [-TAG]...", nargs=-1, shell_complete=complete_id
)
@click.option("--query", help="Change all memories that match a query.")
@click.option("--add", "added", multiple=True, help="Tag to add, as +TAG; repeat for several.")
@click.option("--remove", "removed", multiple=True, help="Tag to remove, as -TAG.")
@click.option("--pin", is_flag=True, help="Always inject them.")
@click.option("--mute", is_flag=True, help="Never inject them; search still finds them.")
@click.option("--off", is_flag=True, help="With --pin or --mute: unpin or unmute.")
@operation_options
def tag_command(
    words: tuple[str, ...],
    query: str | None,
    added: tuple[str, ...],
    removed: tuple[str, ...],
    pin: bool,
    mute: bool,
    off: bool,
    options: Options,
) -> None:
    """Add or remove tags, pin or mute memories. Tag a task `done` to close it."""
    # Commas part tags, as in the app. What is removed may have one: others write tags, too.
    parts = ",".join((*added, *_after("+", words))).split(",")
    to_add = [tag for part in parts if (tag := part.strip().lstrip("#"))]
    to_remove = {tag.lstrip("#") for tag in (*removed, *_after("-", words))}
    tags = bool(to_add or to_remove)
    if tags + pin + mute != 1:
        raise click.UsageError("Give tags as +TAG or -TAG, or one of --pin and --mute.")
    if off and tags:
        raise click.UsageError("--off goes with --pin or --mute.")
    with opened() as memory:
        with progress("Planning"):
            ids = chosen_ids(memory, [word for word in words if word[0:1] not in ("+", "-")], query)
            if tags:
                plan = memory.plan.tag(ids, to_add, to_remove)
                already = "already tagged so"
            else:
                flag: Flag = "pinned" if pin else "muted"
                plan = plan_flag(memory, ids, flag, on=not off)
                already = f"not {flag}" if off else f"{flag} already"
        carry_out_on(memory, ids, plan, already, options)


def _after(sign: str, words: tuple[str, ...]) -> list[str]:
    return [word[1:] for word in words if word.startswith(sign)]
