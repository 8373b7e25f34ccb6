"""Where memory begins: its offer, the question, and what the answer changes."""

from __future__ import annotations

from pathlib import Path

from memtui.settings.values import Owner, read_settings, set_value
from memtui.tui.frame.paragraphs import plain
from memtui.tui.frame.routes import Choice, Pick
from memtui.tui.setup.offer import Offer
from store import Memory
from store.backends.location import FOLDER
from store.backends.placement import SETTING as PLACE_SETTING
from store.backends.placement import MemoryPlace, chosen_place, memory_at, place_of
from store.backends.user_data import project_root

_PLACES = {
    MemoryPlace.USER: "in your data folder",
    MemoryPlace.UNTRACKED: "in the project, left out by git",
    MemoryPlace.TRACKED: "in the project, for git",
}
_UNCHOSEN = (
    "Until you choose, you are asked before memory begins here. What hooks add begins in your data "
    "folder, and what commands add in the project, for git."
)
_PLACE_SENTENCES = (
    "Memory of a project that has none begins in your data folder, for each project apart, or in "
    "the project: left out by git (.git/info/exclude), or tracked, so that what agents learned is "
    "published with it.",
    f"Sets {PLACE_SETTING} for all your projects. `memtui move` moves a memory that is there.",
)


def place_offer(memory: Path) -> Offer:
    chosen = chosen_place()
    state = _PLACES[chosen] if chosen else "asked before it begins"
    sentences: tuple[str, ...] = _PLACE_SENTENCES
    if chosen is None:
        sentences = (_UNCHOSEN, *sentences)
    if memory.is_dir() and memory.parts[-2:] == FOLDER.parts:
        here = _PLACES[place_of(memory)]
        others = f" That of others begins {state}." if chosen else ""
        sentences = (f"This project's is {here}.{others}", *sentences)
        state = f"this project's is {here}"
    return Offer(
        name="place",
        title="Where memory begins",
        state=state,
        details=lambda: map(plain, sentences),
        done=chosen is not None,
        take=str,  # nothing beyond the answer
        asks_place=True,
    )


def pick_place() -> Pick[MemoryPlace]:
    """Give the place in which memory of a project that has none may begin."""
    chosen = chosen_place() or MemoryPlace.USER
    choices = [Choice(place, name, is_chosen=place is chosen) for place, name in _PLACES.items()]
    return Pick("Where may memory begin?", choices, at=list(_PLACES).index(chosen))


def keep_place(memory: Memory, place: MemoryPlace) -> str:
    """Have memory begin in a place from now on; return a sentence about it.

    Raises what `set_value` raises.
    """
    set_value(read_settings(memory), Owner.USER, PLACE_SETTING, place)
    return f"Memory begins {_PLACES[place]}."


def needs_another_place(memory: Memory) -> bool:
    """Return whether this project's memory is still to begin, and would in another place."""
    place = chosen_place()
    if place is None or not _is_to_begin(memory):
        return False
    return memory_at(project_root(memory.path), place) != memory.path


def needs_place(memory: Memory) -> bool:
    """Return whether this project's memory is still to begin, and nobody chose where."""
    return chosen_place() is None and _is_to_begin(memory)


def _is_to_begin(memory: Memory) -> bool:
    return not memory.path.exists() and memory.path.parts[-2:] == FOLDER.parts
