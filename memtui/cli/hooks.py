"""`memtui hooks`: put memtui's hooks into an agent's settings, or take them out again."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from memtui.cli.changes import can_ask, refuse_unasked
from memtui.cli.memory import json_option
from memtui.cli.output import note, paint, say, say_json
from memtui.hooks.install import (
    COMMAND,
    Agent,
    HookStatus,
    InstallPlan,
    apply_install,
    hook_status,
    plan_install,
    plan_uninstall,
    settings_path,
)
from memtui.startup import shown_path
from store.text.visible import visible

_EPILOG = """\b
Examples:
  memtui hooks status
  memtui hooks install claude-code            for all your projects
  memtui hooks install codex --project .      for this one, in its own settings
  memtui hooks uninstall claude-code --dry-run

\b
At a session's start and on its prompts, the agent is told what memory holds; at its end and before
its context is compacted, what it learned is captured. `enabled = false` in the settings stops all.
"""

_agent_names = click.Choice([str(agent) for agent in Agent])
_agent = click.argument("agent", type=_agent_names)
_project = click.option(
    "--project",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="In the settings of this project, instead of the user's.",
)
_dry_run = click.option("--dry-run", is_flag=True, help="Show the diff, and change nothing.")
_yes = click.option("--yes", "-y", is_flag=True, help="Don't ask; needed without a terminal.")


@click.group(epilog=_EPILOG)
def hooks_command() -> None:
    """Put memtui's hooks into an agent's settings, or take them out again."""


@hooks_command.command()
@_agent
@_project
@_dry_run
@_yes
def install(agent: str, project: Path | None, dry_run: bool, yes: bool) -> None:
    """Add the hooks that are missing: the diff first, a backup beside the file."""
    command = _command()
    plan = plan_install(Agent(agent), _path(agent, project), command)
    if command != COMMAND and not plan.is_empty:
        note(f"`{COMMAND}` is not on the PATH, so the hooks name {command}.")
    if _applied(plan, "Install the hooks?", dry_run=dry_run, yes=yes) and agent == "codex":
        note("Codex asks once whether these hooks are to be trusted.")


@hooks_command.command()
@_agent
@_project
@_dry_run
@_yes
def uninstall(agent: str, project: Path | None, dry_run: bool, yes: bool) -> None:
    """Remove exactly what `install` added."""
    plan = plan_uninstall(_path(agent, project))
    _applied(plan, "Remove the hooks?", dry_run=dry_run, yes=yes)


@hooks_command.command()
@click.argument("agent", type=_agent_names, required=False)
@_project
@json_option
def status(agent: str | None, project: Path | None, as_json: bool) -> None:
    """Say which hooks are active, for one agent or for all."""
    found = []
    for name in [Agent(agent)] if agent else Agent:
        path = _path(name, project)
        found.append((name, path, hook_status(name, path)))
    if as_json:
        say_json([_as_data(*each) for each in found])
        return
    for name, path, hooks in found:
        say(f"{paint(name, bold=True)}  {visible(shown_path(path))}")
        for hook in hooks:
            mark = paint("✓", fg="green") if hook.installed else paint("·", dim=True)
            missing = "" if hook.installed else paint("  not installed", dim=True)
            say(f"  {mark} {hook.event}: memtui hook {hook.name}{missing}")
        if not all(hook.installed for hook in hooks):
            note(f"`memtui hooks install {name}` adds what is missing.")


def _command() -> str:
    """How the agent can start memtui: by its name, or by its path where it is not on the PATH."""
    beside = Path(sys.executable).with_name(COMMAND)
    if shutil.which(COMMAND) is None and beside.exists():
        return str(beside)
    return COMMAND


def _path(agent: str, project: Path | None) -> Path:
    return settings_path(Agent(agent), Path.home(), project.absolute() if project else None)


def _applied(plan: InstallPlan, question: str, *, dry_run: bool, yes: bool) -> bool:
    """Show a plan, ask on a terminal, and apply it; whether it was."""
    if plan.is_empty:
        note(f"{plan.path} needs no change.")
        return False
    say(visible(plan.diff).rstrip())
    if dry_run:
        return False
    if not yes:
        if not can_ask():
            refuse_unasked()
        if not click.confirm(question, default=True, err=True):
            note("Nothing was changed.")
            return False
    backup = apply_install(plan)
    note(f"{plan.path} was changed." + (f" The old one is {backup}." if backup else ""))
    return True


def _as_data(agent: str, path: Path, hooks: Sequence[HookStatus]) -> dict[str, object]:
    return {
        "agent": agent,
        "path": str(path),
        "hooks": [
            {"event": hook.event, "name": hook.name, "installed": hook.installed} for hook in hooks
        ],
    }
