"""`memtui init` and `move`: where this project's memory begins, and where it goes."""

from __future__ import annotations

from pathlib import Path

import click

from memtui.cli.memory import find_folder
from memtui.cli.options import dir_option, never_asks_option, yes_option
from memtui.cli.output import note, one_line
from memtui.cli.plans import is_question_agreed
from memtui.formatting import shown_path
from store.backends.location import begun_store
from store.backends.moving import move_memory
from store.backends.placement import MemoryPlace, place_of, prepare_place
from store.errors import Conflict
from store.platform.git_command import ask_git
from store.platform.write import make_folder

_PLACES = """\b
  user       your data folder, apart from other projects; nothing is written in the project
  untracked  .agentx/memory in the project, left out by git (.git/info/exclude)
  tracked    .agentx/memory in the project, for git: a team shares it
"""
_EPILOG = f"""\b
Places:
{_PLACES}
\b
Examples:
  memtui init                in the project, left out by git
  memtui init tracked        in the project, for the team
"""
_MOVE_EPILOG = f"""\b
Places:
{_PLACES}
\b
Examples:
  memtui move user           out of the project
  memtui move tracked        into it, for the team
"""


@click.command(epilog=_EPILOG)
@click.argument(
    "place",
    type=click.Choice([str(item) for item in MemoryPlace]),
    default=str(MemoryPlace.UNTRACKED),
)
@never_asks_option
def init_command(place: str) -> None:
    """Start the memory of this project in PLACE (default: untracked).

    Hooks start it in your data folder by themselves, or as the setting `memory_place` has it.
    """
    here = Path.cwd()
    if (found := begun_store(here)) is not None:
        raise Conflict(
            f"This project has a memory at {shown_path(found)}.", "Move it with `memtui move`."
        )
    path = prepare_place(here, MemoryPlace(place))
    make_folder(path)
    note(f"Memory starts in {shown_path(path)}. `memtui move` puts it elsewhere.")
    _note_if_ignored(path, MemoryPlace(place))


@click.command(epilog=_MOVE_EPILOG)
@click.argument("place", type=click.Choice([str(item) for item in MemoryPlace]))
@yes_option
@dir_option
def move_command(place: str, yes: bool) -> None:
    """Move this project's memory to PLACE: all of it, with its journal and settings.

    Moving it back undoes it. Close the app and end sessions of the project first.
    """
    memory, chosen = find_folder(), MemoryPlace(place)
    before = place_of(memory)
    if before is chosen:
        note(f"{shown_path(memory)} is {place} already.")
        return
    tracked = ask_git(memory, ["ls-files", "-z", "--", "."]) or b""
    if not is_question_agreed(f"Move {shown_path(memory)} ({before}) to {place}?", yes=yes):
        return
    target = move_memory(memory, Path.cwd(), chosen)
    note(f"Memory is in {shown_path(target)}. Undo with `memtui move {before}`.")
    _note_if_ignored(target, chosen)
    if tracked and chosen is not MemoryPlace.TRACKED:
        note("git tracks its files still: `git rm -r --cached .agentx/memory` and commit that.")


def _note_if_ignored(memory: Path, wanted: MemoryPlace) -> None:
    """Note it where git ignores what it is to track."""
    ignored = ask_git(memory.parent, ["check-ignore", "-v", str(memory / "issue-0.json")])
    if wanted is MemoryPlace.TRACKED and ignored:
        rule = ignored.decode("utf-8", "replace").partition("\t")[0]
        note(one_line(f"git leaves it out all the same, by a rule of yours: {rule}"))
