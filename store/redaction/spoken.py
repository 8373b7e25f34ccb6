"""Secrets in a sentence: `the deploy key S`, `use S as the Stripe API key`, `S` in code.

A sentence proves less than an assignment, so the value must look drawn: letters and digits without
words, and no plain hexadecimal (a commit, a checksum) unless the name next to it is a credential's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from store.platform.lazy_pattern import lazy_pattern
from store.redaction.names import Sensitivity, sensitivity
from store.redaction.span import Span
from store.redaction.values import is_placeholder, is_random, is_reference

_NAME_BEFORE = lazy_pattern(r"(?:[\w.-]{1,30}[ \t]){0,2}[\w-]*\Z")
_NAME_REST = lazy_pattern(r"[\w-]{0,30}")


LEAST_TOKEN = 16
"""Characters of the shortest secret that a sentence names; no space is in one."""
_VALUE_AFTER = lazy_pattern(rf"[ \t]{{1,2}}(?:[`\"']{{1,3}})?([\w+/=.~-]{{{LEAST_TOKEN},400}})")
_VALUE = lazy_pattern(rf"(?<![\w+/=.@#:-])[\w+/=.~-]{{{LEAST_TOKEN},400}}(?![\w@(])")


_VALUE_FIRST = lazy_pattern(
    r"[`\"']{0,3}[ \t]+(?:as|is|for|was)[ \t]+(?:(?:the|our|my|your|its|a|an|new|old)[ \t]+)?"
    r"((?:[\w.-]{1,30}[ \t]+){0,4}?[\w-]{0,20}(?:key|token|secret|credentials?|passphrase))\b",
    re.I,
)
_IN_CODE = lazy_pattern(r"(?<!`)`([A-Za-z0-9_-]{24,80})`(?!`)")


_HEXADECIMAL = lazy_pattern(r"(?:[0-9a-f]+|[0-9A-F]+)(?:-[0-9a-fA-F]+)*")
_CREDENTIALS = frozenset({Sensitivity.TOKEN, Sensitivity.PASSWORD})


_IDENTIFIER = lazy_pattern(r"(?:[a-z]{2,12}_){1,3}[A-Za-z0-9]+")
"""A record's id (`msg_01Ab…`); tokens that are written so have a rule of their own."""


def spoken_spans(text: str, hints: Sequence[tuple[int, int]]) -> Iterator[Span]:
    """Find secrets that a sentence names, before or after, or shows in code marks.

    `hints` are the places where a name may be.
    """
    yield from _after_a_name(text, hints)
    if hints:
        yield from _before_a_name(text)
    for match in _IN_CODE.finditer(text) if "`" in text else ():
        value = match.group(1)
        if _is_drawn(value, Sensitivity.KEY) and _has_all_kinds(value):
            yield Span(match.start(1), match.end(1), "token")


def _after_a_name(text: str, hints: Iterable[tuple[int, int]]) -> Iterator[Span]:
    for start, hint_end in hints:
        rest = _NAME_REST.match(text, hint_end)
        end = rest.end() if rest else hint_end
        value = _VALUE_AFTER.match(text, end)
        if value is None:
            continue
        before = _NAME_BEFORE.search(text, max(0, start - 70), start)
        kind = sensitivity(text[before.start() if before else start : end])
        if kind is not Sensitivity.NONE and _is_drawn(value.group(1).rstrip("."), kind):
            yield Span(value.start(1), value.start(1) + len(value.group(1).rstrip(".")), "key")


def _before_a_name(text: str) -> Iterator[Span]:
    for value in _VALUE.finditer(text):
        name = _VALUE_FIRST.match(text, value.end())
        kind = sensitivity(name.group(1)) if name else Sensitivity.NONE
        if kind is not Sensitivity.NONE and _is_drawn(value.group(), kind):
            yield Span(value.start(), value.end(), "key")


def _is_drawn(value: str, kind: Sensitivity) -> bool:
    if is_placeholder(value) or is_reference(value) or _IDENTIFIER.fullmatch(value):
        return False
    if "/" in value or "=" in value.rstrip("="):
        return False
    if _HEXADECIMAL.fullmatch(value) and kind not in _CREDENTIALS:
        return False
    has_both = any(map(str.isdigit, value)) and any(map(str.isalpha, value))
    return has_both and is_random(value, least=LEAST_TOKEN)


def _has_all_kinds(value: str) -> bool:
    """Capitals, small letters and digits are mixed throughout, as in no written word."""
    digits = sum(map(str.isdigit, value))
    return digits >= 3 and any(map(str.isupper, value)) and any(map(str.islower, value))
