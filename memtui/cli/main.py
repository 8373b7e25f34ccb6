"""The entry point: the list of commands, each imported only when it is called, and all errors."""

from __future__ import annotations

import gc
import os
import sys
from importlib import import_module
from keyword import iskeyword
from pathlib import Path
from typing import TYPE_CHECKING

import click

from memtui.cli.output import fail, open_standard_streams, silence
from store.errors import AmbiguousId, InvalidObservation, NotFound, StoreError

if TYPE_CHECKING:
    from collections.abc import Sequence

COMMANDS = {
    "search": "Find observations by words and filters.",
    "show": "Show one observation in full.",
    "list": "List observations, newest first.",
    "stats": "Say how much memory there is, and of what.",
    "add": "Store an observation, or a batch of them.",
    "edit": "Change an observation, in your editor or by options.",
    "tag": "Change the tags of an observation.",
    "pin": "Have observations recalled always.",
    "mute": "Have observations recalled never.",
    "remove": "Remove observations.",
    "archive": "Move observations to the archive.",
    "restore": "Bring archived observations back.",
    "inject": "Print what a session would be told.",
    "budget": "Report what fills an agent's context.",
    "capture": "Keep what a session's transcript teaches.",
    "hook": "Answer an agent's hook.",
    "hooks": "Put the hooks into an agent's settings.",
    "compact": "Merge what belongs together; the originals are archived.",
    "prune": "Archive what is beyond the capacity of a layer.",
    "undo": "Take an operation back.",
    "history": "List what changed memory.",
    "import": "Bring in memory from elsewhere.",
    "export": "Write memory as text, or as a store of its own.",
    "config": "Show the settings, and change them.",
    "doctor": "Examine the memory, and mend it.",
    "demo": "Open the app on a sample store.",
    "completion": "Print the completion script for a shell.",
}
"""Every command and what it does. `NAME` is the object `NAME_command` of `memtui.cli.NAME`, the
module's name ending in `_` where it would be a keyword."""

_USERS_MISTAKE, _FAILED, _INTERRUPTED = 2, 1, 130
_GARBAGE = 100_000
"""Objects made between collections: Python's own 700 cost a command a twentieth of its time."""
_FRAMES = "120"
"""The most frames that the app draws in a second."""
_USERS_MISTAKES = (InvalidObservation, NotFound, AmbiguousId)

_EPILOG = """\b
Examples:
  memtui                              open the app on the nearest .agentx/memory
  memtui demo                         try it on a sample
  memtui search agent:engineer lock   what the engineer learned about locks
  memtui list --issue 29 --json       all of issue 29, for a script
  memtui show a1b2c3                  one observation, by the end of its id
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
        module = import_module(f"memtui.cli.{cmd_name}{'_' if iskeyword(cmd_name) else ''}")
        command: click.Command = getattr(module, f"{cmd_name}_command")
        return command

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
    """The memory of coding agents: search it, see it, tend it.

    Without a command the app opens.
    """
    if ctx.invoked_subcommand is None:
        from memtui.cli.opening import open_app

        open_app(folder)


def main() -> None:
    """Run the command line and leave with its exit code."""
    # A command is over before what its imports and rows leave behind would be worth collecting.
    gc.set_threshold(_GARBAGE)
    # What a key asks for is drawn half a usual frame sooner; nothing moves that would be drawn more
    # often for it. Textual reads this when it is imported.
    os.environ.setdefault("TEXTUAL_FPS", _FRAMES)
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run one command: 0, or 1 where it failed, or 2 where the user made a mistake.

    Every error is a sentence and a hint on stderr; of a reader that went away (`| head`) nothing
    is said.
    """
    open_standard_streams()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        code = cli.main(args=list(arguments), prog_name="memtui", standalone_mode=False)
        sys.stdout.flush()
    except click.UsageError as error:
        fail(error.format_message(), _usage_hint(error))
        return _USERS_MISTAKE
    except click.ClickException as error:
        fail(error.format_message())
        return _FAILED
    except StoreError as error:
        fail(error.message, error.hint)
        return _USERS_MISTAKE if isinstance(error, _USERS_MISTAKES) else _FAILED
    except (KeyboardInterrupt, click.Abort):
        return _INTERRUPTED
    except BrokenPipeError:
        silence()
        return _FAILED
    except OSError as error:
        fail(f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}.")
        return _FAILED
    except Exception as error:
        # No traceback on a user's screen, unless it is asked for.
        if os.environ.get("MEMTUI_TRACEBACK"):
            raise
        fail(
            f"memtui failed unexpectedly ({type(error).__name__}: {error}).",
            "Please report this; MEMTUI_TRACEBACK=1 shows where it happened.",
        )
        return _FAILED
    return code if isinstance(code, int) else 0


def _usage_hint(error: click.UsageError) -> str:
    """Where to read on after a usage error."""
    command = error.ctx.command_path if error.ctx else "memtui"
    return f"See `{command} --help`."
