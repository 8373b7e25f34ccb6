"""`memtui history`: the operations of the last 30 days."""

from __future__ import annotations

import click

from memtui.cli.memory import dir_option, json_option, opened
from memtui.cli.number import Number
from memtui.cli.output import note, one_line, paint, say, say_json
from store.places import Location


@click.command()
@click.option("--limit", type=Number(min=1), default=50, show_default=True)
@json_option
@dir_option
def history_command(limit: int, as_json: bool, folder: Location | None) -> None:
    """List operations, newest first. Undo one with `memtui undo ID`."""
    from memtui.words.sentences import title

    with opened(folder) as memory:
        operations = memory.history.operations()
    if as_json:
        from store.records import format_time

        say_json(
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
        say(f"{paint(item.id[-4:], fg='cyan')}  {when}  {one_line(title(item.action))}{state}")
    if not operations:
        note("No operations in the last 30 days.")
    elif len(operations) > limit:
        note(f"{limit} of {len(operations):,}.")
