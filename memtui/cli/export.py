"""`memtui export`: memory as text, or as a store of its own."""

from __future__ import annotations

from pathlib import Path

import click

from memtui.cli.memory import opened
from memtui.cli.options import dir_option
from memtui.cli.output import note, progress
from memtui.cli.parameter_types import FOLDERS, NAMED, FormatChoice
from memtui.cli.query_command import QueryCommand
from memtui.formatting import plural

_EPILOG = """\b
Examples:
  memtui export > memory.jsonl
  memtui export category:decision after:3m --format markdown --output decisions.md
  memtui export is:archived                      export the archive
  memtui export issue:29 --format agentx --output ../other/.agentx/memory
  memtui export --format vault --output .memory  Markdown, one folder per agent

\b
QUERY is the same as in `memtui search`. Every format can be imported again.
"""


@click.command(cls=QueryCommand, epilog=_EPILOG)
@click.argument("query", nargs=-1, type=click.UNPROCESSED)
@click.option(
    "--format",
    "format_name",
    type=FormatChoice(),
    default="json-lines",
    show_default=True,
    metavar="FORMAT",
    help=f"One of {NAMED}.",
)
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path),
    help="Output file, or folder for agentx and vault. Default: standard output.",
)
@dir_option
def export_command(query: tuple[str, ...], format_name: str, output: Path | None) -> None:
    """Export memories that match QUERY (default: all), oldest first."""
    words = " ".join(query)
    if format_name in FOLDERS:
        if output is None:
            raise click.UsageError(f"The {format_name} format needs a folder: give --output.")
        with opened(searchable=True) as memory, progress("Exporting"):
            count = memory.exchange.export_store(output, words, format_name)
        note(f"{plural(count, 'memory', 'memories')} exported to {output}.")
        return
    with opened(searchable=True) as memory:
        with progress("Exporting"):
            text = memory.exchange.export(format_name, words)
        if words and not memory.search(words, 1, facets=(), fresh=False).total:
            to_file = "" if output else " To write to a file, give --output."
            note(f"No memory matches {words!r}.{to_file}")
    if output is None:
        click.echo(text, nl=False, color=True)
        return
    try:
        with output.open("x", encoding="utf-8", errors="surrogatepass", newline="") as stream:
            stream.write(text)
    except FileExistsError as error:
        raise click.UsageError(f"{output} already exists.") from error
    note(f"Exported to {output}.")
