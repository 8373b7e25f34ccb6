"""SPEC-29's extractor: a compaction summary in, observations out."""

from __future__ import annotations

import re
from collections.abc import Iterator

from store.model import MAX_CONTENT, MAX_PER_CAPTURE, MAX_SUMMARY, Category, Observation
from store.text.regex import regex

_SHORTEST = 10
"""Characters of a point."""
_HEADING = regex(r"^\s*#{1,3}\s+(.+?)\s*$")
_BULLET = regex(r"^\s*[-*]\s+(.+?)\s*$")
_CATEGORIES = (
    (regex(r"^decisions?\b", re.I), Category.DECISION),
    (regex(r"^(?:code|file) changes?\b|^modified files\b", re.I), Category.CODE_CHANGE),
    (regex(r"^errors?(?: (?:encountered|found))?\b", re.I), Category.ERROR),
    (regex(r"^key facts?\b", re.I), Category.KEY_FACT),
)


def extract_observations(
    summary: str, agent: str = "", issue_number: int = 0, session_id: str = ""
) -> list[Observation]:
    """The observations of a summary in Markdown: one for each bullet of 10 characters or more.

    At most 50. A summary without such a bullet is one `compaction-summary`; an empty one none.
    """
    found = list(_bullets(summary))[:MAX_PER_CAPTURE]
    if not found and summary.strip():
        found = [(Category.COMPACTION_SUMMARY, summary.strip())]
    return [
        Observation(
            agent=agent,
            issue_number=issue_number,
            category=category,
            content=text[:MAX_CONTENT],
            summary=" ".join(text.split())[:MAX_SUMMARY],
            session_id=session_id,
        )
        for category, text in found
    ]


def _bullets(summary: str) -> Iterator[tuple[str, str]]:
    category: str = Category.COMPACTION_SUMMARY
    for line in summary.splitlines():
        heading = _HEADING.match(line)
        bullet = _BULLET.match(line)
        if heading:
            category = _category_of(heading.group(1))
        elif bullet and len(bullet.group(1)) >= _SHORTEST:
            yield category, bullet.group(1)


def _category_of(heading: str) -> str:
    for pattern, category in _CATEGORIES:
        if pattern.match(heading):
            return category
    return Category.COMPACTION_SUMMARY
