"""Changing a client's files from the command line: the diff, the question, and what was done."""

from __future__ import annotations

from pathlib import Path

from memtui.cli.options import FileOptions
from memtui.cli.output import note
from memtui.cli.plans import can_ask, is_change_agreed
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
from memtui.formatting import shown_path
from store.agents.client import Client, Home
from store.agents.hooks import COMMAND


def install(file: EntryFile, path: Path, what: str, options: FileOptions) -> bool:
    """Put `what` into a client's file once agreed; return whether it was.

    Notes the command by which the client runs memtui, where that is not memtui's own name.
    """
    _check_not_linked(path, options)
    command = command_in_use(shared=options.project is not None)
    plan = plan_install(file, path, command)
    if Path(command).stem == COMMAND and command != COMMAND and not plan.is_empty:
        note(f"`{COMMAND}` is not on PATH; {command} will be run instead.")
    return _applied(plan, f"Install the {what}?", options)


def uninstall(file: EntryFile, path: Path, what: str, options: FileOptions) -> None:
    """Remove `what` from a client's file once agreed."""
    _check_not_linked(path, options)
    plan = plan_uninstall(file, path)
    _applied(plan, f"Remove the {what}?", options, unchanged="has no memtui entries")


def offer_command(client: Client, options: FileOptions, *, wanted: bool | None) -> None:
    """Install a client's command `/remember` where it is `wanted`; for None, ask on a terminal.
    Raises `Conflict`.
    """
    path = command_path(client, Home.of_user(), options.project)
    is_left = wanted is False or (wanted is None and (options.yes or not can_ask()))
    if path is None or client.command is None or is_left:
        return
    _check_not_linked(path, options)
    plan, typed = plan_install(RememberFile(), path), client.command.typed
    if plan.is_empty and wanted is None:
        return
    question = f"Put down {typed}, by which the agent stores what its session taught?"
    if _applied(plan, question, options):
        note(f"Type {typed} in {client.title} when a session has taught something.")


def remove_command(client: Client, options: FileOptions) -> None:
    """Remove a client's command `/remember`, where it is ours. Raises `Unreadable`."""
    path = command_path(client, Home.of_user(), options.project)
    if path is not None and is_put_down(path):
        uninstall(RememberFile(), path, "command", options)


def _check_not_linked(path: Path, options: FileOptions) -> None:
    if options.project is not None:
        check_not_linked(path, options.project)


def _applied(
    plan: InstallPlan, question: str, options: FileOptions, *, unchanged: str = "is up to date"
) -> bool:
    """Show a plan, ask on a terminal, and apply it; return whether it was."""
    if not is_change_agreed(
        plan,
        question,
        dry_run=options.dry_run,
        yes=options.yes,
        unchanged=f"{shown_path(plan.path)} {unchanged}.",
    ):
        return False
    backup = apply_install(plan)
    kept = f" Backup: {shown_path(backup)}." if backup else ""
    note(f"Changed {shown_path(plan.path)}.{kept}")
    return True
