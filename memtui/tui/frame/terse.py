"""Fewer bytes for the terminal: of a piece's style only what differs from the piece before it.

Textual ends each piece of text with a reset, and begins the next with both of its colours in full:
most of what a key press writes, which is felt where the terminal is far away.
"""

from __future__ import annotations

import re

_STYLE = re.compile(
    r"\x1b\[0m(?P<move>(?:\x1b\[\d+;\d+H)?)\x1b\[(?P<next>[\d;]+)m|\x1b\[(?P<alone>[\d;]*)m"
)
"""A reset and the style after it, perhaps elsewhere on the screen; or either by itself."""
_COLOR = r"8;(?:2;\d+;\d+;\d+|5;\d+)"
_COLORS = re.compile(rf"(3{_COLOR})?(?:(?:^|;)(4{_COLOR}))?")
"""A style of colours and nothing else: what the next one has instead needs no reset."""
_DEFAULTS = ("39", "49")
"""The terminal's own colours."""


def terse(text: str) -> str:
    """Return a text for the terminal that looks the same, in fewer bytes.

    The terminal must be without a style where it begins; Textual leaves it so.
    """
    current = ""

    def shorter(match: re.Match[str]) -> str:
        nonlocal current
        before, style = current, match["next"]
        if style is None:
            current = "" if match["alone"] in ("", "0") else match["alone"]
            return match[0]
        current = "" if style == "0" else style
        if before == style:
            return match["move"]
        was, now = _COLORS.fullmatch(before), _COLORS.fullmatch(style)
        if was is None or now is None or not before:
            return match[0]
        pairs = zip(was.groups(), now.groups(), _DEFAULTS, strict=True)
        changed = [new or default for old, new, default in pairs if old != new]
        return f"{match['move']}\x1b[{';'.join(changed)}m"

    return _STYLE.sub(shorter, text)
