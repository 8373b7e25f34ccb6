"""Totals over observations and over the store's files."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from store.backends.files.issue_records import list_issues
from store.model import Category, Observation, StoreStats

SPEC_CATEGORIES = (
    Category.DECISION,
    Category.CODE_CHANGE,
    Category.ERROR,
    Category.KEY_FACT,
    Category.COMPACTION_SUMMARY,
)
"""The categories that SPEC-29's StoreStats always name, also where there are none."""


def stats_of(observations: Iterable[Observation], archived: int, size: int) -> StoreStats:
    """The totals of observations. `size` in bytes."""
    by_category: Counter[str] = Counter(dict.fromkeys(SPEC_CATEGORIES, 0))
    by_agent: Counter[str] = Counter()
    issues: set[int] = set()
    tokens = 0
    oldest = newest = None
    for item in observations:
        by_category[item.category] += 1
        by_agent[item.agent] += 1
        issues.add(item.issue_number)
        tokens += item.tokens
        oldest = item.timestamp if oldest is None else min(oldest, item.timestamp)
        newest = item.timestamp if newest is None else max(newest, item.timestamp)
    return StoreStats(
        total_observations=by_agent.total(),
        total_tokens=tokens,
        issue_count=len(issues),
        oldest_timestamp=oldest,
        newest_timestamp=newest,
        by_category={str(name): count for name, count in by_category.items()},
        by_agent=dict(by_agent),
        archived_observations=archived,
        size_bytes=size,
    )


def size_on_disk(folder: Path) -> int:
    """Bytes of all record files, the archive's included."""
    total = 0
    for name in list_issues(folder):
        try:
            total += os.stat(folder / name).st_size
        except OSError:
            continue
    return total
