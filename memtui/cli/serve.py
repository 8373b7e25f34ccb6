"""`memtui serve`: let programs reach memory by JSON-RPC, each as its own agent."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from memtui.cli.memory import folder_named
from memtui.cli.options import dir_option
from memtui.cli.output import note, print_json
from memtui.serve.http.endpoint import Endpoint
from memtui.serve.http.run import serve
from memtui.serve.http.tokens import tokens_of
from memtui.serve.jsonrpc import serve_streams
from memtui.serve.rpc.description import openrpc
from memtui.serve.rpc.server import Server
from memtui.serve.server import check_place, open_served

if TYPE_CHECKING:  # needs a package of the extra `http`
    from memtui.serve.http.metrics import Metrics

_EPILOG = """\b
Examples:
  memtui serve                       one JSON object per line, over standard input and output
  memtui serve --dir ~/project       serve that project's memory
  memtui serve --listen 127.0.0.1:8765 --tokens ~/.memtui-tokens

\b
--openrpc describes the methods, and so does `rpc.discover`. Each request names its agent in
`a2a_context.source_agent`, and sees only that agent's memories. Over HTTP each token is for one
agent, or for all: the token file has one line `AGENT TOKEN` or `* TOKEN` for each, and must be
readable only by you.
"""


@click.command("serve", epilog=_EPILOG)
@click.option("--listen", metavar="ADDRESS", help="Serve over HTTP, at 127.0.0.1:PORT.")
@click.option("--tokens", type=click.Path(path_type=Path), help="File of access tokens for HTTP.")
@click.option("--openrpc", "describe", is_flag=True, help="Print the methods as OpenRPC; end.")
@dir_option
def serve_command(listen: str | None, tokens: Path | None, describe: bool) -> None:
    """Serve memory to programs over JSON-RPC 2.0."""
    if describe:
        if listen is not None or tokens is not None:
            raise click.UsageError("--openrpc can't be combined with --listen or --tokens.")
        print_json(openrpc())
        return
    if tokens is not None and listen is None:
        raise click.UsageError("--tokens is for HTTP: give --listen too.")
    chosen = folder_named()
    check_place(chosen)
    server = Server(lambda: open_served(chosen))
    try:
        if listen is None:
            serve_streams(server.answer)
        else:
            _serve_http(server, listen, tokens)
    finally:
        server.close()


def _serve_http(server: Server, listen: str, tokens: Path | None) -> None:
    def endpoint(metrics: Metrics) -> Endpoint:
        from memtui.serve.rpc.http import RpcEndpoint  # an extra

        return RpcEndpoint(server, metrics)

    serve(endpoint, listen, tokens_of(tokens), lambda url: note(f"Serving at {url}."))
