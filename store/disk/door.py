"""The door: what an observation must be to be stored, and what it gets when it comes in."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated

from pydantic import AwareDatetime, Field, StrictInt, TypeAdapter, ValidationError

from store.disk.layout import MAX_ISSUE
from store.disk.records import estimate_tokens, first_line
from store.errors import InvalidObservation
from store.model import MAX_CONTENT, MAX_SUMMARY, UNDATED, Observation
from store.text.sanitizer import clean_observation

NewId = Callable[[str, int, datetime], str]
"""Makes an id from agent, issue and time."""

CUT_MARK = "… [cut at 2,000 characters]"
_ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789"
_NOT_ALPHANUMERIC = re.compile(r"[^a-z0-9]+", re.ASCII)

_agent = TypeAdapter(Annotated[str, Field(pattern=r"\A[A-Za-z0-9._-]{1,64}\z")])
_issue = TypeAdapter(Annotated[StrictInt, Field(ge=0, le=MAX_ISSUE)])
_category = TypeAdapter(
    Annotated[str, Field(pattern=r"\A[a-z][a-z0-9]*(?:-[a-z0-9]+)*\z", max_length=64)]
)
_time = TypeAdapter(AwareDatetime)

_CHECKS = (
    ("agent", _agent, "letters, digits, `.`, `_` and `-`, 1 to 64 of them"),
    ("issue_number", _issue, "0 or a positive integer of at most 9 digits"),
    ("category", _category, "a lowercase word, its parts joined by `-`"),
    ("timestamp", _time, "a date and time with a zone"),
)


@dataclass(frozen=True, slots=True)
class Admitted:
    """An observation ready to be stored, and what was changed on the way in, in words."""

    observation: Observation
    notices: tuple[str, ...] = ()


def admit(observation: Observation, now: datetime, new_id: NewId) -> Admitted:
    """Check, clean and complete an observation. Raises `InvalidObservation`.

    Secrets and private passages are taken out first (SPEC-29 §6.1), then the content is cut at
    2,000 characters with a visible mark, and id, summary, tokens and timestamp are filled in.
    """
    check(observation)
    cleaned, redactions = clean_observation(observation)
    notices = []
    if redactions:
        noun = "passage" if len(redactions) == 1 else "passages"
        notices.append(f"{len(redactions)} secret or private {noun} were taken out.")
    content = cleaned.content.strip("\n")
    if not content.strip():
        raise InvalidObservation(
            "Nothing is left of the content once its private parts are taken out.",
            "Say something that may be remembered.",
        )
    if len(content) > MAX_CONTENT:
        notices.append(f"The content had {len(content):,} characters and was cut at 2,000.")
        content = content[: MAX_CONTENT - len(CUT_MARK)].rstrip() + CUT_MARK
    timestamp = now if cleaned.timestamp == UNDATED else cleaned.timestamp
    summary = first_line(cleaned.summary) or first_line(content)
    identifier = cleaned.id or new_id(cleaned.agent, cleaned.issue_number, timestamp)
    admitted = replace(
        cleaned,
        id=identifier,
        content=content,
        summary=summary[:MAX_SUMMARY],
        tokens=estimate_tokens(content),
        timestamp=timestamp.replace(microsecond=timestamp.microsecond // 1000 * 1000),
    )
    return Admitted(admitted, tuple(notices))


def check(observation: Observation) -> None:
    """Raise `InvalidObservation`, naming the field, for what can't be stored."""
    for name, adapter, rule in _CHECKS:
        value = getattr(observation, name)
        try:
            adapter.validate_python(value)
        except ValidationError as error:
            raise InvalidObservation(
                f"{name.replace('_', ' ')} {value!r} is not valid.", f"It must be {rule}."
            ) from error
    for name in ("content", "summary", "id", "session_id"):
        if not isinstance(getattr(observation, name), str):
            raise InvalidObservation(f"{name.replace('_', ' ')} must be a text.", "Pass a string.")
    if not observation.content.strip():
        raise InvalidObservation("The content is empty.", "Say what was learned.")


def make_id(agent: str, issue: int, when: datetime) -> str:
    """`obs-{agent}-{issue}-{unix ms}-{6 of a-z0-9}` (SPEC-29 §4.3)."""
    name = _NOT_ALPHANUMERIC.sub("", agent.lower())[:20] or "agent"
    suffix = "".join(_ALPHABET[byte % 36] for byte in os.urandom(6))
    return f"obs-{name}-{issue}-{int(when.timestamp() * 1000)}-{suffix}"
