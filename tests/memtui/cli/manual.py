"""The parts of the manual that are made from the code: the pages about commands, from their own
help, and the lists of settings, themes, factors and actions in the page about settings.

`python -m tests.memtui.cli.manual docs/commands` writes them all; tests check that they are
up to date.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from textwrap import fill

import click

from memtui.cli.commands import COMMANDS, GROUPS, cli
from memtui.settings.keys import ACTIONS
from memtui.settings.schema import THEMES
from store.recall.profiles import FACTORS
from store.settings.schema import SettingInfo, known_settings
from store.settings.values import as_typed

_WIDTH = 88
_NAMES_WIDTH = 110


def pages() -> dict[str, str]:
    """Return every page by its file name: an index, and one for each command."""
    index = "# Commands\n"
    for title, commands in GROUPS.items():
        listed = "\n".join(f"| [`{name}`]({name}.md) | {what} |" for name, what in commands.items())
        index += f"\n## {title}\n\n| command | what it does |\n| --- | --- |\n{listed}\n"
    return {"index.md": index, **{f"{name}.md": page(name) for name in COMMANDS}}


def page(name: str) -> str:
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


def with_lists(text: str) -> str:
    """The page about settings with each list, from `<!-- NAME -->` to `<!-- end -->`, renewed."""
    for name, listed in _lists().items():
        before, start, rest = text.partition(f"<!-- {name} -->\n")
        end, after = rest.partition("<!-- end -->")[1:]
        text = f"{before}{start}\n{listed}\n\n{end}{after}"
    return text


def _lists() -> Mapping[str, str]:
    subjects = groupby(known_settings().values(), attrgetter("subject"))
    rows = [f"| **{subject}** | | |\n" + "\n".join(map(_row, infos)) for subject, infos in subjects]
    return {
        "settings": "\n".join(["| setting | default | meaning |", "| --- | --- | --- |", *rows]),
        "themes": _names(THEMES),
        "factors": _names(FACTORS),
        "actions": _names(sorted(ACTIONS)),
    }


def _row(info: SettingInfo) -> str:
    is_table = info.example is not None
    default = (
        f"none; e.g. `{as_typed(info.example)}`" if is_table else f"`{json.dumps(info.default)}`"
    )
    return f"| `{info.name}` | {default} | {info.meaning} |"


def _names(names: Iterable[str]) -> str:
    listed = ", ".join(f"`{name}`" for name in names)
    return fill(f"{listed}.", _NAMES_WIDTH, break_long_words=False, break_on_hyphens=False)


def write(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for gone in {path.name for path in folder.glob("*.md")} - set(pages()):
        (folder / gone).unlink()
    for name, text in pages().items():
        (folder / name).write_text(text, encoding="utf-8")
    settings = folder.parent / "settings.md"
    settings.write_text(with_lists(settings.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
