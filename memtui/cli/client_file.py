"""Changing a client's files from the command line: the diff, the question, and what was done."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

from memtui.cli.output import note, say
from memtui.cli.plans import agreed, can_ask
from memtui.client_file import (
    EntryFile,
    InstallPlan,
    apply_install,
    check_not_linked,
    command_in_use,
    plan_install,
    plan_uninstall,
    text_there,
)
from memtui.words.remember import ABOUT, TEXT
from store.agents.client import Client, Home
from store.agents.hooks import COMMAND
from store.errors import Conflict
from store.text.display import visible

_MARK = "memtui put this down; `memtui hooks uninstall` or `memtui mcp uninstall` takes it away."


class RememberFile:
    """The file of a client's command `/remember`, which is all ours."""

    backup_suffix = ".memtui-command-backup"

    def with_ours(self, text: str, path: Path, command: str) -> str:
        """Return the command as the client reads it, by the name of its file: TOML, or Markdown.

        Raises `Conflict` where somebody else's command has its name.
        """
        if text and _MARK not in text:
            raise Conflict(
                f"{path} is a command of somebody else's; it stays as it is.", "Rename it first."
            )
        if path.suffix == ".toml":
            return f"# {_MARK}\ndescription = {json.dumps(ABOUT)}\nprompt = '''\n{TEXT}'''\n"
        return f"---\nname: remember\ndescription: {ABOUT}\n---\n\n<!-- {_MARK} -->\n\n{TEXT}"

    def without_ours(self, text: str, path: Path) -> str:
        return "" if _MARK in text else text

    def is_equivalent(self, one: str, other: str) -> bool:
        return one == other


def command_path(client: Client, project: Path | None = None) -> Path | None:
    """Return the file of a client's command: the user's, or a project's; None where it has none."""
    return client.command.file(Home.of_user(), project) if client.command is not None else None


def is_put_down(path: Path) -> bool:
    """Return whether the command is there, and is ours. Raises `Unreadable`."""
    return _MARK in (text_there(path) or "")


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
    path = command_path(client, project)
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
    path = command_path(client, project)
    if path is None or not is_put_down(path):
        return
    uninstall(RememberFile(), path, project, "command", dry_run=dry_run, yes=yes)
    if path.name == "SKILL.md":  # a folder of its own
        with suppress(OSError):
            path.parent.rmdir()


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
