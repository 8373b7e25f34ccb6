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
        from memtui.words.notices import error_in_words

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
    if arguments[:1] == ["mcp"] and _serves_mcp(arguments[1:]):
        return 0
    if arguments[:1] == ["hook"] and _answers_hook(arguments[1:]):
        return 0
    if arguments or _COMPLETING in os.environ:
        from memtui.cli.commands import carry_out

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
    from memtui.cli.output import fail

    fail(message, hint)


def _serves_mcp(options: Sequence[str]) -> bool:
    """Serve an agent that starts us for each of its sessions, without what takes commands apart:
    that takes longer than all the rest. False where the options are others than a folder.
    """
    if options and not (len(options) == 2 and options[0] == "--dir"):
        return False
    from memtui.serve.mcp.server import serve

    named = options[1] if options else None
    serve(named if named is None or "://" in named else Path(named))
    return True


def _answers_hook(words: Sequence[str]) -> bool:
    """Answer a client that waits, as the installed hooks call us, without what takes commands
    apart. False where it was called otherwise.
    """
    from memtui.hooks.call import HOOKS

    if not (len(words) == 3 and words[0] in HOOKS and words[1] == "--channel"):
        return False
    from memtui.hooks.run import answer

    answer(words[0], words[2])
    return True
