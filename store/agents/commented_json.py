"""JSON with comments, as some clients read their own files."""

from __future__ import annotations

import re

_STRING = r'"(?:[^"\\\n]|\\.)*+"?'
_COMMENTS = re.compile(
    rf"(?P<kept>{_STRING})|//[^\n]*+|/\*[^*]*+(?:\*(?!/)[^*]*+)*+(?:\*/)?", re.ASCII
)
"""A string, or a comment: one that nobody closed ends with the text."""
_LAST_COMMA = re.compile(rf"(?P<kept>{_STRING}|[{{\[][ \t\r\n]*+,)|,(?=[ \t\r\n]*+[}}\]])")
"""A comma after the last value. One before the first is nothing that a client passes over."""
_SIGN = re.compile(r"[^\r\n]")


def plain_json(text: str) -> str:
    """The text with its comments, and commas before a bracket that closes, as blanks.

    What is left stands at its place.
    """
    return _LAST_COMMA.sub(_blanked, _COMMENTS.sub(_blanked, text))


def _blanked(match: re.Match[str]) -> str:
    return match.group() if match["kept"] is not None else _SIGN.sub(" ", match.group())
