"""The standard streams of a process: there, whoever called it, and never failing at a character."""

from __future__ import annotations

import os
import sys
from pathlib import Path

_STDERR = 2
"""The highest number of a standard stream."""


def open_standard_streams() -> None:
    """Have the standard streams that the caller closed lead nowhere, instead of failing.

    Their numbers are taken too, lest a file of ours gets one and what is said is written to it.
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
