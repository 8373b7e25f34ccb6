"""`memtui sessions earlier`, `adopt` and `refuse`: folders that the project may have had before."""

from __future__ import annotations

from collections.abc import Sequence
from os.path import normpath
from pathlib import Path

import click

from memtui.cli.memory import memory_or_new, opened_at
from memtui.cli.options import dir_option, json_option, never_asks_option
from memtui.cli.output import note, one_line, paint, print_json, print_line
from memtui.formatting import plural
from memtui.words.notices import sentence
from store.agents.client import Home
from store.agents.ownership import Earlier
from store.platform.home import expanded

_INDENT = "  "
_MOST_OFFERED = 3
"""Earlier folders that the list of sessions names."""


@click.command("earlier")
@json_option
@dir_option
def earlier_command(as_json: bool) -> None:
    """List folders that this project may have had before.

    Folders that were moved, renamed or deleted, and names that fit several, each with why.
    """
    with opened_at(memory_or_new(adding=False)) as memory:
        found = memory.session_files.earlier_folders(Home.of_user())
    if as_json:
        print_json(
            [
                {
                    "folder": str(earlier.folder),
                    "sessions": len(earlier.files),
                    "standing": str(earlier.standing),
                    "answered": earlier.is_answered,
                    "why": [sentence(reason) for reason in earlier.reasons],
                }
                for earlier in found
            ]
        )
        return
    for earlier in found:
        print_line(f"{paint(_state(earlier), bold=True)}  {one_line(str(earlier.folder))}")
        print_line(
            paint(f"{_INDENT}{plural(len(earlier.files), 'session')}{_reasons(earlier)}", dim=True)
        )
    if not found:
        note("No earlier folder of this project found.")
    elif any(earlier.standing == "offered" for earlier in found):
        note("`memtui sessions adopt FOLDER` counts them as this project's, `refuse` does not.")


@click.command("adopt")
@click.argument("place", metavar="FOLDER", type=click.Path(path_type=Path))
@click.option("--undo", "is_undo", is_flag=True, help="Take back what was said of FOLDER.")
@never_asks_option
@dir_option
def adopt_command(place: Path, is_undo: bool) -> None:
    """Count what ran in FOLDER as this project's sessions.

    FOLDER is where the project was before, or a client's folder of sessions. Of another home
    folder, all projects in it are taken for those of the same path in yours. It is remembered.
    """
    home, chosen = Home.of_user(), _absolute(place)
    with opened_at(memory_or_new(adding=False)) as memory:
        if is_undo:
            memory.session_files.forget_answer(home, chosen)
            note(f"{chosen} is undecided again.")
            return
        memory.session_files.adopt(home, chosen)
        found = next(
            (
                earlier
                for earlier in memory.session_files.earlier_folders(home)
                if earlier.folder == chosen
            ),
            None,
        )
    number = plural(len(found.files) if found else 0, "session")
    note(f"Adopted {chosen}: {number}. Undo with `memtui sessions adopt {place} --undo`.")


@click.command("refuse")
@click.argument("place", metavar="FOLDER", type=click.Path(path_type=Path))
@never_asks_option
@dir_option
def refuse_command(place: Path) -> None:
    """Leave what ran in FOLDER out, and don't offer it again."""
    chosen = _absolute(place)
    with opened_at(memory_or_new(adding=False)) as memory:
        memory.session_files.refuse(Home.of_user(), chosen)
    note(f"Refused {chosen}. Undo with `memtui sessions adopt {place} --undo`.")


def print_offered(offered: Sequence[Earlier]) -> None:
    """Print which earlier folders may be of this project, and how to adopt or refuse them."""
    for earlier in offered[:_MOST_OFFERED]:
        number, folder = plural(len(earlier.files), "session"), one_line(str(earlier.folder))
        note(f"{number} of {folder} may be of this project{_reasons(earlier)}.")
    if offered:
        note("`memtui sessions adopt FOLDER` takes them, `memtui sessions refuse FOLDER` does not.")


def _state(earlier: Earlier) -> str:
    """Return the state of an earlier folder in a word: `adopted` where a person decided."""
    if earlier.is_answered and earlier.standing == "taken":
        return "adopted"
    return str(earlier.standing)


def _reasons(earlier: Earlier) -> str:
    return one_line("".join(f" · {sentence(reason)}" for reason in earlier.reasons))


def _absolute(place: Path) -> Path:
    return Path(normpath(expanded(place).absolute()))
