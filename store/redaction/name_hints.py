"""Hints of sensitive names: the places of a text that are worth reading for one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from operator import itemgetter

_PLAIN_HINTS = (
    *("pass", "pwd", "pswd", "senha", "secret", "token", "key", "auth"),
    *("cred", "jwt", "bearer", "webhook", "otp", "seed", "salt", "chave"),
)
_HINTS: Mapping[str, str] = {
    "pw": r"\bpw\b",
    "sig": r"signature|\bsig\b",
    "dsn": r"\bdsn\b|_dsn",
    "pin": r"\bpin\b",
    "licen": "licen[sc]e",
    "sess": "sess(?:ion)?_?id",
    "pat": r"\bpat\b|_pat\b",
}
"""Where else a sensitive name may stand: what such a text holds, and the pattern looked for."""


@cache
def _hint(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.I)


@lru_cache(maxsize=1)
def name_hints(text: str) -> tuple[tuple[int, int], ...]:
    """Find places of possible sensitive names, in order: cheap, for `sensitivity` to read.

    Two rules ask for the same text one after the other.
    """
    folded = text.casefold()
    found: list[tuple[int, int]] = []
    for mark in _PLAIN_HINTS:
        if mark not in folded:
            continue
        if text.isascii():
            found += _places(folded, mark)
        else:  # Case folded, such a text may have another length.
            found += (match.span() for match in _hint(mark).finditer(text))
    for mark, pattern in _HINTS.items():
        if mark in folded:
            found += (match.span() for match in _hint(pattern).finditer(text))
    return tuple(sorted(found, key=itemgetter(0)))


def _places(text: str, part: str) -> Iterator[tuple[int, int]]:
    """Find a part in a text, no two places overlapping."""
    at = text.find(part)
    while at >= 0:
        yield at, at + len(part)
        at = text.find(part, at + len(part))
