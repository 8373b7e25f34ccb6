"""Changing a client's file from the command line: the diff, the question, and what was done."""

from __future__ import annotations

from pathlib import Path

from memtui.cli.output import note, say
from memtui.cli.plans import agreed
from memtui.client_file import InstallPlan, apply_install
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


def applied(
    plan: InstallPlan, question: str, *, dry_run: bool, yes: bool, same: str = "is up to date"
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
    backup = apply_install(plan)
    note(f"Changed {plan.path}." + (f" Backup: {backup}." if backup else ""))
    return True
