"""A conversation as lines of a screen: wrapped, with its long parts folded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from rich.cells import cell_len, set_cell_size

from memtui.formatting import count, memories, moment, plural
from memtui.tui.frame.theme import color_of, mark_of
from memtui.tui.sessions.rows import one_line
from memtui.words.sentences import told_in_words
from store.sessions.conversation import Entry, EntryKind, Outcome, shown_output
from store.text.display import visible

_LONG, _SHOWN = 40, 24
"""Lines from which a message is folded, and how many of it are shown then."""
_MOST_OUTPUT = 200
"""Lines of a tool's answer that are shown when it is unfolded."""
_MARKS = {
    Outcome.DONE: ("√", "$text-success"),
    Outcome.FAILED: ("×", "$text-error"),
    Outcome.UNKNOWN: ("?", "$text-warning"),
}
_SAID = frozenset({EntryKind.REQUEST, EntryKind.ANSWER})


class Line(NamedTuple):
    """A line: the place of its entry, a mark of two cells and its colour, text and its style.

    `goes_on`: it was one line with the one before, and was wrapped. `said` is False for what the
    screen adds to the words of the conversation.
    """

    entry: int
    text: str
    mark: str = ""
    color: str = ""
    style: str = ""
    goes_on: bool = False
    said: bool = True


def lines_of(
    entries: Sequence[Entry], width: int, unfolded: frozenset[int], now: datetime
) -> list[Line]:
    """The lines of a conversation for so many cells; the entries at `unfolded` are shown whole."""
    found: list[Line] = []
    before: EntryKind | None = None
    for at, entry in enumerate(entries):
        beside = entry.kind is EntryKind.CAPTURED
        if before is not None and not beside and (entry.kind in _SAID or before in _SAID):
            found.append(Line(at, "", said=False))
        found += _lines(at, entry, width, at in unfolded, now)
        before = entry.kind
    return found


def passage_of(lines: Sequence[Line]) -> str:
    """What was said on some lines, wrapped lines joined again."""
    text = ""
    for line in lines:
        if line.said:
            text += (" " if line.goes_on else "\n" if text else "") + line.text
    return text.strip()


def _lines(at: int, entry: Entry, width: int, whole: bool, now: datetime) -> Iterator[Line]:
    if entry.kind in _SAID:
        yield from _message(at, entry, width, whole, now)
        return
    yield _head(at, entry, whole)
    if whole:
        text = shown_output(entry) if entry.kind is EntryKind.TOOL else entry.text
        if entry.kind is EntryKind.TOLD and not text:
            text = "The text has expired."
        shown = _wrapped(visible(text), width - 6)
        for line, goes_on in shown[:_MOST_OUTPUT]:
            yield Line(at, f"    {line}", style="$dim", goes_on=goes_on)
        if len(shown) > _MOST_OUTPUT:
            more = f"    … {plural(len(shown) - _MOST_OUTPUT, 'more line')}"
            yield Line(at, more, style="$dim", said=False)


def _message(at: int, entry: Entry, width: int, whole: bool, now: datetime) -> Iterator[Line]:
    asks = entry.kind is EntryKind.REQUEST
    mark, color = ("┃", "$accent-text") if asks else ("", "")
    if asks and entry.at:
        yield Line(at, moment(entry.at, now), mark, color, "$dim", said=False)
    shown = _wrapped(visible(entry.text), width - 2)
    folds = len(shown) > _LONG and not whole
    style = "bold" if asks else ""
    for line, goes_on in shown[:_SHOWN] if folds else shown:
        yield Line(at, line, mark, color, style, goes_on)
    if folds:
        more = f"… {plural(len(shown) - _SHOWN, 'more line')}"
        yield Line(at, more, mark, color, "$dim", said=False)


def _head(at: int, entry: Entry, whole: bool) -> Line:
    """The one line of a tool, of what memory told or took, or of a summary."""
    fold = "▾" if whole else "▸"
    if entry.kind is EntryKind.TOOL:
        mark, color = _MARKS[entry.outcome]
        why = "no answer" if entry.outcome is Outcome.UNKNOWN else entry.result
        text = f"{entry.name}  {entry.text}" + (f"  · {why}" if why else "")
        style = "$text-error" if entry.outcome is Outcome.FAILED else "$dim"
        return Line(at, one_line(text), mark, color, style)
    if entry.kind is EntryKind.TOLD:
        told = ", ".join(told_in_words(entry.injected)) or memories(0)
        text = f"{fold} Memory injected {told}, {plural(entry.tokens, 'token')}"
        return Line(at, text, "↑", "$category-decision", "$category-decision", said=False)
    if entry.kind is EntryKind.CAPTURED:
        text = f"{mark_of(entry.name)} captured: {entry.text}"
        return Line(at, one_line(text), "+", "$text-success", color_of(entry.name), said=False)
    text = f"{fold} Summary the agent wrote, {count(len(entry.text))} characters"
    return Line(at, text, "≡", "$category-lesson", "$category-lesson", said=False)


def _wrapped(text: str, width: int) -> list[tuple[str, bool]]:
    """A text in lines of at most `width` cells, each with whether it goes on from the one before.

    Written for speed: a session may hold a million characters.
    """
    width = max(8, width)
    found = []
    for line in text.split("\n"):
        goes_on = False
        plain = line.isascii()
        while len(line) > width if plain else cell_len(line) > width:
            head = line[:width] if plain else set_cell_size(line, width).rstrip()
            cut = head.rfind(" ")
            cut = cut if cut > width // 3 else max(1, len(head))
            found.append((line[:cut].rstrip(), goes_on))
            line, goes_on = line[cut:].lstrip(" "), True
        found.append((line, goes_on))
    return found
