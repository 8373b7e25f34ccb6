"""`memtui demo`: the app on the sample store."""

from __future__ import annotations

import click

from memtui.startup import open_demo

_EPILOG = """\b
Example:
  memtui demo
"""


@click.command(epilog=_EPILOG)
def demo_command() -> None:
    """Open the app on sample data: a parcel tracking project with seven agents.

    Lives in a temporary folder, deleted when you quit. Change anything you like.
    """
    open_demo()
