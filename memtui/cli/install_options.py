"""The options of the commands that put memtui into another program's settings, or take it out."""

from __future__ import annotations

from pathlib import Path

import click

project_option = click.option(
    "--project",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Use this project's settings instead of yours.",
)
dry_run_option = click.option("--dry-run", is_flag=True, help="Show the diff; change nothing.")
remember_option = click.option(
    "--remember/--no-remember",
    default=None,
    help="Also put down the command /remember, by which the agent stores what its session taught. "
    "Asked for on a terminal.",
)
never_asks_option = click.option(
    "--yes", "-y", is_flag=True, expose_value=False, help="Accepted: nothing is asked."
)
"""For a command that changes something at once: a script may say yes to every change."""
yes_option = click.option(
    "--yes", "-y", is_flag=True, help="Don't ask; required without a terminal."
)
