"""Packing: the notes that were chosen go into a text, which never exceeds its limits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from store.model import Observation
from store.recall.reasons import Reason, Verdict
from store.recall.render import data_line, files_head, framed
from store.recall.values import FileHint, Limits
from store.text.tokens import Counter

_FIRST_SHARE = 0.4
"""The part of the room that what is told before all else may take."""
_FILES_SHARE = 0.2
"""The part of the budget that the files a task may touch are told in."""
_LAST_FROM = 500
"""Tokens of a budget from which a line may end the text that is no memory."""


class Chosen(NamedTuple):
    """A memory or message to inject: why, under which heading if any, and in which words where
    these are not its content.
    """

    observation: Observation
    reason: Reason
    heading: str = ""
    words: str = ""
    whole: bool = False


Render = Callable[[Chosen, int | None], str]
"""The line of a note, whole or in at most so many tokens; empty where nothing of it fits them."""


class Frame(NamedTuple):
    """The text other than memories: opening lines, files, the last line."""

    first: tuple[str, ...] = ()
    files: tuple[FileHint, ...] = ()
    last: str = ""


class Packed(NamedTuple):
    """The text and its tokens; by id, the tokens and words of each note in it, and why the others
    stayed out; the files that are in it.
    """

    text: str = ""
    tokens: int = 0
    costs: Mapping[str, int] = {}
    told: Mapping[str, str] = {}
    missing: Mapping[str, Reason] = {}
    files: tuple[FileHint, ...] = ()


class _Line(NamedTuple):
    chosen: Chosen
    text: str
    tokens: int


def pack(
    chosen: Sequence[Chosen],
    frame: Frame,
    render: Render,
    limits: Limits,
    counter: Counter,
    *,
    note_tokens: int | None,
    goes_past: bool,
    headings: Sequence[str] = (),
) -> Packed:
    """Return the text of what was chosen, the first in order before the others where room is short.

    A note takes at most `note_tokens`; None takes each whole. With `goes_past` a shorter one comes
    in behind one that did not fit. Notes of one heading are together, in the order of
    `headings`, by default as they come.
    """
    first = _fitting_first(frame.first, limits, counter)
    files = _fitting_files(frame.files, limits, counter)
    last = frame.last if limits.tokens >= _LAST_FROM else ""
    head = [*first, *files_head(files)]
    missing: dict[str, Reason] = {}
    lines: list[_Line] = []
    empty = framed("\n".join(head), last)
    tokens = limits.tokens - counter.count(empty)
    length = None if limits.length is None else limits.length - limits.measure(empty)
    begun: set[str] = set()
    for at, choice in enumerate(chosen):
        most = None if choice.whole else note_tokens
        text = render(choice, most)
        heading = choice.heading if choice.heading not in begun else ""
        cost = counter.count(f"{text}\n") + (counter.count(f"{heading}\n") if heading else 0)
        size = limits.measure(f"{heading}\n{text}\n") if length is not None else 0
        if not text or cost > tokens or (length is not None and size > length):
            missing[choice.observation.id] = _too_long(cost, tokens, size, length, limits, text)
            if goes_past:
                continue
            missing |= {
                other.observation.id: Reason(Verdict.BUDGET_FULL) for other in chosen[at + 1 :]
            }
            break
        begun.add(choice.heading)
        lines.append(_Line(choice, text, cost))
        tokens -= cost
        length = None if length is None else length - size
    if headings:
        lines.sort(key=lambda line: headings.index(line.chosen.heading))
    return _within(lines, head, files, last, limits, counter, missing)


def _within(
    lines: list[_Line],
    head: Sequence[str],
    files: tuple[FileHint, ...],
    last: str,
    limits: Limits,
    counter: Counter,
    missing: dict[str, Reason],
) -> Packed:
    """Return the text of these lines, the last of them given up while it exceeds the limits."""
    while True:
        if not lines and not head:
            return Packed(missing=missing)
        text = framed("\n".join([*head, *_arranged(lines)]), last)
        tokens = counter.count(text)
        is_long = limits.length is not None and limits.measure(text) > limits.length
        if tokens <= limits.tokens and not is_long:
            return Packed(
                text,
                tokens,
                {line.chosen.observation.id: line.tokens for line in lines},
                {line.chosen.observation.id: line.text for line in lines},
                missing,
                files,
            )
        if not lines:
            return Packed(missing=missing)
        missing[lines.pop().chosen.observation.id] = Reason(Verdict.BUDGET_FULL)


def _arranged(lines: Sequence[_Line]) -> list[str]:
    """Return the lines under their headings, in the order in which these come first."""
    groups: dict[str, list[str]] = {}
    for line in lines:
        groups.setdefault(line.chosen.heading, []).append(line.text)
    return [
        text for heading, texts in groups.items() for text in ([heading] if heading else []) + texts
    ]


def _too_long(
    cost: int, tokens: int, size: int, length: int | None, limits: Limits, text: str
) -> Reason:
    """Limit that a note exceeds, tokens first."""
    if not text or length is None or cost > tokens:
        return Reason(Verdict.TOO_LONG, needs=cost, left=max(tokens, 0))
    return Reason(Verdict.TOO_LONG, needs=size, left=max(length, 0), unit=limits.unit)


def _fitting_first(lines: Sequence[str], limits: Limits, counter: Counter) -> tuple[str, ...]:
    """Return as many of the opening lines as fit a share of the room."""
    told = tuple(map(data_line, lines))
    longest = None if limits.length is None else limits.length * _FIRST_SHARE
    while counter.count("\n".join(told)) > limits.tokens * _FIRST_SHARE or (
        longest is not None and limits.measure("\n".join(told)) > longest
    ):
        told = told[:-1]
    return told if len(told) > 1 else ()


def _fitting_files(
    files: tuple[FileHint, ...], limits: Limits, counter: Counter
) -> tuple[FileHint, ...]:
    """As many of the files as a share of the budget holds."""
    while files and counter.count("\n".join(files_head(files))) > limits.tokens * _FILES_SHARE:
        files = files[:-1]
    return files
