"""Changing one setting in its file, everything else in it left as it is, comments too."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit import TOMLDocument
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import Table

from store.errors import Conflict, WriteFailed
from store.platform.bounds import read_regular
from store.platform.home import check_home
from store.platform.links import real_path
from store.settings.values import spellings


@dataclass(frozen=True, slots=True)
class FileChange:
    """A change to a settings file: its text before and after; None where there is no file."""

    path: Path
    before: str | None
    after: str | None

    @property
    def is_changed(self) -> bool:
        return self.before != self.after


def keep_setting(
    path: Path, name: str, value: str | float | bool | Mapping[str, Any]
) -> FileChange:
    """Set a setting in a file of settings, which is made where there is none.

    Raises `WriteFailed`; then the file is as it was. Raises `StoreError` without a home.
    """

    def keep(text: str) -> str:
        document = tomlkit.parse(text)
        spelled = _spelled(document, name)
        if spelled in document:
            _put(document, spelled, value)
            return document.as_string()
        entry = tomlkit.document()
        _put(entry, name, value)
        newline = "\r\n" if "\r\n" in text else "\n"
        return f"{entry.as_string().strip()}{newline}{text}"  # before any table

    return _change(path, keep)


def reset_setting(path: Path, name: str) -> FileChange:
    """Take a setting out of a file of settings. Raises `WriteFailed`; then it is as it was."""

    def drop(text: str) -> str:
        document = tomlkit.parse(text)
        document.pop(_spelled(document, name), None)
        return document.as_string()

    return _change(path, drop)


def take_back(change: FileChange) -> FileChange:
    """Give a settings file the text it had before a change.

    Raises `Conflict` where it was changed since, `WriteFailed`.
    """
    if _read(change.path) != change.after:
        raise Conflict(f"{change.path} has changed since.", "Edit it with `memtui config edit`.")
    _write(change.path, change.before)
    return FileChange(change.path, change.after, change.before)


def _change(path: Path, edit: Callable[[str], str]) -> FileChange:
    check_home(path)
    before = _read(path)
    try:
        after: str | None = edit(before or "")
    except TOMLKitError as error:
        raise WriteFailed(f"{path} is not valid TOML: {error}.", "Fix the file first.") from error
    change = FileChange(path, before, None if before is None and not after else after)
    if change.is_changed:
        _write(path, change.after)
    return change


def _put(document: TOMLDocument, name: str, value: object) -> None:
    """Set one value; of a table that is there, what it holds, so that its spelling stays."""
    there = document.get(name)
    if isinstance(value, dict) and isinstance(there, Table):
        for key in [key for key in there if key not in value]:
            del there[key]
        there.update({key: item for key, item in value.items() if there.get(key) != item})
    elif isinstance(value, dict):
        inline = tomlkit.inline_table()
        inline.update(value)
        document[name] = inline
    else:
        document[name] = value


def _spelled(document: TOMLDocument, name: str) -> str:
    """Return the name of a setting in the file: some have another name in the specification."""
    known = spellings()
    return next((key for key in document if known.get(key) == name), name)


def _read(path: Path) -> str | None:
    """Return the text of a settings file; None where there is none. Raises `WriteFailed`."""
    try:
        return read_regular(path).decode()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeError) as error:
        raise _failure(path, error) from error


def _write(path: Path, text: str | None) -> None:
    """Give a settings file a text, or remove it. Raises `WriteFailed`."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        if text is None:
            path.unlink(missing_ok=True)
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o600
        with temporary.open("w", encoding="utf-8", newline="") as file:
            file.write(text)
        temporary.chmod(mode)
        temporary.replace(real_path(path))
    except (OSError, UnicodeError) as error:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise _failure(path, error) from error


def _failure(path: Path, error: OSError | UnicodeError) -> WriteFailed:
    why = getattr(error, "strerror", None) or "not a text file"
    return WriteFailed(f"{path} could not be changed: {why}.", "Check its permissions.")
