"""A change to several files of a vault, made in one instant.

What each file was and is to hold is first written durably to one file, and from then on it holds:
whoever reads the vault reads it over the others. A crash in between loses nothing: the next who
changes the vault goes on where it ended. What was edited by hand meanwhile is left as it is.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from store.backends.vault.layout import ARCHIVE, SIDE, SIDECAR, is_note_path
from store.digest import blake2b
from store.disk.move import remove_file
from store.disk.read import read_bytes
from store.disk.write import make_folder, replace_durably, replace_several
from store.errors import Unreadable

NAME = f"{SIDE}/pending/vault.json"
_SIDECAR = f"{SIDE}/{SIDECAR}"
_Change = Mapping[str, bytes | None]


def read_pending(folder: Path) -> dict[str, bytes | None]:
    """The change that is not in the vault's files yet; empty where there is none.

    Files that are no longer what they were then are left out. Raises `Unreadable`.
    """
    try:
        files = json.loads(read_bytes(folder / NAME, folder))["files"]
        told = {str(path): (str(it["was"]), it["is"]) for path, it in files.items()}
        changes = {
            path: None if text is None else str(text).encode("utf-8")
            for path, (_, text) in told.items()
        }
    except FileNotFoundError:
        return {}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise Unreadable(f"{NAME} is damaged.", "Run `memtui doctor --repair`.") from error
    for path in changes:
        _check(path)
    return {path: it for path, it in changes.items() if digest(folder, path) == told[path][0]}


def make_changes(folder: Path, changes: _Change) -> None:
    """Change several files in one instant, durably. Raises `ReadOnly`, `WriteFailed`."""
    files = {
        path: {"was": digest(folder, path), "is": None if data is None else data.decode("utf-8")}
        for path, data in changes.items()
    }
    path = folder / NAME
    make_folder(path.parent)
    text = json.dumps({"version": 1, "files": files}).encode("ascii")
    replace_durably(path, text, folder)
    _write(folder, changes, ())


def complete(folder: Path) -> None:
    """Write what an interrupted change left to be written. Raises as writing does.

    What it wrote itself may not have lasted yet: the names of all its files are synced.
    """
    if (folder / NAME).exists():
        left = read_pending(folder)
        _write(folder, left, json.loads(read_bytes(folder / NAME, folder))["files"])


def digest(folder: Path, path: str) -> str:
    """What a file is just now, short; empty where there is none. Raises `Unreadable`."""
    try:
        return blake2b(read_bytes(folder / path, folder), digest_size=16).hexdigest()
    except FileNotFoundError:
        return ""


def _write(folder: Path, changes: _Change, written: Iterable[str]) -> None:
    for path, data in changes.items():
        if data is not None:
            make_folder((folder / path).parent)
    also = [folder / path for path in written]
    replace_several({folder / path: data for path, data in changes.items()}, folder, also)
    remove_file(folder / NAME, folder)


def _check(path: str) -> None:
    """Raise `Unreadable` for a path that no change of a vault names."""
    if path != _SIDECAR and not is_note_path(path.removeprefix(f"{ARCHIVE}/")):
        raise Unreadable(f"{NAME} names a file that is not the vault's.", "Remove it.")
