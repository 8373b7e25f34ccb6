"""`memtui prune`: what is beyond the capacity of a layer goes to the archive."""

from __future__ import annotations

import click

from memtui.cli.memory import opened
from memtui.cli.output import note
from memtui.cli.plans import carry_out, operation_options
from store.model import Layer
from store.places import Location

_EPILOG = """\b
Strategies:
  least_relevant    least recent and least recalled first
  oldest_first      oldest first
  frequency_based   least recalled, then least seen, first
  cap               over 30 in a category of an agent: keep the 20 newest, merge the rest into one

\b
Examples:
  memtui prune --strategy least_relevant --capacity episodic=50 --dry-run
  memtui prune --strategy cap --yes
"""


@click.command(epilog=_EPILOG)
@click.option("--strategy", required=True, help="Which memories go first (see below).")
@click.option(
    "--capacity",
    "given",
    multiple=True,
    metavar="LAYER=N",
    help="Most memories per agent in a layer; overrides the settings.",
)
@operation_options
def prune_command(
    strategy: str,
    given: tuple[str, ...],
    dry_run: bool,
    yes: bool,
    as_json: bool,
    folder: Location | None,
) -> None:
    """Archive memories beyond a layer's capacity. Nothing is deleted.

    Never archives pinned memories, open tasks or the latest handoffs.
    """
    capacities = dict(map(_capacity, given))
    with opened(folder, searchable=True) as memory:
        plan = memory.compaction.plan_prune(strategy, capacities or None)
        if strategy != "cap" and not (capacities or memory.settings.capacities):
            note("No capacity set: use --capacity, or set `capacities` in the settings.")
        carry_out(memory, plan, dry_run=dry_run, yes=yes, as_json=as_json)


_DIGITS = 9
"""Digits of the largest capacity."""


def _capacity(text: str) -> tuple[str, int]:
    """A layer and its capacity, as given. Raises `click.UsageError`."""
    name, _, number = text.partition("=")
    is_number = number.isdecimal() and len(number) <= _DIGITS
    if name not in set(Layer) or not is_number or int(number) < 1:
        raise click.UsageError(
            f"{text!r} is not a capacity. Write LAYER=N; layers are {', '.join(Layer)}."
        )
    return name, int(number)
