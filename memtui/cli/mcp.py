"""`memtui mcp`: let agents ask memory themselves, over the Model Context Protocol."""

from __future__ import annotations

from pathlib import Path

import click

from memtui.cli.memory import dir_before_the_command, dir_option

_EPILOG = """\b
Examples:
  memtui mcp                             serve over standard input and output
  memtui mcp --dir ~/project             serve that project's memory
"""


@click.command("mcp", epilog=_EPILOG)
@dir_option
def mcp_command(folder: Path | None) -> None:
    """Serve memory to agents over the Model Context Protocol."""
    from memtui.serve.mcp.stdio import serve

    serve(folder or dir_before_the_command())
