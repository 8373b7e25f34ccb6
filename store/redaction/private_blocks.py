"""Private blocks: what `<private>…</private>` surrounds is never kept."""

from __future__ import annotations

import re

from store.platform.lazy_pattern import lazy_pattern

_BLOCK = lazy_pattern(r"<private\b[^<>]*>(?:(?!<private\b).)*?</private\s*>", re.I | re.S)
_OPEN = lazy_pattern(r"<private\b", re.I)
_CLOSE = lazy_pattern(r"</private\s*>", re.I)
_PASSES = 4


def remove_private(text: str, mark: str = "") -> tuple[str, int]:
    """Return the text with a mark in place of its `<private>…</private>` blocks, and how many
    these were.

    Blocks may be nested. One that is never closed reaches to the end of the text: better to lose
    a line than to keep what was meant to be forgotten. The same holds for tags that only come
    together once inner blocks are gone.
    """
    removed = 0
    for _ in range(_PASSES):
        if not _OPEN.search(text):
            break
        text, count = _BLOCK.subn(mark, text)
        removed += count
        if not count:
            break
    opening = _OPEN.search(text)
    if opening:
        text, removed = text[: opening.start()] + mark, removed + 1
    return _CLOSE.sub("", text) if removed else text, removed
