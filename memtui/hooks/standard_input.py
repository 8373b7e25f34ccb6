"""A hook's input, read from standard input within limits of size and time."""

from __future__ import annotations

import os
from contextlib import suppress

from memtui.hooks.deadline import DeadlinePassed, deadline

_STDIN = 0
_SECONDS = 2.0
"""How long standard input may take."""
_MOST_BYTES = 8_000_000
"""More than any hook's input; what is longer is not one."""


def read_input() -> str:
    """Return what arrives at standard input until it is closed, or its time is over: a client may
    leave it open, or never end. The parser decides whether that makes sense.
    """
    data = bytearray()
    with suppress(DeadlinePassed), deadline(_SECONDS):
        while len(data) < _MOST_BYTES and (part := os.read(_STDIN, 65_536)):
            data += part
    return data.decode("utf-8", "replace")
