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
    from datetime import UTC, datetime
    from functools import partial
    from pathlib import Path
    from tempfile import TemporaryDirectory

    from memtui.startup import check_terminal

    check_terminal()
    from memtui.sample import write_sample_store
    from memtui.tui.app import MemtuiApp
    from store.pipeline import open_memory

    with TemporaryDirectory(prefix="memtui-demo-") as name:
        cache = Path(name) / "cache"
        folder = Path(name) / "heron" / ".agentx" / "memory"
        write_sample_store(folder, datetime.now(UTC), cache=cache)
        app = MemtuiApp(folder, place="demo", open_memory=partial(open_memory, cache=cache))
        try:
            app.run()
        finally:
            app.close_memory()
