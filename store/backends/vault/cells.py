"""The pieces of a file while it is changed, and what a change takes out and puts in.

By that a change is made to a file that somebody edited meanwhile, too. Pure.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from store.backends.vault.items import is_note, pieces_of
from store.backends.vault.markdown import MARK, Kind


class Cell:
    """A piece of a file that is being changed."""

    __slots__ = ("is_filler", "text")

    def __init__(self, text: str, *, is_filler: bool = False) -> None:
        self.text = text
        self.is_filler = is_filler

    @property
    def key(self) -> int | None:
        """The number in its mark."""
        mark = MARK.fullmatch(self.text.partition("\n")[0].rstrip())
        return int(mark["key"]) if mark else None


class PieceChange(NamedTuple):
    """The pieces that a change takes out of a file, and those that it puts in."""

    gone: tuple[str, ...] = ()
    added: tuple[str, ...] = ()


def cells_of(path: str, text: str) -> list[Cell]:
    """The pieces of a file; a note is one."""
    if text and is_note(path, text):
        return [Cell(text)]
    return [
        Cell(piece.text, is_filler=piece.kind is Kind.FILLER) for piece in pieces_of(path, text)
    ]


def insert(cells: list[Cell], key: int, text: str) -> None:
    """Put an entry among the pieces of a file, before the first that is older."""
    at = next((at for at, cell in enumerate(cells) if (cell.key or key) < key), -1)
    if at < 0:
        keyed = [at for at, cell in enumerate(cells) if cell.key is not None]
        fillers = next((at for at, it in enumerate(cells) if not it.is_filler), len(cells))
        at = keyed[-1] + 1 if keyed else fillers
    follows = any(cell.text for cell in cells[at:])
    if at and (before := cells[at - 1]).text:
        blank = "\n" if follows else "\n\n"
        while not before.text.endswith(blank):
            before.text += "\n"
    cells.insert(at, Cell(f"{text}\n" if follows and not text.endswith("\n\n") else text))


def change_of(path: str, before: str, after: str) -> PieceChange:
    """The change from one text of a file to another; blank lines between pieces don't count."""
    old, new = _pieces(path, before), _pieces(path, after)
    return PieceChange(tuple((old - new).elements()), tuple((new - old).elements()))


def changed(path: str, text: str, change: PieceChange) -> str:
    """A file's text with a change: what that takes out and still stands there as it was is gone,
    what it puts in stands there, once.
    """
    cells, gone = cells_of(path, text), Counter(change.gone)
    for cell in cells:
        if gone[piece := _text_of(cell.text)] > 0:
            gone[piece] -= 1
            cell.text = ""
    there = {_text_of(cell.text) for cell in cells}
    for piece in change.added:
        if piece not in there:
            insert(cells, Cell(piece).key or 0, f"{piece}\n")
    return "".join(cell.text for cell in cells)


def _pieces(path: str, text: str) -> Counter[str]:
    return Counter(_text_of(cell.text) for cell in cells_of(path, text) if not cell.is_filler)


def _text_of(text: str) -> str:
    return text.strip("\n")
