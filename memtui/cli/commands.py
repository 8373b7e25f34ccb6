"""The commands, each imported only when it is called."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from keyword import iskeyword
from pathlib import Path

import click

from memtui.cli.exits import FAILED, INTERRUPTED, USERS_MISTAKE
from memtui.cli.output import fail

COMMANDS = {
    "search": "Search memories by words and filters.",
    "show": "Show one memory in full.",
    "list": "List memories, newest first.",
    "stats": "Say how much memory there is, and of what.",
    "add": "Add a memory, or a batch.",
    "edit": "Edit a memory, in your editor or by options.",
    "tag": "Change the tags of a memory.",
    "pin": "Always inject memories.",
    "mute": "Never inject memories.",
    "remove": "Delete memories.",
    "archive": "Move memories into the archive.",
    "restore": "Restore archived memories.",
    "inject": "Print what a session would be told.",
    "budget": "Report what fills an agent's context.",
    "capture": "Keep what a session's transcript teaches.",
    "sessions": "List conversations with agents, take them in, search them.",
    "recover": "Show the last messages of a session that broke off.",
    "hook": "Answer an agent's hook.",
    "hooks": "Put the hooks into an agent's settings.",
    "mcp": "Serve memory to agents that speak MCP.",
    "compact": "Merge what belongs together; the originals are archived.",
    "prune": "Archive what is beyond the capacity of a layer.",
    "undo": "Take an operation back.",
    "redo": "Do again what was undone.",
    "history": "List what changed memory.",
    "import": "Bring in memory from elsewhere.",
    "export": "Write memory as text, or as a store of its own.",
    "config": "Show the settings, and change them.",
    "diff": "Say what changed in memory between two commits.",
    "git": "Have git merge memory by memory.",
    "merge-file": "Merge three versions of a file, as git's driver.",
    "resolve": "Choose between two branches' versions of an observation.",
    "doctor": "Examine the memory, and mend it.",
    "demo": "Open the app on a sample store.",
    "completion": "Print the completion script for a shell.",
}
"""Every command and what it does. `NAME` is the object `NAME_command` of `memtui.cli.NAME`, the
module's name ending in `_` where it would be a keyword, `_` in it for `-`."""

_EPILOG = """\b
Examples:
  memtui                              open the app on the nearest .agentx/memory
  memtui demo                         try it on a sample
  memtui search agent:engineer lock   what the engineer learned about locks
  memtui list --issue 29 --json       all of issue 29, for a script
  memtui show a1b2c3                  one memory, by the end of its id
"""


class LazyGroup(click.Group):
    """A group that imports a command's module when the command is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands, in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name."""
        if cmd_name not in COMMANDS:
            return None
        name = cmd_name.replace("-", "_")
        module = import_module(f"memtui.cli.{name}{'_' if iskeyword(name) else ''}")
        command: click.Command = getattr(module, f"{name}_command")
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command named first; for one there is not, what was likely meant."""
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            from store.text import nearest

            near = nearest(name, COMMANDS)
            meant = f" Did you mean `memtui {near}`?" if near else ""
            ctx.fail(f"There is no command {name!r}.{meant}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands for the help, without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    epilog=_EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(
    "--dir",
    "folder",
    type=click.Path(path_type=Path),
    help="The memory, or the project that holds it. Default: MEMTUI_DIR, else the nearest above.",
)
@click.version_option(package_name="memtui", message="%(prog)s %(version)s")
@click.pass_context
def cli(ctx: click.Context, folder: Path | None) -> None:
    """The memory of coding agents: search, see and edit it.

    Without a command the app opens.
    """
    if ctx.invoked_subcommand is None:
        from memtui.startup import open_app

        open_app(folder)


def carry_out(arguments: Sequence[str]) -> int:
    """Carry out one command: its exit code. Tells the mistakes in how it was called."""
    try:
        code = cli.main(args=list(arguments), prog_name="memtui", standalone_mode=False)
    except click.UsageError as error:
        fail(error.format_message(), _usage_hint(error))
        # To a client, a hook that exits 2 forbids what it was asked about: a prompt would be lost.
        return FAILED if arguments[0] == "hook" else USERS_MISTAKE
    except click.ClickException as error:
        fail(error.format_message())
        return FAILED
    except click.Abort:
        return INTERRUPTED
    return code if isinstance(code, int) else 0


def _usage_hint(error: click.UsageError) -> str:
    """Where to read on after a usage error."""
    command = error.ctx.command_path if error.ctx else "memtui"
    return f"See `{command} --help`."
