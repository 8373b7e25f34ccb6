"""`memtui export`: memory as text, or as a store of its own."""

from __future__ import annotations

from pathlib import Path

import click

from memtui.cli.formats import NAMED, FormatChoice
from memtui.cli.memory import dir_option, opened
from memtui.cli.output import note
from memtui.cli.query_command import QueryCommand

_EPILOG = """\b
Examples:
  memtui export > memory.jsonl
  memtui export category:decision after:3m --format markdown --output decisions.md
  memtui export is:archived                       the archive; without it, what is active
  memtui export issue:29 --format agentx --output ../other/.agentx/memory

\b
The query is that of `memtui search`. All formats can be imported again.
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
    help="The file to write, or for agentx the folder; by default standard output.",
)
@dir_option
def export_command(
    query: tuple[str, ...], format_name: str, output: Path | None, folder: Path | None
) -> None:
    """Write what a QUERY finds, all of it by default, oldest first."""
    from memtui.formatting import plural

    words = " ".join(query)
    if format_name == "agentx":
        if output is None:
            raise click.UsageError("A store is written to a folder: name it with --output.")
        with opened(folder, searchable=True) as memory:
            count = memory.export_store(output, words)
        note(f"{plural(count, 'memory', 'memories')} written to {output}.")
        return
    with opened(folder, searchable=True) as memory:
        text = memory.export(format_name, words)
    if output is None:
        click.echo(text, nl=False, color=True)
        return
    try:
        with output.open("x", encoding="utf-8", errors="surrogatepass", newline="") as stream:
            stream.write(text)
    except FileExistsError as error:
        raise click.UsageError(f"{output} exists already; it is not overwritten.") from error
    note(f"Written to {output}.")
