"""`memtui history`: the operations of the last 30 days, undone and redone."""

from __future__ import annotations

import click

from memtui.cli.completed_values import complete_operation
from memtui.cli.memory import opened
from memtui.cli.options import Options, dir_option, json_option, operation_options
from memtui.cli.output import note, one_line, paint, print_json, print_line
from memtui.cli.parameter_types import Number
from memtui.cli.plans import carry_out
from memtui.words.sentences import title
from store.records import format_time

_ABOUT = 60
"""Characters of the first memory's summary behind an operation."""
_EPILOG = """\b
Examples:
  memtui history            each operation, by the end of its id
  memtui undo               undo the last one (or: memtui history undo)
  memtui history redo       redo what was undone last
"""
_UNDO_EPILOG = """\b
Examples:
  memtui undo               undo the last operation
  memtui undo a1b2          by the end of its id; see `memtui history`
  memtui undo --dry-run     preview the changes
"""
_REDO_EPILOG = """\b
Examples:
  memtui history redo               the last undo
  memtui history redo a1b2          by the end of its id
  memtui history redo --dry-run     preview the changes
"""


@click.group(invoke_without_command=True, epilog=_EPILOG)
@click.option("--limit", type=Number(min=1), default=50, show_default=True)
@json_option
@dir_option
@click.pass_context
def history_command(context: click.Context, limit: int, as_json: bool) -> None:
    """List operations, newest first, to undo and redo them."""
    if context.invoked_subcommand is not None:
        return
    with opened() as memory:
        operations = memory.history.operations()
    if as_json:
        print_json(
            [
                {
                    "id": item.id,
                    "kind": item.kind,
                    "title": title(item.action),
                    "timestamp": format_time(item.timestamp),
                    "undone": item.undone,
                    "count": item.count,
                }
                for item in operations[:limit]
            ]
        )
        return
    for item in operations[:limit]:
        when = f"{item.timestamp.astimezone():%Y-%m-%d %H:%M}"
        state = paint("  undone", dim=True) if item.undone else ""
        # It distinguishes operations that edited one memory each.
        about = paint(f"  {one_line(item.about, _ABOUT)}", dim=True) if item.about else ""
        done = one_line(title(item.action))
        print_line(f"{paint(item.id[-4:], fg='cyan')}  {when}  {done}{state}{about}")
    if not operations:
        note("No operations in the last 30 days.")
    elif len(operations) > limit:
        note(f"{limit} of {len(operations):,}.")


@history_command.command("undo", epilog=_UNDO_EPILOG)
@click.argument("operation", required=False, shell_complete=complete_operation)
@operation_options
def undo_command(operation: str | None, options: Options) -> None:
    """Undo an operation of any kind: add, capture, edit, delete, compact, import …

    Memories changed since are left unchanged and listed. Operations are kept for 30 days;
    `memtui history redo` reverts an undo.
    """
    with opened() as memory:
        # What is shown is what is taken back, whatever another program does meanwhile.
        chosen = operation or memory.history.last_operation().id
        plan = memory.history.plan_undo(chosen)
        carry_out(memory, plan, options, apply=lambda: memory.undo(chosen))


@history_command.command("redo", epilog=_REDO_EPILOG)
@click.argument("operation", required=False, shell_complete=complete_operation)
@operation_options
def redo_command(operation: str | None, options: Options) -> None:
    """Redo an undone operation. Memories changed since are left unchanged and listed."""
    with opened() as memory:
        chosen = operation or memory.history.last_undo().id
        plan = memory.history.plan_redo(chosen)
        carry_out(memory, plan, options, apply=lambda: memory.redo(chosen))
