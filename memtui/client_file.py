"""Changing a client's own file: as a plan with a diff, applied in one step, with a backup."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from codecs import BOM_UTF8
from contextlib import suppress
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path
from typing import Protocol

from store.agents.hook_styles.base import BACKUP_SUFFIX
from store.agents.hooks import COMMAND
from store.errors import Conflict, ReadOnly, Unreadable, WriteFailed
from store.platform.bounds import read_regular
from store.platform.home import check_home
from store.platform.links import real_path


class EntryFile(Protocol):
    """A style of client's file with entries of ours: hooks, or a server."""

    @property
    def backup_suffix(self) -> str:
        """What the name of the file's backup ends in."""

    def with_ours(self, text: str, path: Path, command: str) -> str:
        """Return the text with our entries. Raises `Unreadable`."""

    def without_ours(self, text: str, path: Path) -> str:
        """Return the text without them and what they leave empty. Raises `Unreadable`."""

    def is_equivalent(self, one: str, other: str) -> bool:
        """Return whether two texts mean the same."""


@dataclass(frozen=True, slots=True)
class InstallPlan:
    """A client's file before and after. Nothing is written until it is applied.

    None is no file. `backup` is the file without our entries; None where no backup is to be kept.
    Its file's name ends in `suffix`.
    """

    path: Path
    before: str | None
    after: str | None
    backup: str | None = None
    suffix: str = BACKUP_SUFFIX

    @property
    def is_empty(self) -> bool:
        """The file would stay as it is."""
        return self.before == self.after

    @property
    def diff(self) -> str:
        name = str(self.path)
        return "".join(
            unified_diff(
                (self.before or "").splitlines(keepends=True),
                (self.after or "").splitlines(keepends=True),
                name,
                name,
            )
        )


def plan_install(file: EntryFile, path: Path, command: str = COMMAND) -> InstallPlan:
    """Plan to add our entries that are missing, and to renew those that are outdated.

    `command` is memtui, or the path to it. Raises `Unreadable` for a file that its client would not
    understand: it is never overwritten. Raises `StoreError` for a user without a home.
    """
    check_home(path)
    before = text_there(path)
    after = file.with_ours(before or "", path, command)
    return InstallPlan(path, before, after, _bare(file, path, before), file.backup_suffix)


def plan_uninstall(file: EntryFile, path: Path) -> InstallPlan:
    """Plan to remove exactly our entries, and what they leave empty. Raises `Unreadable`.

    Where that gives the file from before the installation, it is that text to the letter; a file
    that the installation made is removed.
    """
    check_home(path)
    before = text_there(path)
    return InstallPlan(path, before, _bare(file, path, before), None, file.backup_suffix)


def _bare(file: EntryFile, path: Path, text: str | None) -> str | None:
    """Return a file's text without our entries: as the backup has it, where that means the same."""
    if text is None or (bare := file.without_ours(text, path)) == text:
        return text
    kept = text_there(backup_of(path, file.backup_suffix))
    return kept if kept is not None and file.is_equivalent(kept, bare) else bare or None


def check_not_linked(path: Path, project: Path) -> None:
    """Raise `Unreadable` where a project's file is a link, or lies behind one.

    A clone may bring it, and it may lead to anybody's file.
    """
    for place in (path, *path.parents):
        if place == project:
            return
        if place.is_symlink():
            raise Unreadable(
                f"{place} is a link; nothing is written through it.",
                "Install without --project, or replace the link by a file.",
            )


def command_in_use(*, shared: bool = False) -> str:
    """Return how a client can start memtui: by the Python that runs it, which no variable and no
    folder of a project can change. In a file that is `shared` with other machines, by its name, or
    by its path where it is not on the PATH.
    """
    if not shared:
        return sys.executable
    next_to_python = Path(sys.executable).with_name(COMMAND)
    if shutil.which(COMMAND) is None and next_to_python.exists():
        return str(next_to_python)
    return COMMAND


def backup_of(path: Path, suffix: str = BACKUP_SUFFIX) -> Path:
    """Return the path of the file from before the installation."""
    target = real_path(path) if path.is_symlink() else path
    return target.with_name(target.name + suffix)


def apply_install(plan: InstallPlan) -> Path | None:
    """Write the planned file, atomically. Return the backup of the old one, or None if there is
    none.

    The backup is the file without our entries, renewed by each installation; uninstalling removes
    it. Raises `Conflict` where the file changed since it was planned; `ReadOnly`, `WriteFailed`.
    """
    if plan.is_empty:
        return None
    if text_there(plan.path) != plan.before:
        raise Conflict(
            f"{plan.path} has changed since; nothing was written.", "Look at the difference again."
        )
    target = real_path(plan.path) if plan.path.is_symlink() else plan.path
    backup = backup_of(plan.path, plan.suffix)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if plan.backup is not None:
            _replace(backup, plan.backup, like=target)
        if plan.after is not None:
            _replace(target, plan.after, like=target)
        else:
            target.unlink()
            if target.name == "SKILL.md":  # which has a folder of its own
                with suppress(OSError):
                    target.parent.rmdir()
        if plan.backup is None:
            backup.unlink(missing_ok=True)
    except PermissionError as error:
        raise ReadOnly(
            f"{target} can't be written.", "Check who owns the file and its folder."
        ) from error
    except OSError as error:
        raise WriteFailed(
            f"{target} could not be written: {error.strerror}.", "The old file is unchanged."
        ) from error
    return None if plan.backup is None else backup


def _replace(path: Path, text: str, *, like: Path) -> None:
    """Put the text in place of a file in one step, with the rights of `like` where it exists, and
    its byte order mark.
    """
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(
            # Half a character, as an agent may write it, is kept as the escape that it is in JSON.
            descriptor,
            "w",
            encoding="utf-8-sig" if _has_mark(like) else "utf-8",
            errors="backslashreplace",
            newline="",
        ) as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        _take_after(Path(name), like)
        Path(name).replace(path)
    except BaseException:  # whatever it was, no stray file is left; it is raised again
        Path(name).unlink(missing_ok=True)
        raise


def _take_after(path: Path, like: Path) -> None:
    """Give a new file the rights and the owner of the old one: its client is to read it."""
    if not like.exists():
        path.chmod(0o600)
        return
    info = like.stat()
    if info.st_uid != os.geteuid():
        os.chown(path, info.st_uid, info.st_gid)
    path.chmod(info.st_mode & 0o777)


def _has_mark(path: Path) -> bool:
    """Return whether the file begins with a byte order mark, as some editors write it."""
    return path.exists() and read_regular(path).startswith(BOM_UTF8)


def read_text(path: Path) -> str:
    """Return a file's text, empty where there is none. Raises Unreadable."""
    return text_there(path) or ""


def text_there(path: Path) -> str | None:
    """A file's text without a byte order mark; None where there is no file. Raises Unreadable."""
    try:
        return read_regular(path).decode("utf-8-sig")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except UnicodeDecodeError as error:
        raise Unreadable(f"{path} is not UTF-8 text.", "Fix the file first.") from error
    except OSError as error:
        raise Unreadable(f"{path} can't be read.", "Check the file's permissions.") from error
