"""Tables of inputs in files of their own: each row names what is asked, and what it is asked of."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

_ROW = re.compile(r"^=== (\S+)\n", re.M)
_HEAD = 50
"""Characters of an input that stand before its outcome."""

Ask = Callable[[str], Any]


def rows_in(path: Path) -> list[tuple[str, str]]:
    """The rows of a file: what is asked, and the text it is asked of."""
    words = _ROW.split(path.read_text(encoding="utf-8"))
    return [
        (ask, text.removesuffix("\n")) for ask, text in zip(words[1::2], words[2::2], strict=True)
    ]


def told(path: Path, asks: Mapping[str, Ask]) -> str:
    """What comes of each row of a file, a line or more each."""
    return "\n".join(_lines(rows_in(path), asks))


def _lines(rows: list[tuple[str, str]], asks: Mapping[str, Ask]) -> Iterator[str]:
    last = ""
    for ask, text in rows:
        if ask != last:
            yield f"=== {ask}"
        last = ask
        head = text if len(text) <= _HEAD else f"{text[:_HEAD]}…"
        yield f"{head!r} -> {outcome(asks[ask](text))}"


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
