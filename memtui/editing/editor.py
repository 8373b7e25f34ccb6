"""The user's editor, and drafts: what is being written, kept in files until it is stored."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from store.errors import NotFound, StoreError, Unreadable, WriteFailed
from store.operations.plan import Plan
from store.platform.bounds import read_regular
from store.platform.home import home_folder, is_nowhere, user_folder

RunEditor = Callable[[Sequence[str], Path], int]
"""Lets an editor, given as the words of a command, work on a file; returns its exit code."""

HINT = "Set EDITOR (for example to `nano`), or `editor` in the settings."


_PLUS = frozenset(
    "vi vim nvim view gvim nano pico emacs emacsclient micro kak less joe jed".split()
)
"""Editors that take a line as `+12`."""
_GO_TO = frozenset({"code", "code-insiders", "codium", "cursor", "windsurf"})
"""Editors that take it as `--goto FILE:12`."""
_ANOTHER = "`memtui config` shows it; MEMTUI_EDITOR overrides it."
_NOT_PLAIN = re.compile(r"[^A-Za-z0-9._-]+")


class NoEditor(StoreError):
    """There is no such editor to start."""


def editor_command(chosen: str) -> list[str]:
    """Return the editor as the words of a command: the setting, else `VISUAL`, else `EDITOR`.

    Empty where none is set. Raises `NoEditor` for what is no command.
    """
    named = chosen or os.environ.get("VISUAL", "") or os.environ.get("EDITOR", "")
    try:
        return shlex.split(named, posix=os.name == "posix")
    except ValueError as error:
        raise NoEditor(f"The editor {named!r} is not a valid command: {error}.", HINT) from error


def command_at(command: Sequence[str], path: Path, line: int) -> tuple[list[str], Path]:
    """Return the command and the path that open a file at a line, as far as the editor is known."""
    name = Path(command[0]).stem
    if name in _GO_TO:
        return [*command, "--goto"], path.with_name(f"{path.name}:{line}")
    if name in _PLUS:
        return [*command, f"+{line}"], path
    return [*command], path


def run_editor(command: Sequence[str], path: Path) -> int:
    """Let an editor work on a file, in this terminal; its exit code. Raises `NoEditor`."""
    try:
        editor = subprocess.Popen([*command, str(path)])
    except OSError as error:
        raise NoEditor(
            f"Can't start the editor {command[0]!r}: {error.strerror}.", _ANOTHER
        ) from error
    # An interrupt reaches both, and is meant for the editor.
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        return editor.wait()
    finally:
        signal.signal(signal.SIGINT, before)


def check_ended(code: int) -> None:
    """Check that an editor ended well, by its exit code. Raises `StoreError`."""
    if not code:
        return
    ended = f"exited with code {code}" if code > 0 else f"was stopped by {_signal_name(-code)}"
    raise StoreError(f"The editor {ended}. Nothing changed.")


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


class NoDraft(NotFound):
    """The file of a text is gone."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A text in a file of its own, readable by its owner only."""

    path: Path

    @classmethod
    def of(cls, name: str, text: str) -> Draft:
        """Keep a text under a name, next to older drafts of it. Raises `WriteFailed`."""
        folder = user_folder("state") / "drafts"
        if is_nowhere(folder):
            folder = Path(tempfile.mkdtemp(prefix="memtui-"))
        stem = _NOT_PLAIN.sub("-", name).strip(".-")[:80] or "draft"
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            for number in count(1):
                path = folder / (f"{stem}.md" if number == 1 else f"{stem}-{number}.md")
                try:
                    descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
                except FileExistsError:
                    continue
                with os.fdopen(descriptor, "wb") as file:
                    file.write(text.encode("utf-8", "surrogatepass"))
                return cls(path)
        except OSError as error:
            raise WriteFailed(
                f"The draft could not be written to {folder}: {error.strerror}.",
                "Use options of `memtui edit`, or make the folder writable.",
            ) from error
        raise AssertionError("unreachable")

    def read(self) -> str:
        """Return the text as it is now. Raises `NoDraft`, `Unreadable`."""
        try:
            return read_regular(self.path).decode("utf-8", "surrogatepass")
        except FileNotFoundError as error:
            raise NoDraft(f"The file {self.shown} is gone. Nothing changed.") from error
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
            raise Unreadable(
                f"{self.shown} could not be read: {reason}.",
                "Save it as a UTF-8 text file.",
            ) from error

    def discard(self) -> None:
        """The text is stored, or was not changed: the file may go."""
        self.path.unlink(missing_ok=True)

    @property
    def shown(self) -> str:
        home = home_folder()
        return (
            f"~/{self.path.relative_to(home)}" if self.path.is_relative_to(home) else str(self.path)
        )

    def kept(self, error: StoreError) -> StoreError:
        hint = f"{error.hint} Your draft is saved in {self.shown}".strip()
        return StoreError(error.message, hint, error.notes)


@dataclass(frozen=True, slots=True)
class Written:
    """An edited text and its plan, kept until the plan is carried out."""

    plan: Plan
    draft: Draft
