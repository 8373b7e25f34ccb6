"""`memtui archive`, `restore` and `remove`: what takes observations away, or brings them back."""

from __future__ import annotations

from collections.abc import Sequence

import click

from memtui.cli.completed_values import complete_archived_id, complete_id
from memtui.cli.memory import chosen_ids, opened
from memtui.cli.options import Options, operation_options
from memtui.cli.output import note, progress
from memtui.cli.plans import carry_out, carry_out_on
from memtui.formatting import plural
from memtui.words.plans import plan_text
from store.operations.forget import Traces

_NAMED = 5
"""Places that are named; more are counted."""

_ARCHIVE_EPILOG = """\b
Examples:
  memtui archive a1b2c3 d4e5f6
  memtui archive --query 'is:stale' --dry-run
  memtui search is:archived         list the archive
"""
_REMOVE_EPILOG = """\b
Examples:
  memtui remove a1b2c3 d4e5f6
  memtui remove a1b2c3 --forget --dry-run    where else its text is stored
"""


@click.command(epilog=_ARCHIVE_EPILOG)
@click.argument("identifiers", metavar="[ID]...", nargs=-1, shell_complete=complete_id)
@click.option("--query", help="Archive all memories that match a query.")
@operation_options
def archive_command(identifiers: tuple[str, ...], query: str | None, options: Options) -> None:
    """Archive memories: no longer injected, still readable and restorable."""
    with opened() as memory:
        with progress("Planning"):
            ids = chosen_ids(memory, identifiers, query)
            plan = memory.plan.archive(ids)
        carry_out_on(memory, ids, plan, "already archived", options)


@click.command()
@click.argument(
    "identifiers", metavar="ID...", nargs=-1, required=True, shell_complete=complete_archived_id
)
@operation_options
def restore_command(identifiers: tuple[str, ...], options: Options) -> None:
    """Restore archived memories to their issue."""
    with opened() as memory:
        plan = memory.plan.restore(identifiers)
        carry_out_on(memory, identifiers, plan, "not archived", options)


@click.command(epilog=_REMOVE_EPILOG)
@click.argument("identifiers", metavar="ID...", nargs=-1, required=True, shell_complete=complete_id)
@click.option(
    "--forget",
    is_flag=True,
    help="Delete for good: also from the journal, injected texts, session digests and index.",
)
@operation_options
def remove_command(identifiers: tuple[str, ...], forget: bool, options: Options) -> None:
    """Delete memories by id, or the unique end of one.

    `memtui undo` restores them for 30 days, except with --forget. `memtui archive` keeps them
    readable instead.
    """
    with opened() as memory:
        if forget:
            plan = memory.plan.forget(list(identifiers))
            if plan.is_empty:
                note("Already deleted for good: what an interrupted command left is gone now.")
                return
            with progress("Looking for what else has its words"):
                traces = traces_in_words(memory.plan.find_traces(plan))
            shown = "\n".join([plan_text(plan).rstrip(), "", *traces])
            done = carry_out(
                memory,
                plan,
                options,
                shown=shown,
                apply=lambda: memory.forget(plan),
            )
            for sentence in traces if done else ():
                note(sentence)
            if done and memory.settings.sync_remote:
                note(
                    "The next sync of each machine deletes it there. The history of the repository "
                    "keeps it: `memtui sync --help` says how to begin a new one."
                )
            return
        plan = memory.plan.remove(list(identifiers))
        carry_out(memory, plan, options)


def traces_in_words(traces: Traces) -> list[str]:
    sentences = []
    if traces.operations:
        kept = plural(len(traces.operations), "operation")
        sentences.append(f"Also removed from {kept} in the journal.")
    if traces.texts:
        sentences.append(f"Also deleted from: {_named(traces.texts)}.")
    if traces.clarifications:
        sentences.append(f"Also removed from clarifications: {_named(traces.clarifications)}.")
    if traces.stay:
        sentences.append(f"{_named(traces.stay)} contains it too; delete that file by hand.")
    if traces.also:
        sentences.append(f"{_named(traces.also)} has some of the same text, and stays.")
    if traces.commits:
        kept = plural(len(traces.commits), "commit")
        first = traces.commits[-1]
        sentences.append(
            f"git still has it in {kept}, {first} first; only rewriting history removes it."
        )
    return [*sentences, "The agent's own transcript is not changed."]


def _named(items: Sequence[str]) -> str:
    more = f" and {len(items) - _NAMED:,} more" if len(items) > _NAMED else ""
    return ", ".join(items[:_NAMED]) + more
