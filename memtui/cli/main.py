"""The entry point: the app or a command, and what becomes of every error."""

from __future__ import annotations

import gc
import os
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from memtui.cli.exits import FAILED, INTERRUPTED, USERS_MISTAKE
from memtui.cli.status_line import kept_line
from memtui.streams import open_standard_streams, silence
from store.errors import (
    AmbiguousId,
    InvalidObservation,
    InvalidQuery,
    InvalidSetting,
    NotFound,
    StoreError,
)

GARBAGE = 100_000
"""Objects made between collections: Python's own 700 cost a command a twentieth of its time."""
_FRAMES = "120"
"""The most frames that the app draws in a second."""
_COMPLETING = "_MEMTUI_COMPLETE"
"""Set by a shell that asks how what was typed may go on."""
_ELSEWHERE = """\
memtui runs on Linux and macOS; on Windows it runs in WSL.
Open a WSL terminal (`wsl`) and install it there, as on Linux.
"""
_NOT_INSTALLED = """\
memtui needs the package {name}, which is not installed for {python}.
Install memtui with what it needs, as by `pipx install memtui`: packages of PYTHONPATH are left out.
"""
_USERS_MISTAKES = (InvalidObservation, InvalidQuery, InvalidSetting, NotFound, AmbiguousId)


def main() -> None:
    if sys.platform == "win32":
        sys.stderr.write(_ELSEWHERE)
        sys.exit(FAILED)
    # A command is over before what its imports and rows leave behind would be worth collecting.
    gc.set_threshold(GARBAGE)
    # What a key asks for is drawn half a usual frame sooner; nothing moves that would be drawn more
    # often for it. Textual reads this when it is imported.
    os.environ.setdefault("TEXTUAL_FPS", _FRAMES)
    try:
        code = run(sys.argv[1:])
    except ModuleNotFoundError as error:
        sys.stderr.write(_NOT_INSTALLED.format(name=error.name, python=sys.executable))
        code = FAILED
    _leave(code)


def run(arguments: Sequence[str]) -> int:
    """Run one command, or the app where none is named. Return 0, 1 for a failure, 2 for misuse.

    Every error is a sentence and a hint on stderr. A reader that went away (`| head`) is no error.
    """
    open_standard_streams()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        code = _carry_out(arguments)
        sys.stdout.flush()
    except StoreError as error:
        from memtui.words.notices import error_in_words  # most commands work

        _fail(error_in_words(error), error.hint)
        return USERS_MISTAKE if isinstance(error, _USERS_MISTAKES) else FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        silence()
        return FAILED
    except OSError as error:
        if isinstance(error, FileNotFoundError) and _is_nowhere():
            _fail("The working directory no longer exists.", "Change it, or give --dir.")
            return FAILED
        _fail(f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}.")
        return FAILED
    except ModuleNotFoundError:
        raise
    except Exception as error:
        # No traceback on a user's screen, unless it is asked for.
        if os.environ.get("MEMTUI_TRACEBACK"):
            raise
        _fail(
            f"memtui failed unexpectedly ({type(error).__name__}: {error}).",
            "Please report this; MEMTUI_TRACEBACK=1 shows where it happened.",
        )
        return FAILED
    return code


def _leave(code: int) -> NoReturn:
    """End without taking apart what ends anyway, which takes 2 to 5 ms. Where something still runs
    in another thread, Python waits for it as usual.
    """
    # An error of a stream was reported already, as far as there was one to report it on.
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    if threading.active_count() == 1:
        os._exit(code)
    sys.exit(code)


def _carry_out(arguments: Sequence[str]) -> int:
    # What agents start for each session goes without click, which takes longer than all the rest.
    if _is_call_of_mcp(arguments):
        _serve_mcp(*arguments[2:])
        return 0
    if _is_call_of_hook(arguments):
        _answer_hook(arguments[1], channel=arguments[3])
        return 0
    if list(arguments) == ["status", "--short"] and (line := kept_line()):
        sys.stdout.write(f"{line}\n")
        return 0
    if arguments or _COMPLETING in os.environ:
        from memtui.cli.commands import carry_out  # not for each command

        return carry_out(arguments)
    from memtui.startup import open_app

    open_app()
    return 0


def _is_nowhere() -> bool:
    try:
        os.getcwd()  # noqa: PTH109 - without pathlib
    except FileNotFoundError:
        return True
    return False


def _fail(message: str, hint: str = "") -> None:
    from memtui.cli.output import fail  # most commands work

    fail(message, hint)


def _is_call_of_mcp(arguments: Sequence[str]) -> bool:
    """Return whether an agent starts the server, with no option but perhaps a folder."""
    is_bare = len(arguments) == 1 or (len(arguments) == 3 and arguments[1] == "--dir")
    return is_bare and arguments[0] == "mcp"


def _serve_mcp(location: str | None = None) -> None:
    from memtui.serve.mcp.server import serve  # not for each command

    serve(location if location is None or "://" in location else Path(location))


def _is_call_of_hook(arguments: Sequence[str]) -> bool:
    """Return whether the hook that is installed for a client calls."""
    if not (len(arguments) == 4 and arguments[0] == "hook" and arguments[2] == "--channel"):
        return False
    from memtui.hooks.call import HOOKS  # not for each command

    return arguments[1] in HOOKS


def _answer_hook(name: str, *, channel: str) -> None:
    from memtui.hooks.run import answer  # not for each command

    answer(name, channel)
