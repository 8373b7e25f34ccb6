"""Digests of a file, and of the pieces of it that a memory cites: lines, or what a name defines.

A piece is found again wherever in the file it is now, however far it is set in. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from hashlib import blake2b

from store.drift.citations import MOST_LINES

_SIZE = 8
"""Bytes of a digest: enough to tell versions of one file apart."""
_MOST_PIECES = 6
_DIGITS = 6
"""Digits of a number of lines."""
_DEFINING = (
    "async|class|const|def|enum|export|fn|fun|func|function|impl|inline|interface|let|mod|module"
    "|private|protected|pub|public|static|struct|trait|type|val|var"
)
"""Words that a line begins with that defines a name, in the languages most used."""


def digest_of(text: str) -> str:
    """Return the digest of a text; blanks around its lines, and how these end, make none."""
    return _digest([line.strip() for line in text.splitlines()])


def _digest(lines: Sequence[str]) -> str:
    return blake2b("\n".join(lines).encode("utf-8", "replace"), digest_size=_SIZE).hexdigest()


def pieces_of(text: str, lines: tuple[int, int] | None, names: Sequence[str]) -> tuple[str, ...]:
    """Return the pieces of a file that a memory cites, as `has_piece` looks for them: the lines,
    else what those of the names define that the file has.
    """
    held = text.splitlines()
    if lines is not None and lines[0] <= len(held):
        cited = [line.strip() for line in held[lines[0] - 1 : lines[1]]]
        return (f"{len(cited)} {_digest(cited)}",) if any(cited) else ()
    blocks = ((name, next(_blocks_of(name, held), None)) for name in names[:_MOST_PIECES])
    return tuple(f"{name} {_digest(block)}" for name, block in blocks if block)


def has_piece(text: str, piece: str) -> bool:
    """Return whether a file has a piece that `pieces_of` found in it, wherever it is now."""
    of, _, wanted = piece.partition(" ")
    held = text.splitlines()
    if not (of.isascii() and of.isdigit() and len(of) <= _DIGITS):
        return any(_digest(block) == wanted for block in _blocks_of(of, held))
    size = min(int(of), MOST_LINES)
    stripped = [line.strip() for line in held]
    starts = range(len(stripped) - size + 1)
    return any(_digest(stripped[start : start + size]) == wanted for start in starts)


def _blocks_of(name: str, lines: Sequence[str]) -> Iterator[list[str]]:
    """Yield the lines that define a name: each such line with what is set in below it. Where none
    defines it, the lines that have it.
    """
    escaped = re.escape(name)
    has_name = re.compile(whole := rf"(?<!\w){escaped}(?!\w)")
    defines = re.compile(rf"\s*(?:(?:{_DEFINING})\b.*{whole}|{escaped}\s*(?:=|:|\())")
    having = [at for at, line in enumerate(lines) if name in line and has_name.search(line)]
    defining = [at for at in having if defines.match(lines[at])]
    for at in defining:
        yield _block(lines, at)
    if not defining:
        yield from ([lines[at].strip()] for at in having)


def _block(lines: Sequence[str], start: int) -> list[str]:
    depth = _depth(lines[start])
    block = [lines[start].strip()]
    for line in lines[start + 1 : start + MOST_LINES]:
        stripped = line.strip()
        is_outside = bool(stripped) and _depth(line) <= depth
        if is_outside and (_depth(line) < depth or stripped[0] not in ")}]"):
            break
        block.append(stripped)
        if is_outside and stripped[-1] not in ":{([":
            break  # else only the parameters end here
    while not block[-1]:
        block.pop()
    return block


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())
