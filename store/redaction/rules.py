"""All rules for secrets, applied to a text. They take long to load."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from store.redaction.context_rules import CONTEXT_WORDS, context_spans, private_key_spans
from store.redaction.keywords import Keywords, Places
from store.redaction.name_hints import HINT_WORDS
from store.redaction.personal_choice import is_personal_redacted
from store.redaction.span import Span
from store.redaction.vendor_rules import numbers_by_keyword, vendor_spans

_PIECE = 8_000
_OVERLAP = 1_000
_REMEMBERED = 512
"""The pieces of texts whose spans are kept."""
_TOKEN_TAIL = re.compile(r"[\w+/=~%-]*(?:\.[\w+/=~%-]{6,})*")


def secret_spans(text: str) -> list[Span]:
    """Return what the rules find in a text, in order, each to the end of its token, overlapping
    ones joined. Raises `StoreError` if the rules are missing.
    """
    merged: list[Span] = []
    for start, end, rule in sorted(_spans(text), key=lambda span: (span.start, -span.end)):
        if merged and end <= merged[-1].end:
            continue  # of a token that was read to its end: to read it again takes its square
        tail = _TOKEN_TAIL.match(text, end)
        end = tail.end() if tail else end
        if merged and start < merged[-1].end:
            last = merged[-1]
            merged[-1] = Span(last.start, max(last.end, end), last.rule)
        else:
            merged.append(Span(start, end, rule))
    return merged


def _spans(text: str) -> Iterator[Span]:
    """All spans, found in overlapping pieces so that no pattern sees more than a bounded text."""
    yield from private_key_spans(text)
    if is_personal_redacted():
        from store.redaction.personal import personal_spans  # few choose it

        yield from personal_spans(text)
    for start in range(0, max(1, len(text) - _OVERLAP), _PIECE - _OVERLAP):
        for begin, end, rule in _piece_spans(text[start : start + _PIECE]):
            yield Span(start + begin, start + end, rule)


@lru_cache(maxsize=_REMEMBERED)
def _piece_spans(piece: str) -> tuple[Span, ...]:
    """Return the spans in a piece: kept, as the door cleans again whatever was cleaned before."""
    words = words_in(piece)
    return (*vendor_spans(piece, words), *context_spans(piece, words))


def words_in(text: str) -> Places:
    """Return the words that rules ask for and a text holds, case folded, with their places."""
    return _keywords().places(text.casefold())


@cache
def _keywords() -> Keywords:
    return Keywords({*numbers_by_keyword(), *CONTEXT_WORDS, *HINT_WORDS})
