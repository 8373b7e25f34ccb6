"""`memtui remove`: remove observations, after a look at them."""

from __future__ import annotations

from pathlib import Path

import click

from memtui.cli.changes import carry_out, operation_options
from memtui.cli.memory import opened
from memtui.cli.output import note
from memtui.plan_text import plan_text

_EPILOG = """\b
Examples:
  memtui remove a1b2c3 d4e5f6
  memtui remove a1b2c3 --forget --dry-run    where else its text is stored
"""


@click.command(epilog=_EPILOG)
@click.argument("identifiers", metavar="ID...", nargs=-1, required=True)
@click.option(
    "--forget",
    is_flag=True,
    help="Delete for good: also from the journal, injected texts, session digests and index.",
)
@operation_options
def remove_command(
    identifiers: tuple[str, ...],
    forget: bool,
    dry_run: bool,
    yes: bool,
    as_json: bool,
    folder: Path | None,
) -> None:
    """Delete memories by id, or the unique end of one.

    `memtui undo` restores them for 30 days, except with --forget. `memtui archive` keeps them
    readable instead.
    """
    with opened(folder) as memory:
        if forget:
            plan = memory.plan_forget(list(identifiers))
            traces = memory.find_traces(plan).describe()
            shown = "\n".join([plan_text(plan).rstrip(), "", *traces])
            done = carry_out(
                memory,
                plan,
                dry_run=dry_run,
                yes=yes,
                as_json=as_json,
                shown=shown,
                apply=lambda: memory.forget(plan),
            )
            for sentence in traces if done else ():
                note(sentence)
            return
        plan = memory.plan_remove(list(identifiers))
        carry_out(memory, plan, dry_run=dry_run, yes=yes, as_json=as_json)
