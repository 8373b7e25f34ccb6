"""The gate of every door that stores text: private blocks go, secrets become named marks.

A secret turns into `[redacted RULE HASH]`; the same secret always gives the same mark, so that
two memories about one key are seen to be about one key, and cleaning twice changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache
from hashlib import sha256
from typing import Any, NamedTuple, TypeVar

from store.model import Observation
from store.redaction.context_rules import CONTEXT_WORDS, context_spans, private_key_spans
from store.redaction.keywords import Keywords, Places
from store.redaction.known_secrets import KnownSecrets
from store.redaction.name_hints import HINT_WORDS
from store.redaction.personal_choice import is_personal_redacted
from store.redaction.private_blocks import remove_private
from store.redaction.span import Span
from store.redaction.vendor_rules import numbers_by_keyword, vendor_spans
from store.redaction.walk import TextCleaner, cleaned, cleaned_observation, cleaned_record

T = TypeVar("T")
PRIVATE = "private-block"
"""The name under which a removed private block is reported."""

_PIECE = 8_000
_OVERLAP = 1_000
_PASSES = 8
_REMEMBERED = 512
"""The pieces of texts whose spans are kept."""
_SHORTEST = 6
_PLAIN = re.compile(r"[A-Za-z]{0,15}|[a-z]{1,12}-[a-z]{1,12}|[\d:.TZ-]{0,32}", re.ASCII)
"""Names of fields, agents and categories, and dates: no rule finds anything in one by itself."""
_TOKEN_TAIL = re.compile(r"[\w+/=~%-]*(?:\.[\w+/=~%-]{6,})*")


class Clean(NamedTuple):
    """A text without secrets. `redactions` names what was taken out, never the secret itself."""

    text: str
    redactions: tuple[str, ...] = ()


def sanitize(text: str) -> Clean:
    """The text without private blocks and secrets. Raises StoreError if the rules are missing."""
    secrets = KnownSecrets()
    done, removed = _clean(text, secrets)
    return Clean(done, (PRIVATE,) * removed + tuple(secrets.marks.values()))


def cleaned_text(text: str) -> str:
    """Return the text as the gate leaves it. Raises StoreError if the rules are missing."""
    return sanitize(text).text


def clean_observation(observation: Observation) -> tuple[Observation, tuple[str, ...]]:
    """Return the observation with every text cleaned, and what was taken out.

    A secret found in one field is taken out of all, also where only its context gave it away.
    """
    return _cleaned_by(cleaned_observation, observation)


def clean_record(record: Mapping[str, Any]) -> tuple[Mapping[str, Any], tuple[str, ...]]:
    """Return a record, valid or not, with every text cleaned; as `clean_observation`."""
    return _cleaned_by(cleaned_record, record)


def clean_value(value: T) -> tuple[T, tuple[str, ...]]:
    """Return a value of JSON's shape with every text cleaned; as `clean_observation`."""
    return _cleaned_by(cleaned, value)


def _cleaned_by(walk: Callable[[T, TextCleaner], T], value: T) -> tuple[T, tuple[str, ...]]:
    """Return a value cleaned by a walk, twice where a secret was found, and what was taken out."""
    secrets = KnownSecrets()
    removed = 0

    def clean(text: str) -> str:
        nonlocal removed
        text, blocks = _clean(text, secrets)
        removed += blocks
        return text

    done = walk(value, clean)
    if secrets.marks:
        done = walk(done, clean)
    return done, (PRIVATE,) * removed + tuple(secrets.marks.values())


def _clean(text: str, secrets: KnownSecrets) -> tuple[str, int]:
    """The cleaned text and the private blocks removed; adds each secret's mark to `secrets`."""
    text, removed = remove_private(text) if "<" in text else (text, 0)
    text = secrets.marked(text)
    if len(text) < _SHORTEST or (_PLAIN.fullmatch(text) and not is_personal_redacted()):
        return text, removed
    for _ in range(_PASSES):
        spans = _merged(text, _spans(text))
        if not spans:
            break
        text = _redact(text, spans, secrets)
    return text, removed


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


def _merged(text: str, spans: Iterator[Span]) -> list[Span]:
    """Spans in order, each to the end of its token, overlapping ones joined."""
    merged: list[Span] = []
    for start, end, rule in sorted(spans, key=lambda span: (span.start, -span.end)):
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


def _redact(text: str, spans: list[Span], secrets: KnownSecrets) -> str:
    parts: list[str] = []
    at = 0
    for start, end, rule in spans:
        secret = text[start:end]
        digest = sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()[:4]
        mark = secrets.add(secret, f"[redacted {rule} {digest}]")
        parts += (text[at:start], mark)
        at = end
    return secrets.marked("".join((*parts, text[at:])))
