"""Opening the app on a memory, with no more loaded than that takes."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from store.backends.location import find_store, named_store
from store.errors import NoMemory, StoreError


def open_app(folder: Path | None = None) -> None:
    """Open the app on the memory in a folder, else on the nearest above the working directory.

    Raises `NoMemory`, saying kindly what can be done, and `NoTerminal` where there is no
    terminal.
    """
    try:
        path = named_store(folder) if folder else find_store(Path.cwd())
    except NoMemory as error:
        raise NoMemory(
            error.message,
            "`memtui demo` shows a sample. `memtui add` starts a memory here with a first "
            "observation, `memtui import` with one you have, `memtui capture` with a session's "
            "transcript.",
        ) from None
    check_terminal()
    from memtui.tui.app import run

    run(path, place=shown_path(path))


class NoTerminal(StoreError):
    """The app was called where there is no terminal: by a client's hook, perhaps.

    It is no mistake in the call: exit 2 would forbid the client what the hook was asked about.
    """


def check_terminal() -> None:
    """Raise `NoTerminal` where the app would wait for keys that nobody can press.

    Textual reads keys from the standard input and draws on the standard error, unless another
    driver does that (in a browser).
    """
    if os.environ.get("TEXTUAL_DRIVER"):
        return
    for stream, does in ((sys.__stdin__, "read keys from"), (sys.__stderr__, "draw on")):
        if stream is None or not stream.isatty():
            raise NoTerminal(
                f"There is no terminal to {does}: the app can't open.",
                "`memtui --help` lists the commands, which need none.",
            )


def shown_path(path: Path) -> str:
    """A path as short as it can be said: from the working directory, from home, or whole."""
    ways = [str(path)]
    if path.is_relative_to(Path.cwd()):
        ways.append(str(path.relative_to(Path.cwd())))
    if path.is_relative_to(Path.home()):
        ways.append(f"~/{path.relative_to(Path.home())}")
    return min(ways, key=len)
