"""The user's editor: which one it is, and letting it work on a file."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from store.errors import StoreError

RunEditor = Callable[[Sequence[str], Path], int]
"""Lets an editor, given as the words of a command, work on a file; returns its exit code."""

HINT = "Set EDITOR (for example to `nano`), or `editor` in the settings."


_ANOTHER = "`memtui config` shows it; MEMTUI_EDITOR overrides it."


class NoEditor(StoreError):
    """There is no such editor to start."""


def editor_command(chosen: str, environ: Mapping[str, str] = os.environ) -> list[str]:
    """The editor as the words of a command: the setting, else `VISUAL`, else `EDITOR`.

    Empty where none is set. Raises `NoEditor` for what is no command.
    """
    named = chosen or environ.get("VISUAL", "") or environ.get("EDITOR", "")
    try:
        return shlex.split(named, posix=os.name == "posix")
    except ValueError as error:
        raise NoEditor(f"The editor {named!r} is not a valid command: {error}.", HINT) from error


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
