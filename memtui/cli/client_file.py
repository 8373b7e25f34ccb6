"""Changing a client's files from the command line: the diff, the question, and what was done."""

from __future__ import annotations

from pathlib import Path

from memtui.cli.output import note, say
from memtui.cli.plans import agreed, can_ask
from memtui.client_command import RememberFile, command_path, is_put_down
from memtui.client_file import (
    EntryFile,
    InstallPlan,
    apply_install,
    check_not_linked,
    command_in_use,
    plan_install,
    plan_uninstall,
)
from store.agents.client import Client, Home
from store.agents.hooks import COMMAND
from store.text.display import visible


def install(
    file: EntryFile, path: Path, project: Path | None, what: str, *, dry_run: bool, yes: bool
) -> bool:
    """Put `what` into a client's file once agreed, and say by what command the client runs it,
    where that is not memtui's own name. Return whether it was put there.
    """
    if project is not None:
        check_not_linked(path, project)
    command = command_in_use(shared=project is not None)
    plan = plan_install(file, path, command)
    if Path(command).stem == COMMAND and command != COMMAND and not plan.is_empty:
        note(f"`{COMMAND}` is not on PATH; {command} will be run instead.")
    return _applied(plan, f"Install the {what}?", dry_run=dry_run, yes=yes)


def uninstall(
    file: EntryFile, path: Path, project: Path | None, what: str, *, dry_run: bool, yes: bool
) -> None:
    """Take `what` out of a client's file once agreed."""
    if project is not None:
        check_not_linked(path, project)
    plan = plan_uninstall(file, path)
    same = "has no memtui entries"
    _applied(plan, f"Remove the {what}?", dry_run=dry_run, yes=yes, same=same)


def offer_command(
    client: Client, project: Path | None, *, wanted: bool | None, dry_run: bool, yes: bool
) -> None:
    """Put down a client's command `/remember` where it is `wanted`; where nobody said so (None),
    ask on a terminal. Raises `Conflict`.
    """
    path = command_path(client, Home.of_user(), project)
    if path is None or wanted is False or (wanted is None and (yes or not can_ask())):
        return
    if project is not None:
        check_not_linked(path, project)
    plan, typed = plan_install(RememberFile(), path), client.command.typed if client.command else ""
    if plan.is_empty and wanted is None:
        return
    question = f"Put down {typed}, by which the agent stores what its session taught?"
    if _applied(plan, question, dry_run=dry_run, yes=yes):
        note(f"Type {typed} in {client.title} when a session has taught something.")


def remove_command(client: Client, project: Path | None, *, dry_run: bool, yes: bool) -> None:
    """Take a client's command `/remember` away, where it is ours. Raises `Unreadable`."""
    path = command_path(client, Home.of_user(), project)
    if path is None or not is_put_down(path):
        return
    uninstall(RememberFile(), path, project, "command", dry_run=dry_run, yes=yes)


def _applied(
    plan: InstallPlan, question: str, *, dry_run: bool, yes: bool, same: str = "is up to date"
) -> bool:
    """Show a plan, ask on a terminal, and apply it; return whether it was. `same` is said of a file
    that stays as it is.
    """
    if plan.is_empty:
        note(f"{plan.path} {same}.")
        return False
    say(visible(plan.diff).rstrip())
    if dry_run or not agreed(question, yes=yes):
        return False
    backup = apply_install(plan)
    note(f"Changed {plan.path}." + (f" Backup: {backup}." if backup else ""))
    return True
