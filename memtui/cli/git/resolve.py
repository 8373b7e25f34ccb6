"""`memtui git resolve`: choose between the versions of a memory that a merge kept."""

from __future__ import annotations

import click

from memtui.cli.memory import opened
from memtui.cli.options import Options, operation_options
from memtui.cli.output import note, one_line, paint, print_line
from memtui.cli.parameter_types import Number
from memtui.cli.plans import carry_out
from store.merge.versions import alternatives, version_text
from store.redaction.sanitizer import sanitize

_EPILOG = """\b
Examples:
  memtui git resolve a1b2c3           list the versions
  memtui git resolve a1b2c3 --take 0   keep the current version
  memtui git resolve a1b2c3 --take 1   take the first other version
"""


@click.command("resolve", epilog=_EPILOG)
@click.argument("identifier", metavar="ID")
@click.option("--take", type=Number(min=0), help="Version to keep; 0 is the current one.")
@operation_options
def resolve_command(identifier: str, take: int | None, options: Options) -> None:
    """Resolve a memory that was edited on two branches.

    Without --take, lists the versions. With it, the other versions are dropped.
    """
    with opened(searchable=True) as memory:
        observation = memory.get(identifier)
        if take is not None:
            plan = memory.plan.resolve(observation.id, take)
            carry_out(memory, plan, options)
            return
    others = alternatives(observation.extra)
    if not others:
        note(f"{observation.id} has only one version.")
        return
    for number, text in enumerate((observation.content, *map(version_text, others))):
        print_line(f"{paint(str(number), fg='cyan')}  {one_line(sanitize(text).text)}")
    note("Keep one with `--take N`.")
