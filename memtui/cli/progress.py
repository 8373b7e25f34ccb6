"""How far long work is, on a terminal: one line that is wiped away at the end."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

import click

from memtui.cli.output import note

Progress = Callable[[int, int], None]
"""Told how much is done, and how much there is to do."""

_PATIENCE = 0.3
"""Seconds before anything is said."""
_PAUSE = 0.05
"""Seconds between two lines."""


@contextmanager
def progress(doing: str, nouns: str, afterwards: str = "") -> Iterator[Progress | None]:
    """What tells `doing: 5 of 10 nouns` on stderr, once work takes long; None without a terminal.

    `afterwards` is said at the end where anything was.
    """
    if not sys.stderr.isatty():
        yield None
        return
    start, said, shown = monotonic(), 0.0, False

    def say_how_far(done: int, total: int) -> None:
        nonlocal shown, said
        now = monotonic()
        if now - start > _PATIENCE and (now - said > _PAUSE or done == total):
            said, shown = now, True
            click.echo(f"\r{doing}: {done:,} of {total:,} {nouns}", err=True, nl=False)

    try:
        yield say_how_far
    finally:
        if shown:
            wipe_progress()
            if afterwards:
                note(afterwards)


def wipe_progress() -> None:
    """Make way for a line that is said while work goes on."""
    if sys.stderr.isatty():
        click.echo("\r\x1b[K", err=True, nl=False)
