"""Moving the memory of a project to another place."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

from store.backends.files.locks import StoreLock
from store.backends.location import FOLDER
from store.backends.placement import MemoryPlace, exclude, memory_at, prepare_place
from store.backends.user_data import project_root
from store.errors import Conflict, NotFound, WriteFailed
from store.platform.write import make_folder
from store.settings.files import PROJECT_FILE


def move_memory(memory: Path, start: Path, place: MemoryPlace) -> Path:
    """Move a project's memory to another place, with its journal, its log and its settings; there,
    everything finds it as before. Returns its new folder.

    Who writes meanwhile is waited for. Until all of it is there, nothing is taken away. Raises
    `Conflict` where another is there, `NotFound` for no memory of a project, `LockTimeout`, and
    as `prepare_place`.
    """
    if memory.parts[-2:] != FOLDER.parts:
        raise NotFound(f"{memory} is not the memory of a project.", "Use `memtui migrate`.")
    root = project_root(memory)
    with StoreLock(memory).hold():  # one that is moved meanwhile can't be held
        target = _move_held(memory, root, place)
    shutil.rmtree(_aside(memory), ignore_errors=True)
    if memory.parent.is_dir() and not any(memory.parent.iterdir()):
        memory.parent.rmdir()
    return target


def _move_held(memory: Path, root: Path, place: MemoryPlace) -> Path:
    target = memory_at(root, place)
    if target != memory and target.exists() and any(target.iterdir()):
        raise Conflict(
            f"{target} has a memory already; nothing was moved.", "Import one into the other."
        )
    prepare_place(root, place)
    if target == memory:
        return target
    make_folder(target.parent)
    if target.exists():
        target.rmdir()
    _move(memory, target)
    settings, new_settings = memory.parent / PROJECT_FILE, target.parent / PROJECT_FILE
    if settings.is_file() and not new_settings.exists():
        _move(settings, new_settings)
    if place is MemoryPlace.USER:
        exclude(root, is_excluded=False)
    return target


def _move(source: Path, target: Path) -> None:
    """Move a file or folder, to another disk too: then by a whole copy first."""
    try:
        source.rename(target)
        return
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise WriteFailed(
                f"{source} could not be moved: {error.strerror}.", "It is unchanged."
            ) from error
    part = target.with_name(f".{target.name}.moving")
    try:
        if source.is_dir():
            shutil.copytree(source, part, symlinks=True)
        else:
            shutil.copy2(source, part)
        os.sync()
        part.rename(target)
    except OSError as error:
        shutil.rmtree(part, ignore_errors=True)
        raise WriteFailed(
            f"{source} could not be copied: {error.strerror}.", "It is unchanged."
        ) from error
    if source.is_dir():
        source.rename(_aside(source))  # what is open in it, on some disks, can't be removed yet
    else:
        source.unlink()


def _aside(memory: Path) -> Path:
    """Return the folder of a memory that was copied to another disk, until it is removed."""
    return memory.with_name(f".{memory.name}.moved")
