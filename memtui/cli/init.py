"""`memtui init`: have the memory of this project begin, in a place that one chooses."""

from __future__ import annotations

from pathlib import Path

import click

from memtui.cli.install_options import never_asks_option
from memtui.cli.output import note
from memtui.formatting import shown_path
from store.backends.placement import MemoryPlace
from store.errors import Conflict

PLACES = """\b
  user       your data folder, apart from other projects; nothing is written in the project
  untracked  .agentx/memory in the project, left out by git (.git/info/exclude)
  tracked    .agentx/memory in the project, for git: a team shares it
"""
_EPILOG = f"""\b
Places:
{PLACES}
\b
Examples:
  memtui init                in the project, left out by git
  memtui init tracked        in the project, for the team
"""


@click.command(epilog=_EPILOG)
@click.argument(
    "place", type=click.Choice([str(it) for it in MemoryPlace]), default=str(MemoryPlace.UNTRACKED)
)
@never_asks_option
def init_command(place: str) -> None:
    """Start the memory of this project in PLACE (default: untracked).

    Hooks start it in your data folder by themselves, or where the `memory_place` setting says.
    """
    from store.backends.location import nearest_store
    from store.backends.placement import prepare_place
    from store.platform.write import make_folder

    here = Path.cwd()
    if (found := nearest_store(here)) is not None:
        raise Conflict(
            f"This project has a memory at {shown_path(found)}.", "Move it with `memtui move`."
        )
    path = prepare_place(here, MemoryPlace(place))
    make_folder(path)
    note(f"Memory starts in {shown_path(path)}. `memtui move` puts it elsewhere.")
