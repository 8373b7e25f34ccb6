"""Differences of two versions of a file, piece by piece: paragraphs, items of lists. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import accumulate, pairwise
from typing import NamedTuple

from store.text.markdown import is_heading, pieces
from store.text.similarity import similarity

_MOST = 2_000
"""Pieces that are compared: of more, all between the first and the last difference is one."""
_MOST_PAIRS = 400
"""Pairs of pieces whose words are compared."""
_LONGEST = 2_000
"""Characters of a piece whose words are compared."""
_ALIKE = 50
"""Similarity from which a piece is another version of one, not a new one in its place."""


class Difference(NamedTuple):
    """Lines of an earlier version, from `first` up to `end`, and those of a later one that are in
    their place: either may be none.
    """

    first: int
    end: int
    later_first: int
    later_end: int


def differences(before: str, after: str) -> list[Difference]:
    """Return the differences of two texts, in their order: none within another."""
    old, new = pieces(before), pieces(after)
    old_starts, new_starts = _starts(old), _starts(new)
    return [
        Difference(old_starts[first], old_starts[end], new_starts[later], new_starts[later_end])
        for first, end, later, later_end in _blocks(_texts(old), _texts(new))
    ]


def _texts(found: Sequence[Sequence[str]]) -> list[str]:
    return ["".join(lines) for lines in found]


def _starts(found: Sequence[Sequence[str]]) -> list[int]:
    """Return the line at which each piece begins, and that after the last."""
    return list(accumulate(map(len, found), initial=0))


def _blocks(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int, int, int]]:
    """Yield differing blocks of pieces, as small as somebody would want to judge them."""
    start, shortest = 0, min(len(old), len(new))
    while start < shortest and old[start] == new[start]:
        start += 1
    same = 0
    while same < shortest - start and old[-1 - same] == new[-1 - same]:
        same += 1
    rest, later_rest = old[start : len(old) - same], new[start : len(new) - same]
    if max(len(rest), len(later_rest)) > _MOST:
        yield start, start + len(rest), start, start + len(later_rest)
        return
    for kind, first, end, later, later_end in SequenceMatcher(
        None, rest, later_rest, autojunk=True
    ).get_opcodes():
        if kind == "equal":
            continue
        for block in _divided(rest[first:end], later_rest[later:later_end]):
            yield (
                start + first + block[0],
                start + first + block[1],
                start + later + block[2],
                start + later + block[3],
            )


def _divided(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int, int, int]]:
    """Yield a block's pairs of versions of a piece, and by itself each that has no other version.

    A last line without its end stays with all else: nothing can be put after it.
    """
    has_open_end = any(found and not found[-1].endswith("\n") for found in (old, new))
    own, others = _together(old), _together(new)
    if old and new and (has_open_end or len(own) * len(others) > _MOST_PAIRS):
        yield 0, len(old), 0, len(new)
        return
    later = 0
    for start, end in pairwise(own):
        text = "".join(old[start:end])
        pair = next(
            (
                (first, last)
                for first, last in pairwise(others)
                if first >= later and _is_version(text, "".join(new[first:last]))
            ),
            (later, later),
        )
        yield from (
            (start, start, *span) for span in pairwise(others) if later <= span[0] < pair[0]
        )
        yield start, end, *pair
        later = pair[1]
    yield from ((len(old), len(old), *span) for span in pairwise(others) if span[0] >= later)


def _together(texts: Sequence[str]) -> list[int]:
    """Return where pieces begin, and the end: blank lines with the piece above them, a heading with
    the one below.
    """
    starts = [0] if texts else []
    for at, text in enumerate(texts):
        above = texts[starts[-1] : at]
        if text.strip() and any(line.strip() and not is_heading(line) for line in above):
            starts.append(at)
    return [*starts, len(texts)]


def _is_version(one: str, other: str) -> bool:
    return similarity(one[:_LONGEST], other[:_LONGEST]) >= _ALIKE
