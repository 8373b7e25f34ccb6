"""The gate of every door that stores text: private blocks go, secrets become named marks.

A secret turns into `[redacted RULE HASH]`; the same secret always gives the same mark, so that
two memories about one key are seen to be about one key, and cleaning twice changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Any, NamedTuple, TypeVar

from store.model import Observation
from store.redaction.known_secrets import KnownSecrets
from store.redaction.personal_choice import is_personal_redacted
from store.redaction.private_blocks import remove_private
from store.redaction.span import Span
from store.redaction.walk import TextCleaner, cleaned, cleaned_observation, cleaned_record

T = TypeVar("T")
PRIVATE = "private-block"
"""The name under which a removed private block is reported."""

MARK = "[redacted "
"""The beginning of a mark that has a secret's place."""
_PASSES = 8
_SHORTEST = 6
_PLAIN = re.compile(r"[A-Za-z]{0,15}|[a-z]{1,12}-[a-z]{1,12}|[\d:.TZ-]{0,32}", re.ASCII)
"""Names of fields, agents and categories, and dates: no rule finds anything in one by itself."""


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
    from store.redaction.rules import secret_spans  # nearly all texts are known to be clean

    for _ in range(_PASSES):
        spans = secret_spans(text)
        if not spans:
            break
        text = _redact(text, spans, secrets)
    return text, removed


def _redact(text: str, spans: list[Span], secrets: KnownSecrets) -> str:
    parts: list[str] = []
    at = 0
    for start, end, rule in spans:
        secret = text[start:end]
        digest = sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()[:4]
        mark = secrets.add(secret, f"{MARK}{rule} {digest}]")
        parts += (text[at:start], mark)
        at = end
    return secrets.marked("".join((*parts, text[at:])))
