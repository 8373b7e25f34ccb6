"""`memtui hooks`: put memtui's hooks into an agent's settings, or take them out again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from shutil import which
from typing import NamedTuple

import click

from memtui.cli import client_file
from memtui.cli.exits import FAILED
from memtui.cli.options import (
    FileOptions,
    file_options,
    json_option,
    project_option,
    remember_option,
)
from memtui.cli.output import note, paint, print_json, say
from memtui.cli.plans import can_ask
from memtui.client_command import command_path, is_put_down
from memtui.formatting import shown_path
from memtui.hooks.call import HOOKS
from memtui.hooks.run import answer
from memtui.hooks.status import HookStatus, hook_status, settings_path
from memtui.settings.programs import terms
from store.agents.client import Client, Home
from store.agents.hook_files import hook_file, hooks_of
from store.agents.hooks import HookState
from store.agents.registry import HOOKED, client_named
from store.backends.placement import MemoryPlace, chosen_place
from store.platform.project import project_of
from store.settings.edit import keep_setting
from store.settings.files import user_choice, user_file
from store.text.display import visible

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

_PLACE_SETTING = "memory_place"
_QUESTION = """
Where may memory be kept of a project that has none?
  user       in your data folder, for each project apart
  untracked  in the project, left out by git (.git/info/exclude)
  tracked    in the project, for git: what agents learned is published with it\
"""
_PROGRAM = "capture_program"

_agent = click.argument("agent", type=click.Choice(HOOKED))


@click.group(epilog=_EPILOG)
def hooks_command() -> None:
    """Install, check or remove memtui's hooks in an agent's settings."""


@hooks_command.command()
@_agent
@file_options
@click.option(
    "--memory",
    "place",
    type=click.Choice([str(item) for item in MemoryPlace]),
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
        _choose_place(place, may_ask=not options.yes)
        _offer_model(client, may_ask=not options.yes)
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


class _ClientHooks(NamedTuple):
    """A client's hooks, their file, and the file of its command `/remember`."""

    client: Client
    path: Path
    hooks: Sequence[HookStatus]
    command: Path | None


@hooks_command.command()
@click.argument("agent", type=click.Choice(HOOKED), required=False)
@project_option
@json_option
def status(agent: str | None, project: Path | None, as_json: bool) -> None:
    """Show which hooks are active.

    Exit code 1 if an installed hook would not run.
    """
    found = [_hooks_of(client_named(name), project) for name in ([agent] if agent else HOOKED)]
    if as_json:
        print_json([_as_data(item) for item in found])
    else:
        for item in found:
            _print(item, is_asked_for=agent is not None)
    states = {hook.state for item in found for hook in item.hooks}
    if states - {HookState.ACTIVE, HookState.MISSING}:
        raise click.exceptions.Exit(FAILED)


def _hooks_of(client: Client, project: Path | None) -> _ClientHooks:
    here = project_of(Path.cwd())
    root, home = here.root if here else None, Home.of_user()
    hooks = hook_status(client, home, project, here=root)
    files = {hook.file for hook in hooks if hook.file}
    path = files.pop() if len(files) == 1 else settings_path(client, home, project)
    places = (command_path(client, home, place) for place in dict.fromkeys((project, root, None)))
    command = next((place for place in places if place is not None and is_put_down(place)), None)
    return _ClientHooks(client, path, hooks, command)


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


def _print(found: _ClientHooks, *, is_asked_for: bool) -> None:
    """Print a line for each hook of a client; one in all where none is installed."""
    name = found.client.name
    states = {hook.state for hook in found.hooks}
    if not is_asked_for and states == {HookState.MISSING}:
        say(f"{paint(name, bold=True)}  {paint('not installed', dim=True)}")
        _print_command(found)
        return
    say(f"{paint(name, bold=True)}  {visible(shown_path(found.path))}")
    for hook in found.hooks:
        mark = paint("✓", fg="green") if hook.is_active else paint("·", dim=True)
        state = "not installed" if hook.state is HookState.MISSING else str(hook.state)
        reason = "" if hook.reason == f"in {found.path}" else hook.reason
        words = ": ".join(filter(None, ("" if hook.is_active else state, reason)))
        say(f"  {mark} {hook.event}: memtui hook {hook.name}  {visible(words)}".rstrip())
    _print_command(found)
    if states & {HookState.MISSING, HookState.OUTDATED, HookState.MOVED}:
        note(f"Run `memtui hooks install {name}` to fix this.")


def _print_command(found: _ClientHooks) -> None:
    if found.client.command is not None and found.command is not None:
        path = visible(shown_path(found.command))
        say(f"  {paint('✓', fg='green')} {found.client.command.typed}: {path}")


def _as_data(found: _ClientHooks) -> dict[str, object]:
    return {
        "agent": found.client.name,
        "path": str(found.path),
        "command": None if found.command is None else str(found.command),
        "hooks": [
            {
                "event": hook.event,
                "name": hook.name,
                "installed": hook.state is not HookState.MISSING,
                "state": str(hook.state),
                "reason": hook.reason,
            }
            for hook in found.hooks
        ],
    }


def _choose_place(named: str | None, *, may_ask: bool) -> None:
    """Keep where memory may begin, as named or as answered; asked only where nobody chose yet.

    Raises what `keep_setting` raises.
    """
    chosen = chosen_place()
    if named is None and chosen is None and may_ask and can_ask():
        note(_QUESTION)
        named = click.prompt(
            "Place",
            type=click.Choice([str(item) for item in MemoryPlace]),
            default=str(MemoryPlace.USER),
            err=True,
        )
    if named is not None and named != chosen:
        keep_setting(user_file(), _PLACE_SETTING, named)
        note(f"Set {_PLACE_SETTING} = {named} in {shown_path(user_file())}.")
    elif chosen is None:
        note(
            "Memory of a project that has none begins in your data folder; "
            f"`memtui config set {_PLACE_SETTING}` or `memtui init` in a project changes that."
        )


def _offer_model(client: Client, *, may_ask: bool) -> None:
    """Ask whether the client's model is to pick the memories.

    Without a terminal or the client's program, only notes how to turn it on. Does nothing where the
    model can't be asked, or a program is set. Raises as `keep_setting`.
    """
    if not client.asked_by or user_choice(_PROGRAM):
        return
    if not may_ask or not can_ask() or not which(client.program):
        note(
            "Rules pick the memories when a session ends. "
            f"The model of {client.title} picks better ones: press W in memtui to use it."
        )
        return
    note(f"\nThe model of {client.title} picks better memories than rules do.")
    for sentence in terms(client.title):
        note(f"  {sentence}")
    # Enter alone decides nothing: it costs money, and sends the text of sessions.
    if not click.confirm(f"Let the model of {client.title} pick them?", default=None, err=True):
        note("Rules pick the memories. Press W in memtui to change that.")
        return
    keep_setting(user_file(), _PROGRAM, client.asking)
    path = visible(shown_path(user_file()), newlines=False)
    note(f"Set {_PROGRAM} in {path}. `memtui config unset {_PROGRAM}` takes it out.")
