"""`memtui completion`: the script that makes a shell complete memtui's commands."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from memtui.cli.commands import cli
from memtui.cli.output import print_line

_EPILOG = """\b
Add one line to your shell's startup file:
  eval "$(memtui completion bash)"          ~/.bashrc
  eval "$(memtui completion zsh)"           ~/.zshrc
  memtui completion fish | source           ~/.config/fish/config.fish
"""


@click.command(epilog=_EPILOG)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion_command(shell: str) -> None:
    """Print a completion script for SHELL.

    It completes commands, options, agents, categories, settings, and ids of memories and
    operations.
    """
    completion = get_completion_class(shell)
    if completion is not None:
        print_line(completion(cli, {}, "memtui", "_MEMTUI_COMPLETE").source())
