"""`memtui search`: find observations by words and filters."""

from __future__ import annotations

from datetime import UTC, datetime
from time import perf_counter

import click

from memtui.cli.memory import opened
from memtui.cli.options import dir_option, json_option
from memtui.cli.output import Marks, marked, note, print_json, print_line, terminal_width
from memtui.cli.parameter_types import Number
from memtui.cli.query_command import QueryCommand
from memtui.cli.rows import drift_field, rows
from memtui.formatting import count, plural
from memtui.words.notices import sentence
from memtui.words.queries import understood
from store.drift.kept import Verdicts
from store.model import Hit, SearchResult
from store.records import entry_record
from store.search.query import Query

_EPILOG = """\b
The query:
  lock timeout          both words; the last may be incomplete
  "lock timeout"        the exact phrase         -redis         not this word
  agent:engineer        also category: layer: issue: tag: id:; a,b for or; -agent:x
  after:2026-01         also before:, and ages such as 7d, 3w, 6m
  is:open               also is:pinned, is:muted, is:archived
  in:sessions           messages of sessions; in:all for both
  sort:newest           also oldest, tokens, recalled, relevance

\b
Examples:
  memtui search lock timeout
  memtui search category:decision,lesson after:3m migration
  memtui search '"idempotency key" -webhook' --json
"""

_FOUND = {
    "memories": ("memory", "memories"),
    "sessions": ("message", "messages"),
    "all": ("result", "results"),
}
"""What is counted, by the place that the query looks in."""
_INDENT = " " * 8
"""Before a passage, to align it with the row's columns."""


@click.command(cls=QueryCommand, epilog=_EPILOG)
@click.argument("query", nargs=-1, type=click.UNPROCESSED)
@click.option("--limit", type=Number(min=1), default=50, show_default=True)
@click.option("--offset", type=Number(min=0), default=0, help="Rows to skip.")
@json_option
@dir_option
def search_command(query: tuple[str, ...], limit: int, offset: int, as_json: bool) -> None:
    """Search memories. Without QUERY, list all, newest first."""
    with opened(searchable=True) as memory:
        start, words = perf_counter(), " ".join(query)
        # `opened` looked at the files of memories alone.
        parsed = memory.parse_query(words)
        fresh = parsed.place != "memories"
        found = memory.search(words, limit, offset, facets=(), fresh=fresh)
        took = (perf_counter() - start) * 1_000
        verdicts = memory.drift.verdicts()
    if as_json:
        print_json(_record(found, took, verdicts))
    else:
        _print(found, parsed, verdicts)


def _record(found: SearchResult, took_ms: float, verdicts: Verdicts) -> dict[str, object]:
    return {
        "query": found.query,
        "understood": understood(found, datetime.now(UTC)),
        "total": found.total,
        "tookMs": round(took_ms, 2),
        "hits": [
            {
                **entry_record(hit.entry),
                **({"level": hit.entry.level} if hit.entry.level else {}),
                **drift_field(verdicts.drift_of(hit.entry)),
                "score": hit.score,
                "snippet": hit.snippet,
            }
            for hit in found.hits
        ],
    }


def _passage(hit: Hit, width: int | None, above: str) -> tuple[str, Marks]:
    """Return the passage and its marks: what fits, and goes on where the row `above` ended."""
    if width is None:
        return hit.snippet, hit.marks
    # Half the columns beyond ASCII, since each of the characters may take two.
    room = (width - len(_INDENT)) // (1 if hit.snippet.isascii() else 2)
    first, end = hit.marks[0]
    seen = above.removesuffix("…")
    start = min(len(seen), first) if hit.snippet.startswith(seen) else 0
    start = start if end - start < room else first - room // 3
    start = hit.snippet.rfind(" ", 0, start) + 1
    cut = "…" if start else ""
    shift = len(cut) - start
    marks = [(left + shift, right + shift) for left, right in hit.marks if left >= start]
    return cut + hit.snippet[start : start + room - len(cut)], marks


def _print(found: SearchResult, asked: Query, verdicts: Verdicts) -> None:
    """Print a row for each hit; below it the passage, where the row doesn't show the match.

    Parts of the query that look half typed are noted: a command line is never half typed.
    """
    entries = [(hit.entry, hit.summary_marks) for hit in found.hits]
    width = terminal_width()
    now = datetime.now(UTC)
    for hit, row in zip(found.hits, rows(entries, now, width, verdicts), strict=True):
        print_line(row.line)
        if hit.marks and not row.shows_match:
            print_line(_INDENT + marked(*_passage(hit, width, row.summary)))
    total = plural(found.total, *_FOUND[asked.place])
    shown = f"{count(len(found.hits))} of {total}" if len(found.hits) < found.total else total
    unfinished = map(sentence, asked.unfinished)
    note(" · ".join((shown, understood(found, now), *unfinished)))
    for typed, near in found.near:
        note(f"Few exact matches for “{typed}”; also searched for “{near}”.")
