"""`memtui digest`: what was decided, learned and fixed in the last days, and what is open.

It is made of memories. The digest of a single session is another thing: `store/sessions/digest.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta

import click

from memtui.cli.list import listed
from memtui.cli.memory import opened
from memtui.cli.options import dir_option, json_option
from memtui.cli.output import Marks, one_line, paint, print_json, print_line, terminal_width
from memtui.cli.parameter_types import Number
from memtui.cli.rows import rows, short_id
from memtui.formatting import count
from store.model import Observation
from store.records import entry_record

_EPILOG = """\b
Examples:
  memtui digest                            the last seven days, today included
  memtui digest --days 1                   today
  memtui digest --markdown > week.md       for a report or a chat
"""
_SECTIONS = {
    "decided": "category:decision",
    "learned": "category:lesson,key-fact,procedure",
    "fixed": "category:error,code-change",
}
"""Sections of what happened in the days, and the query of each."""
_HANDOFFS, _TASKS = "category:handoff", "is:open"
"""What is open: where sessions of these days broke off, and every task, however old."""
_LONGEST = 36_500
"""Days that are looked back at most."""
_SHOWN = 20
"""Memories shown of a section; the rest is counted."""
_MARKDOWN = re.compile(r"([\\`*_\[\]<>#|~&!$@])")
"""Signs that could make more of a summary than its text: links, tags, headings, mentions."""

Digest = Mapping[str, Sequence[Observation]]
"""The memories of each section, newest first."""


@click.command(epilog=_EPILOG)
@click.option("--days", type=Number(min=1), default=7, help="Days to look back, today included.")
@click.option("--markdown", is_flag=True, help="Print Markdown.")
@json_option
@dir_option
def digest_command(days: int, markdown: bool, as_json: bool) -> None:
    """Show what was decided, learned and fixed in the last days, and what is open.

    From memory alone: no model is asked. Days begin at midnight of your clock. Open are all tasks
    that are not done, and the handoffs of these days. Each part shows its newest 20; JSON has all.
    """
    if markdown and as_json:
        raise click.UsageError("Give --markdown or --json, not both.")
    now = datetime.now().astimezone()
    last = now.date()
    first = last - timedelta(days=min(days, _LONGEST) - 1)
    digest = _read(first, last)
    if as_json:
        shown = {name: list(map(entry_record, entries)) for name, entries in digest.items()}
        print_json({"from": f"{first}", "to": f"{last}", **shown})
    elif not any(digest.values()):
        print_line(
            f"Nothing was decided, learned or fixed {_span(first, last)}, and nothing is open."
        )
    else:
        lines = _in_markdown if markdown else _in_rows
        for line in lines(digest, first, last):
            print_line(line)


def _read(first: date, last: date) -> Digest:
    # A day more: the zone's offset may have changed since.
    since = f"after:{first - timedelta(days=1)}"
    with opened(searchable=True) as memory:

        def found(query: str) -> list[Observation]:
            return listed(memory, f"{query} sort:newest", 0)[0]

        digest = {
            name: _within(found(f"{query} {since}"), first, last)
            for name, query in _SECTIONS.items()
        }
        digest["open"] = [
            *_within(found(f"{_HANDOFFS} {since}"), first, last),
            *found(_TASKS),
        ]
    return digest


def _within(entries: Iterable[Observation], first: date, last: date) -> list[Observation]:
    """Return the entries whose day, by the user's clock, is one from the first to the last."""
    return [entry for entry in entries if first <= entry.timestamp.astimezone().date() <= last]


def _span(first: date, last: date) -> str:
    return f"on {last}" if first == last else f"from {first} to {last}"


def _figures(digest: Digest) -> str:
    return ", ".join(f"{count(len(entries))} {name}" for name, entries in digest.items())


def _in_rows(digest: Digest, first: date, last: date) -> Iterator[str]:
    yield f"{paint(_figures(digest), bold=True)} {_span(first, last)}"
    width, now = terminal_width(), datetime.now().astimezone()
    for name, entries in digest.items():
        if entries:
            yield ""
            yield paint(name, bold=True)
            unmarked: list[tuple[Observation, Marks]] = [(one, ()) for one in entries[:_SHOWN]]
            yield from (f"  {row.line}" for row in rows(unmarked, now, width and width - 2))
            if len(entries) > _SHOWN:
                yield f"  and {count(len(entries) - _SHOWN)} more: {_search(name, first)}"


def _in_markdown(digest: Digest, first: date, last: date) -> Iterator[str]:
    """Yield the lines of the digest as Markdown, in which memories are text and nothing else."""
    yield f"# Memory {_span(first, last)}"
    yield ""
    yield f"{_figures(digest)}."
    for name, entries in digest.items():
        if entries:
            yield ""
            yield f"## {name.capitalize()}"
            yield ""
            for entry in entries[:_SHOWN]:
                day = entry.timestamp.astimezone().date()
                where = f"#{entry.issue_number}, {_plain(entry.agent)}, {day}"
                yield f"- {_plain(entry.summary)} ({where}, {_plain(short_id(entry.id))})"
            if len(entries) > _SHOWN:
                yield f"- and {count(len(entries) - _SHOWN)} more: `{_search(name, first)}`"


def _plain(text: str) -> str:
    return _MARKDOWN.sub(r"\\\1", one_line(text))


def _search(name: str, first: date) -> str:
    """Return the command that finds all memories of a section."""
    query = _TASKS if name == "open" else f"{_SECTIONS[name]} after:{first}"
    return f"memtui search '{query}'"
