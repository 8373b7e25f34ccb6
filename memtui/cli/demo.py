"""`memtui demo`: the app on the sample store."""

from __future__ import annotations

import click

_EPILOG = """\b
Example:
  memtui demo
"""


@click.command(epilog=_EPILOG)
def demo_command() -> None:
    """Open the app on a sample store: a parcel tracking project, told by seven agents.

    It lives in a temporary folder; change what you like, it is gone afterwards.
    """
    from memtui.startup import open_demo

    open_demo()
