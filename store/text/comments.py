"""The comments of Markdown and HTML: `<!-- … -->`."""

from __future__ import annotations

_START, _END = "<!--", "-->"


def without_comments(text: str) -> str:
    parts, at = [], 0
    while (start := text.find(_START, at)) >= 0:
        end = text.find(_END, start + len(_START))
        if end < 0:
            break
        parts.append(text[at:start])
        at = end + len(_END)
    return "".join((*parts, text[at:]))
