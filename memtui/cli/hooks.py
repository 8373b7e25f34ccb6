"""`memtui hooks`: put memtui's hooks into an agent's settings, or take them out again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from shutil import which

import click

from memtui.cli import client_file
from memtui.cli.exits import FAILED
from memtui.cli.options import (
    dry_run_option,
    json_option,
    project_option,
    remember_option,
    yes_option,
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

_agent = click.argument("agent", type=click.Choice(HOOKED))


@click.group(epilog=_EPILOG)
def hooks_command() -> None:
    """Install, check or remove memtui's hooks in an agent's settings."""


@hooks_command.command()
@_agent
@project_option
@dry_run_option
@yes_option
@click.option(
    "--memory",
    "place",
    type=click.Choice([str(item) for item in MemoryPlace]),
    help="Where memory of projects that have none may begin; asked for once.",
)
@remember_option
def install(
    agent: str,
    project: Path | None,
    dry_run: bool,
    yes: bool,
    place: str | None,
    remember: bool | None,
) -> None:
    """Install hooks, after showing the diff; keeps a backup."""
    client, project = client_named(agent), _whole(project)
    path = settings_path(client, Home.of_user(), project)
    if client_file.install(hook_file(client), path, project, "hooks", dry_run=dry_run, yes=yes):
        if advice := hooks_of(client).after_install:
            note(advice)
        _choose_place(place, may_ask=not yes)
        _offer_model(client, may_ask=not yes)
    client_file.offer_command(client, project, wanted=remember, dry_run=dry_run, yes=yes)


@hooks_command.command()
@_agent
@project_option
@dry_run_option
@yes_option
def uninstall(agent: str, project: Path | None, dry_run: bool, yes: bool) -> None:
    """Remove exactly what `install` added."""
    client, project = client_named(agent), _whole(project)
    path = settings_path(client, Home.of_user(), project)
    client_file.uninstall(hook_file(client), path, project, "hooks", dry_run=dry_run, yes=yes)
    client_file.remove_command(client, project, dry_run=dry_run, yes=yes)


@hooks_command.command()
@click.argument("agent", type=click.Choice(HOOKED), required=False)
@project_option
@json_option
def status(agent: str | None, project: Path | None, as_json: bool) -> None:
    """Show which hooks are active.

    Exit code 1 if an installed hook would not run.
    """
    found = []
    here = project_of(Path.cwd())
    for name in [agent] if agent else HOOKED:
        root = here.root if here else None
        hooks = hook_status(client_named(name), Home.of_user(), _whole(project), here=root)
        command = _command(name, [_whole(project), root])
        found.append(
            (
                name,
                _hook_file(hooks)
                or settings_path(client_named(name), Home.of_user(), _whole(project)),
                hooks,
                command,
            )
        )
    if as_json:
        print_json([_as_data(*item) for item in found])
    else:
        for name, path, hooks, command in found:
            _print_state(name, path, hooks, command, asked=agent is not None)
    if any(
        hook.state not in {HookState.ACTIVE, HookState.MISSING}
        for _, _, hooks, _ in found
        for hook in hooks
    ):
        raise click.exceptions.Exit(FAILED)


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


def _hook_file(hooks: Sequence[HookStatus]) -> Path | None:
    files = {hook.file for hook in hooks if hook.file}
    return files.pop() if len(files) == 1 else None


def _command(name: str, projects: Sequence[Path | None]) -> Path | None:
    """Return where a client's command `/remember` stands, in a project or the user's."""
    for project in dict.fromkeys((*projects, None)):
        path = command_path(client_named(name), Home.of_user(), project)
        if path is not None and is_put_down(path):
            return path
    return None


def _print_state(
    name: str, path: Path, hooks: Sequence[HookStatus], command: Path | None, *, asked: bool
) -> None:
    if not asked and all(hook.state is HookState.MISSING for hook in hooks):
        say(f"{paint(name, bold=True)}  {paint('not installed', dim=True)}")
        _tell_command(name, command)
        return
    say(f"{paint(name, bold=True)}  {visible(shown_path(path))}")
    for hook in hooks:
        mark = paint("✓", fg="green") if hook.active else paint("·", dim=True)
        state = "not installed" if hook.state is HookState.MISSING else str(hook.state)
        why = "" if hook.reason == f"in {path}" else hook.reason
        told = ": ".join(filter(None, ("" if hook.active else state, why)))
        say(f"  {mark} {hook.event}: memtui hook {hook.name}  {visible(told)}".rstrip())
    _tell_command(name, command)
    if any(
        hook.state in {HookState.MISSING, HookState.OUTDATED, HookState.MOVED} for hook in hooks
    ):
        note(f"Run `memtui hooks install {name}` to fix this.")


def _tell_command(name: str, command: Path | None) -> None:
    if (ours := client_named(name).command) is not None and command is not None:
        say(f"  {paint('✓', fg='green')} {ours.typed}: {visible(shown_path(command))}")


def _whole(project: Path | None) -> Path | None:
    return project.absolute() if project else None


def _as_data(
    agent: str, path: Path, hooks: Sequence[HookStatus], command: Path | None
) -> dict[str, object]:
    return {
        "agent": agent,
        "path": str(path),
        "command": None if command is None else str(command),
        "hooks": [
            {
                "event": hook.event,
                "name": hook.name,
                "installed": hook.state is not HookState.MISSING,
                "state": str(hook.state),
                "reason": hook.reason,
            }
            for hook in hooks
        ],
    }


_PLACE_SETTING = "memory_place"
_QUESTION = """
Where may memory be kept of a project that has none?
  user       in your data folder, for each project apart
  untracked  in the project, left out by git (.git/info/exclude)
  tracked    in the project, for git: what agents learned is published with it\
"""


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


_PROGRAM = "capture_program"


def _offer_model(client: Client, *, may_ask: bool) -> None:
    """Ask whether the client's model is to pick the memories; where nobody can be asked, or its
    program is not here, say how to have it. Nothing is said where it can't be, or a program is set.

    Raises what `keep_setting` raises.
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
    # Enter alone decides nothing: it costs money, and sends what was said.
    if not click.confirm(f"Let the model of {client.title} pick them?", default=None, err=True):
        note("Rules pick the memories. Press W in memtui to change that.")
        return
    keep_setting(user_file(), _PROGRAM, client.asking)
    path = visible(shown_path(user_file()), newlines=False)
    note(f"Set {_PROGRAM} in {path}. `memtui config unset {_PROGRAM}` takes it out.")
