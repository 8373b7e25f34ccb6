"""Tables of inputs in files of their own: each row names what is asked, and what it is asked of.

A row whose text holds the place `‹›` is followed by `=== with` and what is put there in turn, one
a line (`⏎` stands for a new line). Its outcomes are told by what they have in common.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

_ROW = re.compile(r"^=== (\S+)\n", re.M)
_PLACE = "‹›"
_LINE, _NEW_LINE = "\n", "⏎"
_HEAD = 50
"""Characters of an input that stand before its outcome."""
_SHORTEST_TOLD = 3
"""Characters of what was put in a place that are known again in an outcome."""

Ask = Callable[[str], Any]


class Row(NamedTuple):
    """What is asked, the text it is asked of, and what is put in its place in turn."""

    ask: str
    text: str
    put: tuple[str, ...] = ()


def rows_in(path: Path) -> list[Row]:
    words = _ROW.split(path.read_text(encoding="utf-8"))
    rows: list[Row] = []
    for ask, text in zip(words[1::2], words[2::2], strict=True):
        text = text.removesuffix("\n")
        if ask == "with":
            put = tuple(it.replace(_NEW_LINE, _LINE) for it in text.split("\n"))
            rows[-1] = rows[-1]._replace(put=put)
        else:
            rows.append(Row(ask, text))
    return rows


def told(path: Path, asks: Mapping[str, Ask]) -> str:
    """What comes of each row of a file, a line or more each."""
    return "\n".join(_lines(rows_in(path), asks))


def _lines(rows: Iterable[Row], asks: Mapping[str, Ask]) -> Iterator[str]:
    last = ""
    for row in rows:
        if row.ask != last:
            yield f"=== {row.ask}"
        last = row.ask
        head = row.text if len(row.text) <= _HEAD else f"{row.text[:_HEAD]}…"
        if not row.put:
            yield f"{head!r} -> {outcome(asks[row.ask](row.text))}"
            continue
        yield f"{head!r} with"
        for told_, put in _by_outcome(row, asks[row.ask]).items():
            yield f"  {' | '.join(put).replace(_LINE, _NEW_LINE)} -> {told_}"


def _by_outcome(row: Row, ask: Ask) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for put in row.put:
        told_ = outcome(ask(row.text.replace(_PLACE, put)))
        if len(put) >= _SHORTEST_TOLD:
            told_ = told_.replace(put, _PLACE)
        found.setdefault(told_, []).append(put)
    return found


def outcome(value: Any) -> str:  # noqa: ANN401 - whatever a function answers
    """A value in words that are the same in each run."""
    if isinstance(value, Iterator):
        value = list(value)
    if isinstance(value, frozenset | set):
        return "{" + ", ".join(sorted(map(repr, value))) + "}"
    if isinstance(value, float):
        return f"{value:.4f}"
    if isinstance(value, list | tuple) and not hasattr(value, "_asdict"):
        parts = [outcome(each) for each in value]
        return "[" + ", ".join(parts) + "]"
    return str(value) if isinstance(value, str) and "\n" not in value else repr(value)
