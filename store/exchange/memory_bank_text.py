"""Observations as a Markdown memory bank: to be read, edited and imported again without loss."""

from __future__ import annotations

import re
from collections.abc import Iterable

from store.exchange.memory_bank import INTRODUCTION
from store.exchange.values import plain_json
from store.model import Observation
from store.records import estimate_tokens, first_line, format_time, to_record
from store.text.display import visible

_NOT_WORDS = re.compile(r"[^\w-]+")


def to_markdown_bank(observations: Iterable[Observation]) -> str:
    """Observations as dated bullets, oldest first, under a heading for each category."""
    ordered = sorted(observations, key=lambda item: (item.category, item.timestamp, item.id))
    parts = [f"# Memory\n\n{INTRODUCTION}\n"]
    category = None
    for observation in ordered:
        if observation.category != category:
            category = observation.category
            parts.append(f"## {_NOT_WORDS.sub(' ', category).strip() or 'other'}\n")
        parts.append(_bullet(observation))
    return "\n".join(parts)


def _bullet(observation: Observation) -> str:
    record = to_record(observation)
    content = record.pop("content")
    if record["summary"] == first_line(content):
        del record["summary"]
    if record["tokens"] == estimate_tokens(content):
        del record["tokens"]
    if not record["sessionId"]:
        del record["sessionId"]
    shown = visible(content)
    if shown != content or content != content.strip("\n"):
        record["content"] = content
        shown = shown.strip("\n")
    first, *more = shown.split("\n")
    # Nothing in the comment may end it: in JSON a `>` can only stand inside a string.
    comment = plain_json(record).replace(">", "\\u003e")
    lines = [
        f"<!-- memtui {comment} -->",
        f"- {format_time(observation.timestamp)[:10]}: {first}",
        *(f"  {line}" if line else "" for line in more),
    ]
    return "\n".join(lines) + "\n"
