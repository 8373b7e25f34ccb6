"""A picker of the level that memories move to: what happens at each, or why nothing can."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from memtui.formatting import count, memories
from memtui.tui.frame import routes
from memtui.tui.frame.paragraphs import plain
from memtui.tui.frame.routes import Choice
from memtui.tui.frame.theme import LEVEL_MARKS
from memtui.words.notices import sentence
from store import Memory
from store.backends.location import NO_TEAM
from store.backends.placement import level_alone
from store.errors import Conflict, StoreError
from store.model import Level, Observation

_BEGINS = "It begins in your data folder, and the app opens again with it."
_THEN = "Then move what you want."


def question_of(level: Level, then: str = _THEN) -> routes.Confirm:
    """Return the question whether a level is to begin."""
    body = plain(f"There is no memory of the level {level} yet. {_BEGINS} {then}")
    return routes.Confirm(f"Begin {level}", [body])


_MEANS: Mapping[Level, tuple[str, str]] = MappingProxyType(
    {
        Level.MINE: ("yours, in all projects", "All your projects use it."),
        Level.PROJECT: ("yours, in this project", "Only you have it, in this project."),
        Level.TEAM: ("everybody's", "Everybody gets it who has the project."),
    }
)
_HERE, _NOT_POSSIBLE = "here", "not possible"
_NAMED = 3
"""Memories that stay are named in full up to so many."""


def pick_level(memory: Memory, entries: Sequence[Observation]) -> routes.Pick[Level]:
    """Return the picker for some memories, the cursor on the first level that they can move to.

    A move to the team is planned, since what holds something of one person stays.
    """
    choices: list[Choice[Level]] = []
    about: dict[Level, str] = {}
    for level in Level:
        means, about[level] = _MEANS[level]
        try:
            state, more, is_here = _state(memory, entries, level)
            why_not = more if is_here else ""
            about[level] = f"{about[level]} {more}".strip()
        except StoreError as error:
            state, is_here = _NOT_POSSIBLE, False
            reasons = map(sentence, error.notes[:_NAMED]) if error.notes else [error.message]
            why_not = " ".join((*reasons, error.hint))
        name = f"{level:8}{LEVEL_MARKS.get(level, ' ')}  {means}"
        choices.append(Choice(level, name, state, is_chosen=is_here, why_not=why_not))
    at = next((at for at, choice in enumerate(choices) if not choice.why_not), 0)
    title = f"Move {memories(len(entries))} to"
    return routes.Pick(title, choices, about=about.__getitem__, previews=True, at=at)


def _state(memory: Memory, entries: Sequence[Observation], level: Level) -> tuple[str, str, bool]:
    """Return what happens to memories at a level: briefly, more of it, and whether it is theirs.

    Raises `StoreError` where it can't.
    """
    here = "It is of this level." if len(entries) == 1 else "All are of this level."
    if not memory.backend.levels:
        if level is level_alone(memory.location, memory.path):
            return _HERE, here, True
        if level is Level.TEAM:
            raise Conflict(*NO_TEAM)
        return "begins", f"{_BEGINS} {_THEN}", False
    moving = [entry.id for entry in entries if entry.level != level]
    if not moving:
        return _HERE, here, True
    plan = memory.plan.move(moving, level) if level is Level.TEAM else None
    stays = [sentence(note) for note in plan.notes] if plan is not None else []
    if len(moving) == len(entries) and not stays:
        return "moves" if len(moving) == 1 else "move", "", False
    named = " ".join(stays[:_NAMED])
    return f"{count(len(moving) - len(stays))} of {count(len(entries))} move", named, False
