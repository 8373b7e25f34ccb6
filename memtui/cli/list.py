"""`memtui list`: observations, newest first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime

import click

from memtui.cli.completed_values import complete_agent, complete_category
from memtui.cli.memory import opened
from memtui.cli.options import dir_option, json_option
from memtui.cli.output import Marks, note, print_json, print_line, terminal_width
from memtui.cli.parameter_types import Number
from memtui.cli.rows import drift_field, rows
from memtui.formatting import count, memories
from memtui.words.queries import understood
from store.drift.kept import Verdicts
from store.memory import Memory
from store.model import Observation, SearchResult
from store.records import to_record

_EPILOG = """\b
Examples:
  memtui list --issue 29
  memtui list --category decision,lesson --limit 10
  memtui list --agent engineer --json --limit 0
"""
_PAGE = 1_000


@click.command(epilog=_EPILOG)
@click.option("--agent", multiple=True, shell_complete=complete_agent, help="Filter by agent.")
@click.option("--issue", multiple=True, type=Number(min=0), help="Filter by issue.")
@click.option(
    "--category", multiple=True, shell_complete=complete_category, help="Filter by category."
)
@click.option("--tag", multiple=True, help="Filter by tag.")
@click.option("--limit", type=Number(min=0), default=50, help="Most rows to list; 0 for all.")
@json_option
@dir_option
def list_command(
    agent: tuple[str, ...],
    issue: tuple[int, ...],
    category: tuple[str, ...],
    tag: tuple[str, ...],
    limit: int,
    as_json: bool,
) -> None:
    """List memories, newest first. Repeat a filter, or use commas, for "or"."""
    filters = {"agent": agent, "issue": issue, "category": category, "tag": tag}
    with opened(searchable=True) as memory:
        query = " ".join((*_filters(filters), "sort:newest"))
        entries, found = listed(memory, query, limit)
        verdicts = memory.drift.verdicts()
    if as_json:
        print_json([to_record(one) | drift_field(verdicts.drift_of(one)) for one in entries])
    else:
        _print(entries, found, verdicts)


def listed(memory: Memory, query: str, limit: int) -> tuple[list[Observation], SearchResult]:
    """Return the entries a query finds, at most `limit` (0: all), and the last answer it got."""
    entries: list[Observation] = []
    while True:
        page = min(_PAGE, limit - len(entries)) if limit else _PAGE
        found = memory.search(query, page, len(entries), facets=(), fresh=False)
        entries += [hit.entry for hit in found.hits]
        if len(found.hits) < page or len(entries) == limit:
            return entries, found


def _print(entries: Sequence[Observation], found: SearchResult, verdicts: Verdicts) -> None:
    """A row for each entry, and how many there are; where there is none, what was looked for."""
    unmarked: list[tuple[Observation, Marks]] = [(entry, ()) for entry in entries]
    now = datetime.now(UTC)
    for row in rows(unmarked, now, terminal_width(), verdicts):
        print_line(row.line)
    shown = f"{count(len(entries))} of " if len(entries) < found.total else ""
    note(shown + memories(found.total))
    if not found.total:
        note(understood(found, now))


def _filters(filters: Mapping[str, Sequence[object]]) -> Iterator[str]:
    for field, values in filters.items():
        parts = [part for value in values for part in str(value).split(",") if part]
        if parts:
            quoted = (f'"{part.replace(chr(34), "")}"' for part in parts)
            yield f"{field}:{','.join(quoted)}"
