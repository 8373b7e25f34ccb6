"""Changing a client's file from the command line: the diff, the question, and what was done."""

from __future__ import annotations

import click

from memtui.cli.changes import can_ask, refuse_unasked
from memtui.cli.output import note, say
from memtui.client_file import InstallPlan, apply_install
from store.text import visible


def applied(plan: InstallPlan, question: str, *, dry_run: bool, yes: bool) -> bool:
    """Show a plan, ask on a terminal, and apply it; whether it was."""
    if plan.is_empty:
        note(f"{plan.path} is up to date.")
        return False
    say(visible(plan.diff).rstrip())
    if dry_run:
        return False
    if not yes:
        if not can_ask():
            refuse_unasked()
        if not click.confirm(question, default=True, err=True):
            note("Nothing changed.")
            return False
    backup = apply_install(plan)
    note(f"Changed {plan.path}." + (f" Backup: {backup}." if backup else ""))
    return True
