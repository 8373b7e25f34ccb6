"""The manual's pages about commands, made from the commands' own help.

`python -m memtui.cli.manual docs/commands` writes them; a test holds them in step.
"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from memtui.cli.commands import COMMANDS, cli

_WIDTH = 88


def pages() -> dict[str, str]:
    """Every page by its file name: an index, and one for each command."""
    listed = "\n".join(f"| [`{name}`]({name}.md) | {what} |" for name, what in COMMANDS.items())
    index = f"# Commands\n\n| command | what it does |\n| --- | --- |\n{listed}\n"
    return {"index.md": index, **{f"{name}.md": page(name) for name in COMMANDS}}


def page(name: str) -> str:
    """The page of one command."""
    settings = {**cli.context_settings, "max_content_width": _WIDTH}
    with click.Context(cli, info_name="memtui", **settings) as above:
        command = cli.get_command(above, name)
        if command is None:
            raise KeyError(name)
        settings = {**command.context_settings, "terminal_width": _WIDTH}
        context = click.Context(command, parent=above, info_name=name, **settings)
        text = "\n".join(line.rstrip() for line in command.get_help(context).splitlines())
        subcommands = _subcommands(command, context)
    return f"# memtui {name}\n\n{COMMANDS[name]}\n\n```text\n{text}\n```\n{subcommands}"


def _subcommands(command: click.Command, context: click.Context) -> str:
    if not isinstance(command, click.Group):
        return ""
    parts = []
    for name in command.list_commands(context):
        inner = command.get_command(context, name)
        if inner is not None:
            below = click.Context(inner, parent=context, info_name=name, terminal_width=_WIDTH)
            text = "\n".join(line.rstrip() for line in inner.get_help(below).splitlines())
            parts.append(f"\n## {context.command_path} {name}\n\n```text\n{text}\n```\n")
    return "".join(parts)


def write(folder: Path) -> None:
    """Write every page into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
