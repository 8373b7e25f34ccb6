"""`memtui resolve`: choose between the versions that branches left of one memory."""

from __future__ import annotations

import click

from memtui.cli.memory import opened
from memtui.cli.number import Number
from memtui.cli.output import note, one_line, paint, say
from memtui.cli.plans import carry_out, operation_options
from store.places import Location

_EPILOG = """\b
Examples:
  memtui resolve a1b2c3           list the versions
  memtui resolve a1b2c3 --take 0   keep the current version
  memtui resolve a1b2c3 --take 1   take the first other version
"""


@click.command(epilog=_EPILOG)
@click.argument("identifier", metavar="ID")
@click.option("--take", type=Number(min=0), help="Version to keep; 0 is the current one.")
@operation_options
def resolve_command(
    identifier: str,
    take: int | None,
    dry_run: bool,
    yes: bool,
    as_json: bool,
    folder: Location | None,
) -> None:
    """Resolve a memory that was edited on two branches.

    Without --take, lists the versions. With it, the other versions are dropped.
    """
    from store.redaction import sanitize
    from store.values import alternatives, version_text

    with opened(folder, searchable=True) as memory:
        observation = memory.get(identifier)
        if take is not None:
            plan = memory.plan.resolve(observation.id, take)
            carry_out(memory, plan, dry_run=dry_run, yes=yes, as_json=as_json)
            return
    others = alternatives(observation.extra)
    if not others:
        note(f"{observation.id} has only one version.")
        return
    for number, text in enumerate((observation.content, *map(version_text, others))):
        say(f"{paint(str(number), fg='cyan')}  {one_line(sanitize(text).text)}")
    note("Keep one with `--take N`.")
