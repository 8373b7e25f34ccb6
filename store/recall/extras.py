"""What a recall tells besides memories: files, an interrupted session, how to add a memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from store.recall.render import data_line, files_head
from store.recall.request import RecallRequest
from store.recall.values import FileHint, Limits
from store.text.tokens import Counter, Exact

_FILES_SHARE = 0.2
"""The part of the budget that the files a task may touch are told in."""
_FIRST_SHARE = 0.4
"""The part of the room that what is told before all else may take."""
_LAST_FROM = 500
"""Tokens of a budget from which a line may end the text that is no memory."""


class Extras(NamedTuple):
    """What is told beside memories: the lines that name files, those before all else, the last."""

    files: tuple[str, ...]
    first: tuple[str, ...]
    last: str


NO_EXTRAS = Extras((), (), "")


def extras_for(
    files: Sequence[FileHint], request: RecallRequest, limits: Limits, counter: Counter
) -> Extras:
    """What is told beside memories, as much of it as the limits leave room for."""
    rough = counter.rough if isinstance(counter, Exact) else counter
    last = request.last if limits.tokens >= _LAST_FROM else ""
    return Extras(_head(files, limits, rough), _first(request.opening, limits, rough), last)


def _first(lines: Sequence[str], limits: Limits, counter: Counter) -> tuple[str, ...]:
    """As many of the lines that are told before all else as a share of the room holds."""
    told = tuple(map(data_line, lines))
    longest = None if limits.length is None else limits.length * _FIRST_SHARE
    while counter.count("\n".join(told)) > limits.tokens * _FIRST_SHARE or (
        longest is not None and limits.measure("\n".join(told)) > longest
    ):
        told = told[:-1]
    return told if len(told) > 1 else ()


def _head(files: Sequence[FileHint], limits: Limits, counter: Counter) -> tuple[str, ...]:
    """The lines that name the files, as many as a share of the budget holds, with the whole of
    why each is told where there is room for all, else its beginning.
    """
    room = limits.tokens * _FILES_SHARE
    for whole in (True, False):
        head = files_head(files, whole=whole)
        if counter.count("\n".join(head)) <= room:
            return head
    while counter.count("\n".join(head)) > room:
        head = head[:-1]
    return head if len(head) > 1 else ()
