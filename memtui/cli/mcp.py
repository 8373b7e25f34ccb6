"""`memtui mcp`: let agents ask memory themselves, over the Model Context Protocol."""

from __future__ import annotations

from pathlib import Path

import click

from memtui.cli.memory import dir_before_the_command, dir_option

_EPILOG = """\b
Examples:
  memtui mcp                              serve on standard input and output
  memtui mcp --dir ~/project              the memory of that project
"""


@click.command("mcp", epilog=_EPILOG)
@dir_option
def mcp_command(folder: Path | None) -> None:
    """Serve memory to an agent that speaks the Model Context Protocol."""
    from memtui.serve.mcp.stdio import serve

    serve(folder or dir_before_the_command())
