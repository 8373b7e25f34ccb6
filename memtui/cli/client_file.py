"""Changing a client's file from the command line: the diff, the question, and what was done."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from memtui.cli.output import note, say
from memtui.cli.plans import agreed, can_ask
from memtui.client_command import (
    apply_command,
    command_path,
    is_put_down,
    plan_command,
    plan_no_command,
)
from memtui.client_file import InstallPlan, apply_install, check_not_linked
from store.agents.client import Client, Home
from store.agents.hooks import COMMAND
from store.text.display import visible

NOTHING_OF_OURS = "has no memtui entries"
"""What is said of a file from which nothing is to be removed."""


def install_plan(
    plan: InstallPlan, command: str, what: str, advice: str, *, dry_run: bool, yes: bool
) -> bool:
    """Put `what` into a client's file as planned, and say by what `command` the client runs it,
    where that is not memtui's own name, and the `advice` on what to do next. Whether it was put
    there.
    """
    if Path(command).stem == COMMAND and command != COMMAND and not plan.is_empty:
        note(f"`{COMMAND}` is not on PATH; {command} will be run instead.")
    installed = applied(plan, f"Install the {what}?", dry_run=dry_run, yes=yes)
    if installed and advice:
        note(advice)
    return installed


def offer_command(
    client: Client, project: Path | None, *, wanted: bool | None, dry_run: bool, yes: bool
) -> None:
    """Put down a client's command `/remember` where it is `wanted`; where nobody said so (None),
    ask on a terminal. Raises as `plan_command`.
    """
    path = command_path(client, Home.of_user(), project)
    if path is None or wanted is False or (wanted is None and (yes or not can_ask())):
        return
    if project is not None:
        check_not_linked(path, project)
    plan, typed = plan_command(path), client.command.typed if client.command else ""
    if plan.is_empty and wanted is None:
        return
    question = f"Put down {typed}, by which the agent stores what its session taught?"
    if applied(plan, question, dry_run=dry_run, yes=yes, apply=apply_command):
        note(f"Type {typed} in {client.title} when a session has taught something.")


def remove_command(client: Client, project: Path | None, *, dry_run: bool, yes: bool) -> None:
    """Take a client's command `/remember` away, where it is ours. Raises `Unreadable`."""
    path = command_path(client, Home.of_user(), project)
    if path is None or not is_put_down(path):
        return
    if project is not None:
        check_not_linked(path, project)
    applied(
        plan_no_command(path), "Remove the command?", dry_run=dry_run, yes=yes, apply=apply_command
    )


def applied(
    plan: InstallPlan,
    question: str,
    *,
    dry_run: bool,
    yes: bool,
    same: str = "is up to date",
    apply: Callable[[InstallPlan], Path | None] = apply_install,
) -> bool:
    """Show a plan, ask on a terminal, and apply it; whether it was. `same` is said of a file that
    stays as it is.
    """
    if plan.is_empty:
        note(f"{plan.path} {same}.")
        return False
    say(visible(plan.diff).rstrip())
    if dry_run or not agreed(question, yes=yes):
        return False
    backup = apply(plan)
    note(f"Changed {plan.path}." + (f" Backup: {backup}." if backup else ""))
    return True
