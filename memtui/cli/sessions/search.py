"""`memtui sessions search`: the messages of indexed sessions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import click

from memtui.cli.memory import opened
from memtui.cli.options import dir_option, json_option
from memtui.cli.output import marked, note, one_line, paint, print_json, print_line, terminal_width
from memtui.cli.parameter_types import Number
from memtui.cli.query_command import QueryCommand
from memtui.cli.sessions.everywhere import everywhere_option, note_how_to_open, opened_everywhere
from memtui.cli.sessions.index import print_not_indexed, sessions_to_index
from memtui.formatting import count, moment, plural, shown_path
from memtui.words.notices import sentence
from memtui.words.queries import understood
from store.model import Hit
from store.records import format_time
from store.sessions.documents import session_of
from store.sessions.excerpts import Excerpt, excerpts
from store.sessions.model import Neighbours

_INDENT = "  "


@click.command("search", cls=QueryCommand, short_help="Search messages of indexed sessions.")
@click.argument("query", nargs=-1, type=click.UNPROCESSED)
@click.option("--limit", type=Number(min=1), default=20, show_default=True)
@click.option("--offset", type=Number(min=0), default=0, help="Rows to skip.")
@everywhere_option
@json_option
@dir_option
def search_command(
    query: tuple[str, ...], limit: int, offset: int, everywhere: bool, as_json: bool
) -> None:
    """Search messages of indexed sessions, with the message before and after.

    With --everywhere, those of all projects; `project:NAME` narrows them to one.
    """
    with opened_everywhere() if everywhere else opened() as memory:
        words = f"in:sessions {' '.join(query)}"
        missed = memory.parse_query(words).unfinished
        found = memory.search(words, limit, offset, facets=())
        around = memory.sessions.around(found.hits)
        texts = {hit.entry.id: memory.get(hit.entry.id).content for hit in found.hits}
        projects = {digest.id: digest.project for digest in memory.sessions.digests()}
        waiting = 0 if found.total or everywhere else len(sessions_to_index(memory))
        writable = not waiting or memory.state().writable
    understood_as = understood(found, datetime.now(UTC))
    if as_json:
        print_json(
            {
                "query": " ".join(query),
                "understood": understood_as,
                "total": found.total,
                "hits": [
                    _hit_record(hit, texts[hit.entry.id], around[hit.entry.id], projects)
                    for hit in found.hits
                ],
            }
        )
        return
    _print_hits(excerpts(found.hits, around), texts, projects)
    total = plural(found.total, "message")
    counted = f"{count(len(found.hits))} of {total}" if len(found.hits) < found.total else total
    note(" · ".join((counted, understood_as, *map(sentence, missed))))
    print_not_indexed(waiting, writable)
    if everywhere:
        note_how_to_open(found.total, len(projects))


def _hit_record(
    hit: Hit, text: str, around: Neighbours, projects: Mapping[str, str]
) -> dict[str, object]:
    project = projects.get(session_of(hit.entry.id), "")
    return {
        "id": hit.entry.id,
        "kind": "message",
        "sessionId": session_of(hit.entry.id),
        "agent": hit.entry.agent,
        "branch": next(iter(hit.entry.tags), ""),
        "issue": hit.entry.issue_number,
        "role": hit.entry.category,
        "timestamp": format_time(hit.entry.timestamp),
        "text": text or hit.snippet,
        "before": around.before,
        "after": around.after,
        "score": hit.score,
        **({"project": project} if project else {}),
    }


def _print_hits(
    found: Sequence[Excerpt], texts: Mapping[str, str], projects: Mapping[str, str]
) -> None:
    now = datetime.now(UTC).astimezone()
    width = (terminal_width() or 100) - 12
    last = ""
    for hit, before, after in found:
        entry = hit.entry
        session = session_of(entry.id)
        if session != last:
            project = projects.get(session, "")
            facts = (shown_path(Path(project)) if project else "", *entry.tags[:1], session)
            when = moment(entry.timestamp, now)
            print_line(
                paint(f"{when} {one_line(entry.agent)}", bold=True)
                + paint("".join(f" · {one_line(fact)}" for fact in facts if fact), dim=True)
            )
            last = session
        if before:
            print_line(paint(f"{_INDENT}  {one_line(before, width)}", dim=True))
        what = marked(hit.snippet, hit.marks) if hit.marks else one_line(texts[entry.id], width)
        print_line(f"{_INDENT}{paint('>', fg='yellow')} {what}")
        if after:
            print_line(paint(f"{_INDENT}  {one_line(after, width)}", dim=True))
