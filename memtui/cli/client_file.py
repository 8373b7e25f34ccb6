"""Changing a client's file from the command line: the diff, the question, and what was done."""

from __future__ import annotations

from memtui.cli.changes import agreed
from memtui.cli.output import note, say
from memtui.client_file import InstallPlan, apply_install
from store.text import visible


def applied(plan: InstallPlan, question: str, *, dry_run: bool, yes: bool) -> bool:
    """Show a plan, ask on a terminal, and apply it; whether it was."""
    if plan.is_empty:
        note(f"{plan.path} is up to date.")
        return False
    say(visible(plan.diff).rstrip())
    if dry_run or not agreed(question, yes=yes):
        return False
    backup = apply_install(plan)
    note(f"Changed {plan.path}." + (f" Backup: {backup}." if backup else ""))
    return True
