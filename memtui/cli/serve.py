"""`memtui serve`: let programs reach memory by JSON-RPC, each as its own agent."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from memtui.cli.memory import dir_before_the_command, dir_option

_EPILOG = """\b
Examples:
  memtui serve                       one JSON object a line, over standard input and output
  memtui serve --dir ~/project       serve that project's memory

\b
Methods: memory.store, memory.retrieve, memory.get_context, memory.update, memory.delete,
memory.prune, memory.stats. Each request names its agent in `a2a_context.source_agent`, and sees
that agent's memories alone.
"""


@click.command("serve", epilog=_EPILOG)
@dir_option
def serve_command(folder: Path | None) -> None:
    """Serve memory to programs over JSON-RPC 2.0."""
    from memtui.serve.lines import serve_lines
    from memtui.serve.mcp.stdio import opened
    from memtui.serve.rpc.server import Server

    chosen = folder or dir_before_the_command()
    target = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what anything else prints must not stand between the answers
    server = Server(lambda: opened(chosen))
    try:
        serve_lines(server.answer, sys.stdin.buffer, target)
    finally:
        server.close()
