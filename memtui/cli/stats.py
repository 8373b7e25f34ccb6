"""`memtui stats`: how much memory there is, and of what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from memtui.cli.memory import dir_option, json_option, opened
from memtui.cli.output import one_line, paint, say, say_json

if TYPE_CHECKING:
    from store.model import StoreStats

_EPILOG = """\b
Examples:
  memtui stats
  memtui stats --json
"""


@click.command(epilog=_EPILOG)
@json_option
@dir_option
def stats_command(as_json: bool, folder: Path | None) -> None:
    """Show totals by category and agent."""
    with opened(folder) as memory:
        stats = memory.stats()
        path = memory.path
    if as_json:
        from store.records import stats_record

        say_json(stats_record(stats))
    else:
        _print(stats, path)


def _print(stats: StoreStats, path: Path) -> None:
    from memtui.formatting import count, plural, short, size

    say(
        f"{plural(stats.total_observations, 'memory', 'memories')} · "
        f"{short(stats.total_tokens)} tokens · {plural(stats.issue_count, 'issue')} · "
        f"{count(stats.archived_observations)} archived · {size(stats.size_bytes)}"
    )
    if stats.oldest_timestamp and stats.newest_timestamp:
        say(f"from {stats.oldest_timestamp:%Y-%m-%d} to {stats.newest_timestamp:%Y-%m-%d}")
    say(f"in {one_line(str(path))}")
    for title, counts in (("by category", stats.by_category), ("by agent", stats.by_agent)):
        if counts:
            say()
            say(paint(title, bold=True))
            for line in _counts(counts):
                say(line)


def _counts(counts: Mapping[str, int]) -> Iterator[str]:
    """The counts, largest first, in aligned columns."""
    from memtui.formatting import count, fit

    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    wide = max(len(one_line(name)) for name, _ in ranked)
    digits = len(count(ranked[0][1]))
    for name, number in ranked:
        yield f"  {fit(one_line(name), wide)}  {fit(count(number), digits, align='right')}"
