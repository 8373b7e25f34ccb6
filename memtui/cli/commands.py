"""The table of commands, and the group that imports the module of one when it is called."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

import click

from memtui.cli.exits import FAILED, INTERRUPTED, USERS_MISTAKE
from memtui.cli.memory import folder_named
from memtui.cli.options import keep_dir
from memtui.cli.output import fail
from memtui.cli.parameter_types import LocationType
from store.text.closest_match import nearest

GROUPS = {
    "Memory": {
        "search": "Search memories.",
        "show": "Show a memory in full.",
        "list": "List memories, newest first.",
        "digest": "Show what was decided, learned and fixed lately, and what is open.",
        "stats": "Show totals, or what fills an agent's context.",
        "drift": "Compare memories with the code that they name.",
        "status": "Show in a line how memory stands.",
    },
    "Change": {
        "add": "Add a memory or a batch.",
        "edit": "Edit a memory in your editor or with options.",
        "tag": "Add or remove tags, pin or mute.",
        "archive": "Archive memories.",
        "restore": "Restore archived memories.",
        "remove": "Delete memories.",
        "compact": "Merge related memories, or archive what is beyond a capacity.",
        "inbox": "Approve, edit or take back what agents wrote.",
        "undo": "Undo an operation.",
        "history": "List, undo and redo operations.",
    },
    "Sessions and capture": {
        "capture": "Capture memories from an agent session.",
        "sessions": "List, index, search and resume agent sessions.",
    },
    "Agents": {
        "inject": "Print the text injected into a session.",
        "told": "Show all that an agent is told at a session's start, by whom, and what repeats.",
        "hooks": "Install, check or remove agent hooks.",
        "mcp": "Start the MCP server, or install it.",
        "serve": "Start the JSON-RPC server.",
        "clarify": "Show, ask and answer clarifications between agents.",
    },
    "Files and git": {
        "init": "Start the memory of this project in a place you choose.",
        "move": "Move this project's memory: out of the project, or into it.",
        "migrate": "Copy memory elsewhere, or divide it into other files.",
        "import": "Import memories.",
        "export": "Export memories.",
        "git": "Merge, compare and resolve memories in git.",
        "sync": "Have your memories the same on all machines.",
        "doctor": "Check memory for problems and repair them.",
    },
    "App": {
        "config": "Show or edit settings.",
        "demo": "Try the app on sample data.",
        "completion": "Print a shell completion script.",
    },
}
"""Names and summaries of all commands, as the help groups them; `load_command` finds them."""

COMMANDS = {name: summary for group in GROUPS.values() for name, summary in group.items()}

_MODULES = {
    "restore": "archive",
    "remove": "archive",
    "undo": "history",
    "move": "init",
    "import": "import_",
}
"""Modules of `memtui.cli` that define a command of another name."""

ALIASES = {
    "pin": ("tag", "--pin"),
    "mute": ("tag", "--mute"),
    "prune": ("compact", "--prune"),
    "redo": ("history", "redo"),
    "recover": ("sessions", "last"),
    "budget": ("stats", "--context"),
    "layout": ("migrate", "--layout"),
    "diff": ("git", "diff"),
    "resolve": ("git", "resolve"),
    "merge-file": ("git", "merge-file"),
    "hook": ("hooks", "run"),
}
"""Earlier names of commands, which the help does not list.

`merge-file` and `hook` stay: users' git configurations and agents' settings have them.
"""

_EPILOG = """\b
Examples:
  memtui                              open the app on the nearest memory
  memtui demo                         try it on sample data
  memtui search agent:engineer lock   search what the engineer learned about locks
  memtui list --issue 29 --json       all of issue 29, for a script
  memtui show a1b2c3                  show a memory by the end of its id
"""


def load_command(name: str) -> click.Command:
    """Import a command: the object `NAME_command` of its module, which is `NAME` by default."""
    module = import_module(f"memtui.cli.{_MODULES.get(name, name)}")
    command: click.Command = getattr(module, f"{name}_command")
    return command


class LazyGroup(click.Group):
    """A group that imports only the command that is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return load_command(cmd_name) if cmd_name in COMMANDS else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Resolve an alias or a name. Raises `UsageError` with the nearest command."""
        args = [*ALIASES.get(args[0], args[:1]), *args[1:]]
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            near = nearest(name, COMMANDS)
            meant = f" Did you mean `memtui {near}`?" if near else ""
            ctx.fail(f"Unknown command {name!r}.{meant}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, COMMANDS))
        for title, commands in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl(
                    [(name.ljust(width), summary) for name, summary in commands.items()]
                )


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    epilog=_EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(
    "--dir",
    type=LocationType(),
    expose_value=False,
    callback=keep_dir,
    help="Memory folder, project or database URL. Default: MEMTUI_DIR, or the nearest memory in "
    "this or a parent folder.",
)
@click.version_option(package_name="memtui", message="%(prog)s %(version)s")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Memory of coding agents: search, view and edit it.

    Run without a command to open the app.
    """
    if ctx.invoked_subcommand is None:
        from memtui.startup import open_app  # a command never loads the app

        open_app(folder_named())


def carry_out(arguments: Sequence[str]) -> int:
    """Run a command and return its exit code; errors of its use are printed."""
    try:
        code = cli.main(args=list(arguments), prog_name="memtui", standalone_mode=False)
    except click.UsageError as error:
        # click lists choices in lines of their own.
        fail(" ".join(error.format_message().split()), _usage_hint(error, arguments[0]))
        # A client takes exit code 2 of a hook for a veto: the prompt would be lost.
        return FAILED if arguments[0] == "hook" else USERS_MISTAKE
    except click.ClickException as error:
        fail(error.format_message())
        return FAILED
    except click.Abort:
        click.echo(err=True)  # ends the line of the question
        return INTERRUPTED
    return code if isinstance(code, int) else 0


def _usage_hint(error: click.UsageError, first: str) -> str:
    command = "memtui"
    if error.ctx:
        command = error.ctx.command_path
    elif any(first in group for group in GROUPS.values()):
        command += f" {first}"  # click leaves out which one where an option lacks its value
    return f"See `{command} --help`."
