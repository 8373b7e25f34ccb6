"""A vault's file in pieces, so that a change can be made to one that was edited meanwhile, too."""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from store.backends.vault.layout import is_of_category, owner
from store.backends.vault.markdown import MARK, Kind, Piece, split
from store.model import Category

_MARK_LINE = re.compile(rf"(?m)^{MARK.pattern}\r?$", re.ASCII)


def is_note(path: str, text: str) -> bool:
    """Return whether a file is one memory as a whole: it holds no entries."""
    if owner(path) is None:
        return True
    return not is_of_category(path) and _MARK_LINE.search(text) is None


def pieces_of(path: str, text: str) -> list[Piece]:
    if text and is_note(path, text):
        return [Piece(Kind.NOTE, text)]
    _, category = owner(path) or ("", "")
    return split(text, tasks=category == Category.TASK)


def insert(pieces: list[Piece], key: int, text: str) -> None:
    """Put an entry among the pieces of a file, before the first that is older."""
    at = next((at for at, piece in enumerate(pieces) if (piece.key or key) < key), -1)
    if at < 0:
        keyed = [at for at, piece in enumerate(pieces) if piece.key is not None]
        fillers = (at for at, piece in enumerate(pieces) if piece.kind is not Kind.FILLER)
        at = keyed[-1] + 1 if keyed else next(fillers, len(pieces))
    follows = any(piece.text for piece in pieces[at:])
    if at and (before := pieces[at - 1]).text:
        blank = "\n" if follows else "\n\n"
        while not before.text.endswith(blank):
            before.text += "\n"
    ended = f"{text}\n" if follows and not text.endswith("\n\n") else text
    pieces.insert(at, Piece(Kind.ENTRY, ended))


class PieceChange(NamedTuple):
    """The pieces that a change takes out of a file, and those that it puts in."""

    gone: tuple[str, ...] = ()
    added: tuple[str, ...] = ()


def change_of(path: str, before: str, after: str) -> PieceChange:
    """The change from one text of a file to another; blank lines between pieces don't count."""
    old, new = _counted(path, before), _counted(path, after)
    return PieceChange(tuple((old - new).elements()), tuple((new - old).elements()))


def changed(path: str, text: str, change: PieceChange) -> str:
    """Return a file's text with a change: what that takes out and is still there as it was is
    gone, what it puts in is there, once.
    """
    pieces, gone = pieces_of(path, text), Counter(change.gone)
    for piece in pieces:
        if gone[stripped := piece.text.strip("\n")] > 0:
            gone[stripped] -= 1
            piece.text = ""
    there = {piece.text.strip("\n") for piece in pieces}
    for added in change.added:
        if added not in there:
            insert(pieces, Piece(Kind.ENTRY, added).key or 0, f"{added}\n")
    return "".join(piece.text for piece in pieces)


def _counted(path: str, text: str) -> Counter[str]:
    pieces = (piece for piece in pieces_of(path, text) if piece.kind is not Kind.FILLER)
    return Counter(piece.text.strip("\n") for piece in pieces)
