"""The standard streams of a process: there, whoever called it, and never failing at a character."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from store.errors import InvalidObservation

_STDERR = 2
"""The highest number of a standard stream."""
_MOST = 16_000_000
"""Characters of one line, and bytes of one text, that are read: a device never ends."""


def lines_of(stream: IO[str]) -> Iterator[str]:
    """Yield the lines of a text. Raises `InvalidObservation` for one that is too long."""
    while line := stream.readline(_MOST):
        if len(line) == _MOST and not line.endswith("\n"):
            raise InvalidObservation(f"A line has more than {_MOST:,} characters.", "")
        yield line


def read_standard_input() -> str:
    """Return all of standard input; bytes that are no UTF-8 become U+FFFD.

    Raises `InvalidObservation` for too much.
    """
    data = sys.stdin.buffer.read(_MOST + 1)
    if len(data) > _MOST:
        raise InvalidObservation(f"Standard input has more than {_MOST // 10**6} MB.", "")
    return data.decode("utf-8", "replace")


def open_standard_streams() -> None:
    """Have the standard streams that the caller closed lead nowhere, instead of failing.

    Their numbers are taken too, lest a file of ours gets one and output is written to it.
    """
    if None not in (sys.stdin, sys.stdout, sys.stderr):
        return
    while (number := os.open(os.devnull, os.O_RDWR)) <= _STDERR:
        os.set_inheritable(number, True)
    os.close(number)
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115


def silence() -> None:
    """Send what is still to be written nowhere, since nobody reads it any more."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
