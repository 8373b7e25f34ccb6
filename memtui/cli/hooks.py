"""`memtui hooks`: put memtui's hooks into an agent's settings, take them out again, run one."""

from __future__ import annotations

import click

from memtui.cli import client_file
from memtui.cli.hooks_choices import PLACES, choose_place, offer_model
from memtui.cli.hooks_status import status
from memtui.cli.options import FileOptions, file_options, remember_option
from memtui.cli.output import note
from memtui.hooks.call import HOOKS
from memtui.hooks.run import answer
from memtui.hooks.status import settings_path
from store.agents.client import Home
from store.agents.hook_files import hook_file, hooks_of
from store.agents.registry import HOOKED, client_named

_EPILOG = """\b
Examples:
  memtui hooks status
  memtui hooks install claude-code            for all your projects
  memtui hooks install codex --project .      for this project
  memtui hooks uninstall claude-code --dry-run

\b
Hooks inject memories when a session starts and on prompts, and capture new ones when it ends or
its context is compacted. `enabled = false` in the settings turns them off.
"""
_RUN_EPILOG = """\b
Hooks: session-start, user-prompt, pre-compact, post-compact, stop, subagent-stop, session-end,
pre-tool-use, post-tool-use

\b
Examples:
  memtui hooks install claude-code      install them
  echo '{"cwd": "."}' | memtui hooks run session-start   what a session here gets
"""

_agent = click.argument("agent", type=click.Choice(HOOKED))


@click.group(epilog=_EPILOG)
def hooks_command() -> None:
    """Install, check or remove memtui's hooks in an agent's settings."""


hooks_command.add_command(status)


@hooks_command.command()
@_agent
@file_options
@click.option(
    "--memory",
    "place",
    type=click.Choice(PLACES),
    help="Where memory of projects that have none may begin; asked for once.",
)
@remember_option
def install(agent: str, place: str | None, remember: bool | None, options: FileOptions) -> None:
    """Install hooks, after showing the diff; keeps a backup."""
    client = client_named(agent)
    path = settings_path(client, Home.of_user(), options.project)
    if client_file.install(hook_file(client), path, "hooks", options):
        if advice := hooks_of(client).after_install:
            note(advice)
        choose_place(place, may_ask=not options.yes)
        offer_model(client, may_ask=not options.yes)
    client_file.offer_command(client, options, wanted=remember)


@hooks_command.command()
@_agent
@file_options
def uninstall(agent: str, options: FileOptions) -> None:
    """Remove exactly what `install` added."""
    client = client_named(agent)
    path = settings_path(client, Home.of_user(), options.project)
    client_file.uninstall(hook_file(client), path, "hooks", options)
    client_file.remove_command(client, options)


@hooks_command.command(
    "run",
    epilog=_RUN_EPILOG,
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
)
@click.argument("name", metavar="HOOK", default="")
@click.option("--channel", default="claude-code", show_default=True, help="Calling client.")
def run_hook(name: str, channel: str) -> None:
    """Run a hook: reads the agent's JSON on standard input, prints the text to inject.

    Always exits 0, so that a failure never stops a session. Failures are logged: see Activity in
    the app.
    """
    if name not in HOOKS:
        note(f"Unknown hook {name!r}. Hooks: {', '.join(HOOKS)}.")
        return
    answer(name, channel)
