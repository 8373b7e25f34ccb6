"""Texts cut to a number of characters, where a sentence, a word or a name ends."""

from __future__ import annotations

from collections.abc import Sequence

from store.text.markdown import SENTENCE_END, paragraphs


def shorten(text: str, limit: int) -> str:
    """Return a text in one line of at most `limit` characters, cut between words with an `…`."""
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    cut = line[: limit - 1].rsplit(" ", 1)[0] if " " in line[: limit - 1] else line[: limit - 1]
    return cut.rstrip(" ,;:-") + "…"


def listed(names: Sequence[str], limit: int) -> str:
    """Return the first names that fit into `limit` characters, at least one, and how many more."""
    kept = len(names)
    while kept > 1 and len(", ".join(names[:kept])) > limit:
        kept -= 1
    more = f" and {len(names) - kept} more" if kept < len(names) else ""
    return ", ".join(names[:kept]) + more


def cut(text: str, limit: int) -> str:
    """Return a line of at most `limit` characters that ends with a sentence, where one ends in its
    second half, else between words with an `…`."""
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    ends = [found.start() for found in SENTENCE_END.finditer(line, 0, limit + 2)]
    ends = [end for end in ends if limit // 2 <= end <= limit]
    return line[: ends[-1]].rstrip() if ends else shorten(line, limit)


def opening(text: str, enough: int, limit: int) -> str:
    """Return the first paragraph of a text, with those after it while it is shorter than `enough`
    characters or only leads to them; at most `limit` characters, cut at a sentence."""
    begun = ""
    for line in paragraphs(text):
        begun = f"{begun} {line}".strip()
        if len(begun) >= enough and not begun.endswith(":"):
            break
    return cut(begun, limit).rstrip(":")
