"""Hints of sensitive names: the places of a text that are worth reading for one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from operator import itemgetter

from store.redaction.keywords import Places

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

HINT_WORDS = (*_PLAIN_HINTS, *_HINTS)
"""What a text must hold, case ignored, to have a hint."""


@cache
def _hint(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.I)


def name_hints(text: str, words: Places) -> list[tuple[int, int]]:
    """Find places of possible sensitive names, in order: cheap, for `sensitivity` to read.

    `words` has those of `HINT_WORDS` that the case folded text holds.
    """
    found: list[tuple[int, int]] = []
    for word in HINT_WORDS:
        if word not in words:
            continue
        pattern = _hint(_HINTS.get(word, word))
        if text.isascii():
            # A pattern begins with its word, or with the mark before it.
            tried = (
                pattern.match(text, start) or pattern.match(text, max(0, start - 1))
                for start in words[word]
            )
            found += (match.span() for match in tried if match)
        else:  # Case folded, such a text may have another length.
            found += (match.span() for match in pattern.finditer(text))
    return sorted(found, key=itemgetter(0))
