"""A hook as a client calls it: JSON on standard input, the text to inject on standard output."""

from __future__ import annotations

import os
import sys

from memtui.hooks.event import parse_input, read_within
from memtui.hooks.run import run_hook
from memtui.streams import silence
from store.platform.home import home_folder

_STDIN = 0
_SECONDS = 2.0
"""How long standard input may take."""


def answer(name: str, channel: str) -> None:
    """Read a hook's input, run it, and print what it says."""
    given = parse_input(read_within(_STDIN, _SECONDS))
    if given is not None and (text := run_hook(name, given, channel, os.environ, home_folder())):
        try:
            sys.stdout.write(f"{text}\n")
            sys.stdout.flush()
        except OSError:
            silence()  # nobody takes the answer; the session goes on all the same
