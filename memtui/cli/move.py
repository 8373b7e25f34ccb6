"""`memtui move`: keep this project's memory elsewhere."""

from __future__ import annotations

from pathlib import Path

import click

from memtui.cli.init import PLACES
from memtui.cli.install_options import yes_option
from memtui.cli.memory import dir_option, find_folder
from memtui.cli.output import note
from memtui.cli.plans import agreed
from memtui.formatting import shown_path
from store.backends import Location
from store.backends.placement import MemoryPlace

_EPILOG = f"""\b
Places:
{PLACES}
\b
Examples:
  memtui move user           out of the project
  memtui move tracked        into it, for the team
"""


@click.command(epilog=_EPILOG)
@click.argument("place", type=click.Choice([str(it) for it in MemoryPlace]))
@yes_option
@dir_option
def move_command(place: str, yes: bool, folder: Location | None) -> None:
    """Move this project's memory to PLACE: all of it, with its journal and settings.

    Moving it back undoes it. Close the app and end sessions of the project first.
    """
    from store.backends.placement import move_memory, place_of
    from store.platform.git_command import ask_git

    memory, chosen = find_folder(folder), MemoryPlace(place)
    before = place_of(memory)
    if before is chosen:
        note(f"{shown_path(memory)} is {place} already.")
        return
    tracked = ask_git(memory, ["ls-files", "-z", "--", "."]) or b""
    if not agreed(f"Move {shown_path(memory)} ({before}) to {place}?", yes=yes):
        return
    target = move_memory(memory, Path.cwd(), chosen)
    note(f"Memory is in {shown_path(target)}. Undo with `memtui move {before}`.")
    if tracked and chosen is not MemoryPlace.TRACKED:
        note("git tracks its files still: `git rm -r --cached .agentx/memory` and commit that.")
