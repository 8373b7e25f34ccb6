"""A large manifest, exchanged in part: the lines of few issues, without taking the others apart.

At a million memories the manifest has 330 MB, and to read it line by line takes most of the time
of settling one write. What must be known of the others is only that they stand as we wrote them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any
from zlib import crc32

from store.raw_record import as_json

LARGE = 8_000_000
"""Bytes from which a manifest is exchanged in part; below, all of it takes some 50 ms."""
FEW = 3
"""The most issues whose lines are looked for one by one."""
_BETWEEN = b",\n"
ISSUES = "issueCount"
"""The key of the header that says how many issues a large manifest lists: with it, an issue that
was taken away is noticed."""
CHECKSUM = "checksum"
"""The key of the header that tells whether the entries are as they were written."""
_ROUND = 1 << 64


def checksum(lines: Iterable[bytes]) -> str:
    """What tells entries from others, whatever their order: so some can be exchanged alone.

    The sum of each line's CRC-32: against damage and careless hands, not against forgers.
    """
    return _as_text(sum(map(crc32, lines)))


def _as_text(number: int) -> str:
    return f"{number % _ROUND:016x}"


def spliced(
    data: bytes,
    opened: bytes,
    closed: bytes,
    present: Collection[int],
    stale: Mapping[int, Mapping[str, bytes]],
    id_of: Callable[[bytes], object],
    updated: str,
) -> bytes | None:
    """The manifest with the entries of some issues exchanged for the fresh ones given by id.

    `opened` and `closed` stand before the first and after the last of its lines. The same bytes
    where nothing changes; None where it must be read as a whole.
    """
    start = data.find(opened, 0, 4_096)
    if start < 0 or len(data) < LARGE or len(stale) > FEW or b"\0" in data:
        return None
    first, end = start + len(opened), len(data) - len(closed)
    if not data.startswith(b'{"id":"', first) or not data.endswith(b'"}' + closed):
        return None
    header = _header(data[:start])
    known = None if header is None else _number(header.get(CHECKSUM))
    if header is None or known is None:
        return None
    cuts: list[tuple[int, int, bytes]] = []
    added: list[bytes] = []
    listed = 0
    for issue, fresh in stale.items():
        left = dict(fresh)
        found = _lines_of(data, issue, first, end)
        listed += bool(found)
        for begin, stop in found:
            text = data[begin:stop]
            new = left.pop(str(id_of(text)), b"")
            if new != text:
                cuts.append((begin, stop, new))
        added += left.values()
    if header.get(ISSUES) != len(present) - (len(stale) - listed):
        return None
    if not cuts and not added:
        return data
    gone = sum(crc32(data[begin:stop]) for begin, stop, _ in cuts)
    come = sum(crc32(line) for line in (*(new for _, _, new in cuts if new), *added))
    header |= {"updatedAt": updated, ISSUES: len(present), CHECKSUM: _as_text(known - gone + come)}
    return _written(data, header, opened, sorted(cuts), added, first, end)


def _number(value: object) -> int | None:
    try:
        return int(value, 16) if isinstance(value, str) else None
    except ValueError:
        return None


def _header(data: bytes) -> dict[str, Any] | None:
    try:
        header = json.loads(data + b"}")
    except (ValueError, RecursionError):
        return None
    return header if isinstance(header, dict) else None


def _lines_of(data: bytes, issue: int, first: int, end: int) -> list[tuple[int, int]]:
    """Where the lines of an issue begin and end: no text of an entry can hold what marks it."""
    found = []
    mark, at = b',"issueNumber":%d,' % issue, first
    while (at := data.find(mark, at, end)) >= 0:
        begin = data.rfind(b"\n", first, at) + 1 or first
        stop = data.find(_BETWEEN, at, end)
        stop = end if stop < 0 else stop
        found.append((begin, stop))
        at = stop
    return found


def _written(
    data: bytes,
    header: Mapping[str, Any],
    opened: bytes,
    cuts: list[tuple[int, int, bytes]],
    added: list[bytes],
    first: int,
    end: int,
) -> bytes | None:
    """The manifest with some lines exchanged, an empty one for none; None where no line is left."""
    whole = memoryview(data)
    pieces: list[bytes | memoryview] = []
    at = first
    for begin, stop, new in cuts:
        pieces += (whole[at:begin], new)
        # What goes takes the comma and the line's end after it along.
        at = stop if new else min(stop + len(_BETWEEN), end)
    pieces.append(whole[at:end])
    while pieces and not pieces[-1]:
        pieces.pop()
    if not pieces:
        return None
    if bytes(pieces[-1][-len(_BETWEEN) :]) == _BETWEEN:
        pieces[-1] = pieces[-1][: -len(_BETWEEN)]
    head = as_json(header).removesuffix(b"\n}")
    tail = [_BETWEEN + line for line in added]
    return b"".join((head, opened, *pieces, *tail, whole[end:]))
