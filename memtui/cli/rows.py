"""Observations as rows of a table, one line each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from rich.cells import cell_len

from memtui.cli.output import Marks, marked, one_line, paint
from memtui.formatting import age, aligned, count, fit
from store.drift.kept import NO_VERDICTS, Verdicts
from store.drift.verdicts import UNKNOWN, Drift
from store.model import Level, Observation

_OUR_ID = re.compile(
    r"obs-[a-z0-9]*-(?:\d+-\d+-(?=.{6}$)|(?:\d{8}|undated)-(?=.{12}$))([a-z0-9]+)", re.ASCII
)
_WIDEST = 20
"""Cells a name may take in its column."""
_NARROWEST = 12
"""Cells a summary is left at least."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line, what it has of the summary, and whether a match is to be seen in that."""

    line: str
    summary: str
    shows_match: bool


def rows(
    entries: Sequence[tuple[Observation, Marks]],
    now: datetime,
    width: int | None,
    verdicts: Verdicts = NO_VERDICTS,
) -> Iterator[Row]:
    """Yield a line for each entry: the end of its id, issue, category, agent, age, tokens, states,
    summary.

    The ranges with each entry are marked in its summary. `width` in cells cuts the summaries;
    `None` leaves them whole.
    """
    table = aligned([_cells(entry, now) for entry, _ in entries], right=(1, 4, 5), most=_WIDEST)
    for (entry, marks), row in zip(entries, table, strict=True):
        identifier, issue, category, agent, old, tokens = row
        head = (
            f"{paint(identifier, fg='cyan')}  {issue}  {paint(category, bold=True)}  {agent}  "
            f"{paint(f'{old}  {tokens}', dim=True)}  "
        )
        left = None if width is None else max(_NARROWEST, width - sum(map(cell_len, row)) - 12)
        its_states = states(entry, verdicts.drift_of(entry))
        shown, summary, seen = _summary(entry, its_states, marks, left)
        yield Row(head + paint(shown, dim=True) + marked(summary, seen), summary, bool(seen))


def short_id(identifier: str) -> str:
    """Return an ending of an id that names it: the random letters and digits of one of ours."""
    match = _OUR_ID.fullmatch(identifier)
    return match[1] if match else one_line(identifier)[-_WIDEST:]


def drift_field(drift: Drift) -> dict[str, str]:
    """Return the field of a memory in JSON that says how it drifted; none where it did not."""
    return {"drift": str(drift.verdict)} if drift.is_drifted else {}


def states(entry: Observation, drift: Drift = UNKNOWN) -> list[str]:
    """Return the states of a memory that a reader has to know of."""
    marks = [str(drift.verdict)] if drift.is_drifted else []
    marks += [entry.level] if entry.level in (Level.MINE, Level.TEAM) else []
    marks += [name for name in ("pinned", "muted", "archived") if getattr(entry, name)]
    return [*marks, "done"] if "done" in entry.tags else marks


def _cells(entry: Observation, now: datetime) -> tuple[str, ...]:
    return (
        short_id(entry.id),
        f"#{entry.issue_number}",
        one_line(entry.category),
        one_line(entry.agent),
        age(entry.timestamp, now),
        count(entry.tokens),
    )


def _summary(
    entry: Observation, its_states: Sequence[str], marks: Marks, width: int | None
) -> tuple[str, str, list[tuple[int, int]]]:
    """The states, the summary cut so that both take at most `width` cells, its marks left."""
    head = "".join(f"{state} · " for state in its_states)
    text = one_line(entry.summary)
    if width is not None and cell_len(head) + cell_len(text) > width:
        text = fit(text, width - cell_len(head))
        whole = len(text) - 1
    else:
        whole = len(text)
    return head, text, [(start, end) for start, end in marks if end <= whole]
