"""Finding and opening the memory that a command works on."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

import store
from memtui.cli.output import note, note_problem, progress
from memtui.formatting import shown_path
from memtui.read_only import name_store
from store.backends import Location, shown_location
from store.backends.location import FOLDER, find_store, levels_at, named_store, own_place
from store.backends.off import check_on
from store.backends.placement import memory_to_begin
from store.backends.user_data import mine_memory
from store.errors import NoMemory
from store.model import Level
from store.platform.home import expanded

if TYPE_CHECKING:
    from store import Memory

DIR = "memtui.dir"
"""The place of the value of `--dir` in the context of a command."""
_IN_STEP = "The index was updated from the files."


def find_memory() -> Location:
    """Return the memory to work on. Raises `NoMemory` with what to do instead.

    `--dir` wins, then MEMTUI_DIR, then the nearest above.
    """
    folder = folder_named()
    return named_store(folder) if folder else find_store(Path.cwd())


def find_folder(level: Level | None = None) -> Path:
    """As `find_memory`, for what only files have. Raises `NoMemory` for a database.

    Of several levels it is the one that is asked for, else the one that has the log and the texts.
    """
    found = own_place(find_memory(), level)
    if isinstance(found, Path):
        return found
    raise NoMemory(
        f"The memory in {shown_location(found)} has no files.", "Give a folder with --dir."
    )


def levels_here() -> Location:
    """Return the memory to work on with all its levels, those that are still to begin included.

    A memory that is named is opened alone. Raises as `find_memory`.
    """
    if _named():
        return find_memory()
    check_on(Path.cwd(), os.environ)
    return levels_at(Path.cwd())


def memory_or_new(*, adding: bool = True) -> Location:
    """Return the memory to add to; where there is none, the one to start, which is noted once it
    exists.

    `adding`: a folder that is named may be new. Raises `NoMemory` where it can't hold one.
    """
    try:
        return find_memory()
    except NoMemory:
        if named := _named():
            path = expanded(named).absolute()
            if not path.is_dir() and (not adding or os.path.lexists(path)):
                raise
            path = _new_at(path, may_be_itself=True)
        else:
            path = memory_to_begin(Path.cwd())
        if adding and (context := click.get_current_context(silent=True)):
            context.call_on_close(lambda: _note_new(path))
        return path


def place_named(location: Location) -> Location:
    """Return the memory that a location names; where there is none, the one to start there: in the
    project of a folder that is there, an empty one too, so that memory is found by whoever works in
    it.

    Raises `NoMemory` for what is no folder.
    """
    try:
        return named_store(location)
    except NoMemory:
        path = expanded(location).absolute()
        if os.path.lexists(path) and not path.is_dir():
            raise
        return _new_at(path)


def _new_at(path: Path, *, may_be_itself: bool = False) -> Path:
    """Return where a memory begins that is to be at a path: in the project that is there.

    An empty folder may be meant to be the memory itself.
    """
    if not path.exists() or (may_be_itself and not any(path.iterdir())):
        return path
    return path / FOLDER


def _note_new(path: Path) -> None:
    """Note where a memory began, if it did: a plan alone, or nothing to add, starts none."""
    try:
        note(f"No memory yet; created in {shown_path(named_store(path))}.")
    except NoMemory:
        return


def folder_named() -> Location | None:
    """Return the value of `--dir`, after the command's name, else before it."""
    context = click.get_current_context(silent=True)
    return context.meta.get(DIR) if context else None


def _named() -> Location:
    """Return the memory that is named by `--dir` or `MEMTUI_DIR`; empty for none."""
    return folder_named() or os.environ.get("MEMTUI_DIR", "")


@contextmanager
def opened(*, searchable: bool = False, needs_memory: bool = True) -> Iterator[Memory]:
    """The memory, opened; settled and closed at the end, with a word on what could not be read.

    `searchable`: its index is brought in step with the files first, with a word on how far it is
    where that takes long. Unless the command `needs_memory`, one that is still to begin is opened
    where there is none.
    """
    with opened_at(_memory_or_mine(needs_memory=needs_memory)) as memory:
        if searchable:
            with progress("Reading memory", "issues", _IN_STEP) as tell:
                memory.index.refresh(tell)
        try:
            yield memory
        finally:
            # Whatever was made of the files, an answer or a plan, is not whole without these.
            _note_problems(memory)


def _memory_or_mine(*, needs_memory: bool) -> Location:
    """Return the memory to work on; in a project that has none, the user's own, if there is any,
    else where one would begin, unless the command `needs_memory`.

    Raises `NoMemory`.
    """
    try:
        return find_memory()
    except NoMemory:
        if not _named() and mine_memory().is_dir():
            return levels_at(Path.cwd())
        if needs_memory:
            raise
        return memory_or_new(adding=False)


def chosen_ids(memory: Memory, identifiers: Sequence[str], query: str | None) -> Sequence[str]:
    """Return the given ids, or those of all memories that `--query` finds.

    Raises `click.UsageError` unless there is one of both, or for a query that matches everything.
    """
    if bool(identifiers) == (query is not None):
        given = "not both" if identifiers else "to say which memories"
        raise click.UsageError(f"Give IDs or --query, {given}.")
    if query is None:
        return identifiers
    found = memory.search_ids(query)
    if memory.parse_query(query).matches_everything:
        raise click.UsageError(f"--query {query!r} matches everything. Narrow it down.")
    return found


def _note_problems(memory: Memory) -> None:
    """Note what could not be read when the files were last looked at."""
    for problem in memory.problems:
        if problem.is_restored:
            note(f"{problem.message} Run `memtui doctor --repair` to merge it.")
    if problems := [problem for problem in memory.problems if not problem.is_restored]:
        more = f" And {len(problems) - 1:,} more." if len(problems) > 1 else ""
        note(
            f"Some memories could not be read: {problems[0].message}{more} "
            "Run `memtui doctor` for details."
        )


@contextmanager
def opened_at(path: Location) -> Iterator[Memory]:
    """The memory at this place, which may be a new one; settled and closed at the end."""
    with name_store(path), store.open_memory(path) as memory:
        memory.on_problem(note_problem)
        yield memory
    if memory.index.notice:
        from memtui.words.notices import sentence

        note(sentence(memory.index.notice))
