"""Running the program that asks a language model: it reads a prompt and prints the answer."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import IO

from store.agents.registry import ASKED, client_named, clients
from store.errors import InvalidSetting, ProgramFailed
from store.redaction.sanitizer import sanitize

SECONDS = 300.0
"""The longest that a program may take."""
_MOST_BYTES = 4_000_000
"""Bytes of an answer; a dozen memories have 10,000."""
_PAUSE = 0.05
_HINT = "Try it by hand: it gets a prompt on standard input and prints the answer."
_ENABLED = "MEMTUI_ENABLED"
"""An agent that is asked has hooks of memtui, too: this session is none of the project's."""


def presets() -> Mapping[str, tuple[str, ...]]:
    """Return the commands that answer a prompt on standard input, by the client's name."""
    return {name: client_named(name).asked_by for name in ASKED}


def words_of(program: str) -> Sequence[str]:
    """Return the words of a command; a client's name alone is its preset.

    Raises `InvalidSetting` for what is no command.
    """
    try:
        words = shlex.split(program)
    except ValueError as error:
        raise InvalidSetting(f"{program!r} is not a valid command: {error}.") from error
    if not words:
        raise InvalidSetting("The program has no name.", "Give a command, such as 'claude -p'.")
    preset = (argv for name, argv in presets().items() if words in ([name], [_name(argv)]))
    return next(preset, words) if len(words) == 1 else words


def program_name(command: str) -> str:
    """Return the program that a command starts, also by way of `env`. Raises `InvalidSetting`."""
    return _name(words_of(command))


def ask(
    program: str,
    prompt: str,
    *,
    goes_on: Callable[[], bool] = lambda: True,
    seconds: float = SECONDS,
) -> str:
    """Return what a program prints for a prompt on its standard input.

    It runs in an empty folder, without a shell, and is ended with all that it started when
    `goes_on` returns False. Raises `ProgramFailed` where it can't be run, fails, or prints nothing
    in `seconds`, and `InvalidSetting` for what is no command.
    """
    words = words_of(program)
    name = _name(words)
    until = time.monotonic() + seconds
    with (
        tempfile.TemporaryDirectory(prefix="memtui-") as folder,
        tempfile.TemporaryFile() as given,
        tempfile.TemporaryFile() as printed,
        tempfile.TemporaryFile() as complained,
    ):
        given.write(prompt.encode("utf-8", "replace"))
        given.seek(0)
        try:
            process = subprocess.Popen(
                words,
                stdin=given,
                stdout=printed,
                stderr=complained,
                cwd=folder,
                env=_environment(folder),
                start_new_session=True,
            )
        except OSError as error:
            raise ProgramFailed(f"{name} can't be run: {error.strerror}.", _HINT) from error
        try:
            while process.poll() is None:
                if not goes_on():
                    raise ProgramFailed(f"{name} was stopped.")
                if time.monotonic() > until:
                    raise ProgramFailed(f"{name} did not answer in {seconds:.0f} s.", _HINT)
                if os.fstat(printed.fileno()).st_size > _MOST_BYTES:
                    raise ProgramFailed(f"{name} printed more than {_MOST_BYTES:,} bytes.", _HINT)
                with suppress(subprocess.TimeoutExpired):
                    process.wait(_PAUSE)
        finally:
            _end(process)
        answer = _read(printed)
        if code := process.returncode:
            lines = (
                _read(complained).strip() or answer.strip() or "it printed nothing"
            ).splitlines()
            how = f"exit code {code}" if code > 0 else f"ended by signal {-code}"
            raise ProgramFailed(f"{name} failed ({how}): {sanitize(lines[-1][:200]).text}", _HINT)
        return answer


def _environment(folder: str) -> dict[str, str]:
    """Return the variables of a program that runs in a folder, in no session of an agent's.

    OpenCode takes `PWD` for the folder in which it runs.
    """
    of_sessions = {client.session_variable for client in clients()}
    kept = {name: value for name, value in os.environ.items() if name not in of_sessions}
    return {**kept, _ENABLED: "false", "PWD": folder}


def _name(words: Sequence[str]) -> str:
    return next((word for word in words if word != "env" and "=" not in word), words[0])


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a program that still runs, and what it started."""
    if process.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _read(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read(_MOST_BYTES).decode("utf-8", "replace")
