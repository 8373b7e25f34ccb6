"""`memtui search`: find observations by words and filters."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from memtui.cli.opening import dir_option, json_option, opened
from memtui.cli.output import marked, note, say, say_json, terminal_width

if TYPE_CHECKING:
    from store.model import SearchResult

_EPILOG = """\b
The query:
  lock timeout          both words; the last one may be the beginning of a word
  "lock timeout"        the exact phrase         -redis         not this word
  agent:engineer        also category: layer: issue: tag: id:; a,b for or; -agent:x
  after:2026-01         also before:, and ages such as 7d, 3w, 6m
  is:open               also is:pinned, is:muted, is:archived
  sort:newest           also oldest, tokens, recalled, relevance
\b
Examples:
  memtui search lock timeout
  memtui search category:decision,lesson after:3m migration
  memtui search '"idempotency key" -webhook' --json
"""


@click.command(
    epilog=_EPILOG,
    context_settings={"ignore_unknown_options": True, "help_option_names": ["--help"]},
)
@click.argument("query", nargs=-1, type=click.UNPROCESSED)
@click.option("--limit", type=click.IntRange(min=1), default=50, show_default=True)
@click.option("--offset", type=click.IntRange(min=0), default=0, help="Rows to leave out first.")
@json_option
@dir_option
def search_command(
    query: tuple[str, ...], limit: int, offset: int, as_json: bool, folder: Path | None
) -> None:
    """Find observations by words and filters; without a QUERY all, newest first."""
    from time import perf_counter

    with opened(folder, searchable=True) as memory:
        start = perf_counter()
        found = memory.search(" ".join(query), limit, offset, facets=False, fresh=False)
        took = (perf_counter() - start) * 1_000
    if as_json:
        say_json(_record(found, took))
    else:
        _print(found)


def _record(found: SearchResult, took_ms: float) -> dict[str, object]:
    """The result as JSON."""
    from store.disk.records import entry_record

    return {
        "query": found.query,
        "understood": found.understood,
        "total": found.total,
        "tookMs": round(took_ms, 2),
        "hits": [
            {**entry_record(hit.entry), "score": hit.score, "snippet": hit.snippet}
            for hit in found.hits
        ],
    }


def _print(found: SearchResult) -> None:
    """A row for each hit; the passage below it where the summary doesn't show the match."""
    from datetime import UTC, datetime

    from memtui.cli.rows import rows
    from memtui.words import count, plural

    entries = [(hit.entry, hit.summary_marks) for hit in found.hits]
    lines = rows(entries, datetime.now(UTC), terminal_width())
    for hit, line in zip(found.hits, lines, strict=True):
        say(line)
        if hit.marks and not hit.summary_marks:
            say(f"        {marked(hit.snippet, hit.marks)}")
    total = plural(found.total, "memory", "memories")
    shown = f"{count(len(found.hits))} of {total}" if len(found.hits) < found.total else total
    note(f"{shown} · {found.understood}" if found.understood else shown)
    for typed, near in found.near:
        note(f"Few match “{typed}” exactly; “{near}” was tried too.")
    if found.notice:
        note(found.notice)
