"""Plain, safe output: data to stdout, words about it to stderr, colour only to a terminal.

Text from memory passes `visible`, so nothing in it can act on the terminal.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from threading import Lock, Timer
from time import monotonic
from typing import TYPE_CHECKING

import click

from store.model import EntrySource
from store.notice import Notice
from store.text.display import visible

if TYPE_CHECKING:
    from store.events import MemoryProblem

Marks = Iterable[tuple[int, int]]
"""Ranges of characters, start and end."""

# What JSON may hold but a terminal should not get: the same characters that `visible` replaces.
_ESCAPED = (
    "[\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff"
    "\U000e0000-\U000e0fff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a]"
)
Progress = Callable[[int, int], None]
"""Told how much is done, and how much there is to do."""
_PATIENCE = 0.3
"""Seconds before progress is shown."""
_PAUSE = 0.05
"""Seconds between two lines."""
_CLEAR = "\x1b[K"


def print_line(line: str = "") -> None:
    _wipe_progress()
    click.echo(line, color=True)


def note(sentence: str) -> None:
    """Write a sentence about the data, on stderr."""
    _write_stderr(_styled(visible(sentence), sys.stderr, dim=True))


def fail(message: str, hint: str = "") -> None:
    """Write what went wrong and what to do, on stderr."""
    _write_stderr(_styled(visible(message), sys.stderr, fg="red"))
    if hint:
        _write_stderr(visible(hint))


def _write_stderr(line: str) -> None:
    with suppress(OSError):
        _wipe_progress()
        click.echo(line, err=True, color=True)


def print_json(value: object) -> None:
    """Write data as JSON: characters a terminal would act on are escaped, the values are exact."""
    print_line(re.sub(_ESCAPED, _escape, json.dumps(value, ensure_ascii=False, indent=2)))


def paint(text: str, *, fg: str | None = None, bold: bool = False, dim: bool = False) -> str:
    """`text` in a style, where stdout is a terminal that shall have colour."""
    return _styled(text, sys.stdout, fg=fg, bold=bold, dim=dim)


def one_line(text: str, most: int | None = None) -> str:
    """Return the text of memory on one line, safe to print; cut to at most `most` characters."""
    line = visible(text, newlines=False)
    return line if most is None or len(line) <= most else f"{line[: max(0, most - 1)]}…"


def note_all(notices: Iterable[Notice]) -> None:
    for notice in notices:
        from memtui.words.notices import sentence  # most commands note nothing

        note(sentence(notice))


def note_problem(problem: MemoryProblem) -> None:
    from memtui.words.notices import problem_in_words  # most commands meet no problem

    note(problem_in_words(problem.kind, problem.message, problem.took))


def marked(text: str, marks: Marks) -> str:
    """One line of memory's text with the marked ranges set off."""
    safe = one_line(text)
    parts: list[str] = []
    at = 0
    for start, end in sorted(marks):
        if at <= start < end <= len(safe):
            parts += [safe[at:start], paint(safe[start:end], fg="yellow", bold=True)]
            at = end
    return "".join((*parts, safe[at:]))


def terminal_width() -> int | None:
    """Return the columns of the terminal, or `None` where stdout is none and lines may be long."""
    if not sys.stdout.isatty():
        return None
    import shutil  # with what it packs files by, 2 ms of each command

    return shutil.get_terminal_size().columns


def has_terminal() -> bool:
    """Return whether a person runs the command: of a pipe into it, too, its errors have one. In the
    shells of agents and scripts nothing has.
    """
    return sys.stdin.isatty() or sys.stderr.isatty()


def source_of_command() -> str:
    """Return the source of what a command writes for an agent; empty where a person runs it."""
    return "" if has_terminal() else EntrySource.COMMAND


def _styled(
    text: str, stream: object, *, fg: str | None = None, bold: bool = False, dim: bool = False
) -> str:
    if not text or not _has_colour(stream):
        return text
    # `None` rather than `False`: what is not asked for writes no code.
    return click.style(text, fg=fg, bold=bold or None, dim=dim or None)


def _has_colour(stream: object) -> bool:
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    isatty = getattr(stream, "isatty", None)
    return bool(isatty and isatty())


def _escape(match: re.Match[str]) -> str:
    """Return the JSON escape of a character; those beyond 16 bits as a surrogate pair."""
    code = ord(match.group())
    if code < 0x10000:
        return f"\\u{code:04x}"
    high, low = divmod(code - 0x10000, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"


@dataclass(slots=True)
class _ProgressLine:
    is_shown: bool = False


_PROGRESS_LINE = _ProgressLine()
"""The terminal's line, which what is printed next takes over."""


@contextmanager
def progress(doing: str, nouns: str = "", afterwards: str = "") -> Iterator[Progress]:
    """Show on a terminal's stderr what is being done, once it takes long; cleared at the end.

    That is `doing…`, or `doing: 5 of 10 nouns` where the work counts. `afterwards` is a note at the
    end, where anything was shown.
    """
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    start, last_shown, was_shown, is_over = monotonic(), 0.0, False, False
    guard = Lock()

    def show(line: str) -> None:
        nonlocal was_shown
        with guard:
            if not is_over:
                was_shown = _PROGRESS_LINE.is_shown = True
                click.echo(f"\r{_CLEAR}{line}", err=True, nl=False)

    def print_progress(done: int, total: int) -> None:
        nonlocal last_shown
        now = monotonic()
        if now - start > _PATIENCE and (now - last_shown > _PAUSE or done == total):
            last_shown = now
            show(f"{doing}: {done:,} of {total:,} {nouns}")

    def show_name() -> None:
        if not last_shown:
            show(f"{doing}…")

    waiting = Timer(_PATIENCE, show_name)
    waiting.daemon = True
    waiting.start()
    try:
        yield print_progress
    finally:
        waiting.cancel()
        with guard:
            is_over = True
        _wipe_progress()
        if was_shown and afterwards:
            note(afterwards)


def _wipe_progress() -> None:
    """Clear the line of progress, for another line."""
    if _PROGRESS_LINE.is_shown:
        _PROGRESS_LINE.is_shown = False
        click.echo(f"\r{_CLEAR}", err=True, nl=False)
