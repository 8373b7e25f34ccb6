"""`memtui mcp`: let agents ask memory themselves, over the Model Context Protocol."""

from __future__ import annotations

from pathlib import Path

import click

from memtui.cli import client_file
from memtui.cli.memory import folder_named
from memtui.cli.options import FileOptions, dir_option, file_options, remember_option
from memtui.cli.output import note
from memtui.serve.mcp.http import serve_http
from memtui.serve.mcp.server import serve
from store.agents.client import Client, Home
from store.agents.registry import SERVED, client_named
from store.agents.server_files import ServerFile

_EPILOG = """\b
Examples:
  memtui mcp                                      serve over standard input and output
  memtui mcp --dir ~/project                      serve that project's memory
  memtui mcp --http 127.0.0.1:8766                serve over HTTP, with a token for this run
  memtui mcp install --client claude-code         for all your projects
  memtui mcp install --client codex --project .   for this project
"""
_client = click.option(
    "--client",
    "name",
    type=click.Choice((*SERVED, "gemini")),
    required=True,
    help="Client whose settings to change.",
)


@click.group("mcp", epilog=_EPILOG, invoke_without_command=True)
@click.option("--http", "address", metavar="ADDRESS", help="Serve over HTTP, at 127.0.0.1:PORT.")
@click.option("--tokens", type=click.Path(path_type=Path), help="File of access tokens for HTTP.")
@dir_option
@click.pass_context
def mcp_command(context: click.Context, address: str | None, tokens: Path | None) -> None:
    """Serve memory to agents over the Model Context Protocol."""
    if context.invoked_subcommand is not None:
        return
    if tokens is not None and address is None:
        raise click.UsageError("--tokens is for HTTP: give --http too.")
    chosen = folder_named()
    if address is None:
        serve(chosen)
    else:
        serve_http(chosen, address, tokens, note)


@mcp_command.command()
@_client
@file_options
@remember_option
def install(name: str, remember: bool | None, options: FileOptions) -> None:
    """Have a client start the server, after showing the diff; keeps a backup."""
    client = _client_named(name)
    file, path = _file_and_path(client, options.project)
    installed = client_file.install(file, path, "server", options)
    if installed and client.servers and client.servers.after_install:
        note(client.servers.after_install)
    client_file.offer_command(client, options, wanted=remember)


@mcp_command.command()
@_client
@file_options
def uninstall(name: str, options: FileOptions) -> None:
    """Remove exactly what `install` added."""
    client = _client_named(name)
    file, path = _file_and_path(client, options.project)
    client_file.uninstall(file, path, "server", options)
    client_file.remove_command(client, options)


def _client_named(name: str) -> Client:
    return client_named("gemini-cli" if name == "gemini" else name)


def _file_and_path(client: Client, project: Path | None) -> tuple[ServerFile, Path]:
    assert client.servers is not None
    path = client.servers.file(Home.of_user(), project)
    if project is not None and not path.is_relative_to(project):
        raise click.UsageError(f"{client.title} reads no servers in a project: omit --project.")
    return ServerFile(client, project=project is not None), path
