"""Checks, cleans and completes an observation on its way into the store."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import count
from typing import Any

from store.errors import InvalidObservation
from store.model import MAX_CONTENT, UNDATED, Observation
from store.notice import Notice, notice
from store.records import base36, estimate_tokens, first_line
from store.redaction.labels import agent_name
from store.redaction.sanitizer import clean_observation, sanitize
from store.validation.rules import AGENT_NAME, FIELDS, check_fields

NewId = Callable[[str, int, datetime], str]
"""Makes an id from agent, issue and time."""

_NOTHING = Observation(agent="", issue_number=0, category="", content="")
CUT_MARK = "… [cut at 2,000 characters]"
_STEP = 1_482_091_597
"""Odd and no multiple of three, so that all suffixes come before one comes again."""
_NOT_ALPHANUMERIC = re.compile(r"[^a-z0-9]+", re.ASCII)
_numbers = count()


@dataclass(frozen=True, slots=True)
class Prepared:
    """An observation ready to be stored, and what was changed on the way in."""

    observation: Observation
    notices: tuple[Notice, ...] = ()


def prepare(observation: Observation, now: datetime, new_id: NewId) -> Prepared:
    """Check, clean and complete an observation. Raises `InvalidObservation`.

    Secrets and private passages are taken out first (SPEC-29 §6.1), then the content is cut at
    2,000 characters with a visible mark, and id, summary, tokens and timestamp are filled in.
    """
    check_fields(observation)
    cleaned, redactions = clean_observation(observation)
    content, cut = _fitted(cleaned.content)
    timestamp = _whole_millis(now if cleaned.timestamp == UNDATED else cleaned.timestamp)
    # An id that another program made of a secret is given up: a mark in it would not be one id.
    kept = "" if _has_secret(cleaned.id) else cleaned.id
    agent = _named(cleaned.agent)
    prepared = cleaned._replace(
        id=kept or new_id(agent, cleaned.issue_number, timestamp),
        agent=agent,
        content=content,
        summary=first_line(cleaned.summary) or first_line(content),
        tokens=estimate_tokens(content),
        timestamp=timestamp,
        tags=tuple(dict.fromkeys(cleaned.tags)),
    )
    return Prepared(prepared, _reason(redactions) + cut)


def prepare_update(before: Observation, fields: Mapping[str, Any]) -> Prepared:
    """Return an observation with some fields changed. Raises `InvalidObservation`, also for a
    content that is too long: what would be cut off is nowhere else.

    Only those are checked, cleaned and fitted: what else is there, whoever wrote it, stays.
    Tokens follow the content, and so does a summary that followed it before.
    """
    if unknown := fields.keys() - FIELDS:
        raise InvalidObservation(f"Unknown fields: {', '.join(sorted(unknown))}.", "")
    changed = before._replace(**fields)
    if (changed.id, changed.issue_number) != (before.id, before.issue_number):
        raise InvalidObservation(
            "An edit can't change the id or issue.", "Add a new memory and delete this one."
        )
    check_fields(changed, fields)
    cleaned, redactions = clean_observation(_NOTHING._replace(**fields))
    done = {name: getattr(cleaned, name) for name in fields}
    notices = _reason(redactions)
    if "content" in fields:
        done["content"], cut = _fitted(cleaned.content)
        if cut:
            raise InvalidObservation(
                f"The content has {len(cleaned.content):,} characters; a memory holds "
                f"{MAX_CONTENT:,}.",
                "Shorten it, or add the rest as another memory.",
            )
        done["tokens"] = estimate_tokens(done["content"])
        if before.summary == first_line(before.content):
            done.setdefault("summary", "")
    if "summary" in done:
        content = done.get("content", before.content)
        done["summary"] = first_line(done["summary"]) or first_line(content)
    if "agent" in fields:
        done["agent"] = _named(cleaned.agent)
    if "tags" in fields:
        done["tags"] = tuple(dict.fromkeys(cleaned.tags))
    if "timestamp" in fields:
        done["timestamp"] = _whole_millis(cleaned.timestamp)
    return Prepared(before._replace(**done), notices)


def _named(cleaned: str) -> str:
    """A cleaned agent's name without blanks (SPEC-29 §4.3)."""
    return cleaned if AGENT_NAME.fullmatch(cleaned) else agent_name(cleaned) or "redacted"


def _has_secret(identifier: str) -> bool:
    return bool(sanitize(identifier).redactions)


def _reason(redactions: Sequence[str]) -> tuple[Notice, ...]:
    return (notice("redacted", passages=len(redactions)),) if redactions else ()


def _fitted(content: str) -> tuple[str, tuple[Notice, ...]]:
    """Return the content as it may be stored, and a notice where it had to be cut."""
    content = content.strip("\n")
    if not content.strip():
        raise InvalidObservation(
            "Nothing is left after redacting secrets and private parts.",
            "Write something that may be stored.",
        )
    if len(content) <= MAX_CONTENT:
        return content, ()
    was_cut = notice("content-cut", characters=len(content), most=MAX_CONTENT)
    return content[: MAX_CONTENT - len(CUT_MARK)].rstrip() + CUT_MARK, (was_cut,)


def _whole_millis(time: datetime) -> datetime:
    return time.replace(microsecond=time.microsecond // 1000 * 1000)


def make_id(agent: str, issue: int, when: datetime) -> str:
    """`obs-{agent}-{issue}-{unix ms}-{6 of a-z0-9}` (SPEC-29 §4.3)."""
    name = _NOT_ALPHANUMERIC.sub("", agent.lower())[:20] or "agent"
    return f"obs-{name}-{issue}-{round(when.timestamp() * 1000)}-{_suffix(next(_numbers))}"


def _count_from_anywhere() -> None:
    """Begin the numbers of this process somewhere; a fork begins elsewhere than its parent."""
    global _numbers
    _numbers = count(int.from_bytes(os.urandom(4)))


_count_from_anywhere()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_count_from_anywhere)


def _suffix(number: int) -> str:
    """Six letters and digits, another for each of two billion numbers, neighbours unlike."""
    return base36(number * _STEP % 36**6, 6)
