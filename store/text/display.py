"""Text as it may be on a terminal: what would act on the screen becomes a symbol one can see.

Memory is written by agents about whatever they read, so any field may hold escape sequences,
bidirectional overrides or invisible characters. Every face of memtui shows text through `visible`.
"""

from __future__ import annotations

import re

from store.platform.lazy_pattern import lazy_pattern

HIDDEN = "\u25cc"
"""Stands for a character that would be invisible or reorder the line (dotted circle)."""
UNKNOWN = "\ufffd"
"""Stands for a control code without a picture of its own, or a lone surrogate."""

_PICTOGRAPH = r"\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u2bff\u3030\u303d\u3297\u3299"
_EMOJI = _PICTOGRAPH + r"\U0001f000-\U0001faff"
_JOINING_SCRIPTS = (
    r"\u0620-\u07fa\u0840-\u0dff\u0f00-\u0fff\u1000-\u109f\u1780-\u17b3\u17b6-\u18af"
    r"\ufb50-\ufdff\ufe70-\ufefc"
)
_SELECTORS = r"\ufe00-\ufe0f\U000e0100-\U000e01ef"

# Kept: a flag written with tag characters; a joiner inside an emoji or in a script that shapes its
# letters; one variation selector after its base character (a row of them can hide a message).
_KEPT = (
    r"\U0001f3f4[\U000e0030-\U000e007a]{3,6}\U000e007f"
    rf"|(?<=[{_EMOJI}\ufe0f])\u200d(?=[{_EMOJI}])"
    rf"|(?<=[{_JOINING_SCRIPTS}])[\u200c\u200d]"
    rf"|(?<=[^\x00-\x20{_SELECTORS}])[{_SELECTORS}](?![{_SELECTORS}])"
)
_CONTROLS = r"\x00-\x09\x0b-\x1f\x7f-\x9f"
_LINE_BREAKS = r"\u2028\u2029"
_SURROGATES = r"\ud800-\udfff"
_INVISIBLE = (
    r"\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    r"\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\U000e0000-\U000e0fff"
    r"\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\ufe00-\ufe0f"
)
_SUSPECT = re.compile(f"[{_CONTROLS}{_LINE_BREAKS}{_SURROGATES}{_INVISIBLE}]")
_TOKENS = lazy_pattern(
    f"(?P<kept>{_KEPT})|(?P<end>\r(?=\n)|\t)|(?P<line>[\x0b\x0c\x85{_LINE_BREAKS}])"
    f"|(?P<control>[{_CONTROLS}])|(?P<lone>[{_SURROGATES}])|[{_INVISIBLE}]"
)


def visible_line(text: str) -> str:
    """Return `text` as `visible` does, in one line: newlines become spaces."""
    return visible(text, newlines=False)


def visible(text: str, *, newlines: bool = True) -> str:
    """`text` with everything that could act on a terminal shown as a symbol instead.

    Each character gives exactly one, so ranges of matches stay right. Control codes become their
    control pictures, lone surrogates and C1 codes U+FFFD, bidirectional and invisible characters
    a dotted circle, tabs a space, line separators a newline. With `newlines=False` the result is
    one line: newlines become spaces.
    """
    if _SUSPECT.search(text):
        text = _TOKENS.sub(_symbol, text)
    return text if newlines else text.replace("\n", " ")


def _symbol(match: re.Match[str]) -> str:
    """Return the symbol for one suspect character; what belongs to a script or an emoji stays."""
    found = match.group()
    match match.lastgroup:
        case "kept":
            return found
        case "end":
            return " "
        case "line":
            return "\n"
        case "control":
            return _control_picture(ord(found))
        case "lone":
            return UNKNOWN
    return HIDDEN


def _control_picture(code: int) -> str:
    """Return the Unicode control picture of a C0 code or DEL; C1 codes have none."""
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else UNKNOWN
