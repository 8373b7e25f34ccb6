"""A row of the results: the columns of a hit, and the passage that was found."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import NamedTuple

from rich.cells import cell_len
from textual.content import Content

from memtui.formatting import age, count, fit
from memtui.tui.frame.theme import DRIFT_MARKS, LEVEL_MARKS, color_of, mark_of
from store.model import Hit, Observation, Verdict
from store.text.display import visible_line

_NAME, _SUMMARY, _GAPS = 12, 48, 12
"""Cells that a name is given at least and a summary before names get more, and those between."""
_APART, _ID = 24, 6
"""Characters of a summary and of an id that distinguish rows."""


VerdictOf = Callable[[Observation], Verdict]


def no_verdict(entry: Observation) -> Verdict:
    """Of no memory: where nothing was compared with the code yet."""
    return Verdict.UNKNOWN


class Columns(NamedTuple):
    """The widths in cells of a row's columns; 0 leaves a column out."""

    issue: int
    category: int
    agent: int
    flag: int
    level: int
    age: int
    figure: int

    @classmethod
    def of(
        cls, hits: Sequence[Hit], now: datetime, order: str, verdict_of: VerdictOf = no_verdict
    ) -> Columns:
        def widest(text: Callable[[Observation], str], limit: int) -> int:
            return min(limit, max((cell_len(text(hit.entry)) for hit in hits), default=0))

        return cls(
            issue=widest(lambda entry: f"#{entry.issue_number}", 10),
            category=widest(lambda entry: entry.category, 18),
            agent=widest(lambda entry: entry.agent, 20),
            flag=2 if any(flag_of(hit.entry, verdict_of).strip() for hit in hits) else 0,
            level=2 if any(hit.entry.level in LEVEL_MARKS for hit in hits) else 0,
            age=widest(lambda entry: age(entry.timestamp, now), 4),
            figure=widest(lambda entry: figure_of(entry, order), 12),
        )

    def at_least(self, other: Columns) -> Columns:
        """No column narrower than in `other`, so that columns stay put while one types."""
        return Columns(*map(max, self, other))

    def within(self, width: int) -> Columns:
        """Leave out what a list of so many cells has no room for, and share out what is left."""
        shown = self._replace(
            issue=self.issue if width >= 48 else 0,
            category=min(self.category, _NAME),
            agent=min(self.agent, _NAME) if width >= 64 else 0,
            flag=self.flag if width >= 48 else 0,
            level=self.level if width >= 40 else 0,
            age=self.age if width >= 40 else 0,
            figure=self.figure if width >= 40 else 0,
        )
        spare = width - sum(shown) - _GAPS - _SUMMARY
        category = min(self.category, shown.category + max(0, spare))
        spare -= category - shown.category
        agent = min(self.agent, shown.agent + max(0, spare)) if shown.agent else 0
        return shown._replace(category=category, agent=agent)


class Look(NamedTuple):
    """How a row is drawn besides its hit: behind a `mark`, by the order that the list has.

    `apart` is what distinguishes it from a row that would look the same; `verdict_of` is what
    became of the code that a memory names.
    """

    mark: str
    order: str
    apart: str = ""
    verdict_of: VerdictOf = no_verdict


def draw_row(hit: Hit, columns: Columns, look: Look, now: datetime, width: int) -> Content:
    """Draw a hit as wide as the list; its summary takes what is left."""
    entry = hit.entry
    parts: list[str | tuple[str, str]] = [(look.mark, "$accent-text")]
    if columns.issue:
        parts += [(fit(f"#{entry.issue_number}", columns.issue, align="right"), "$dim"), " "]
    category = fit(visible_line(entry.category), columns.category)
    parts += [(f"{mark_of(entry.category)} {category}", color_of(entry.category)), " "]
    if columns.agent:
        parts += [fit(visible_line(entry.agent), columns.agent), " "]
    if columns.age:
        ago = age(entry.timestamp, now)
        parts += [(fit(ago, columns.age, align="right"), "$dim"), "  "]
    if columns.figure:
        figure = figure_of(entry, look.order)
        parts += [(fit(figure, columns.figure, align="right"), "$dim"), "  "]
    if columns.flag:
        flag = flag_of(entry, look.verdict_of)
        style = "$text-warning" if flag == DRIFT_MARKS[Verdict.GONE] else "$accent-text"
        parts.append((fit(flag, columns.flag), style))
    if columns.level:
        parts.append((fit(LEVEL_MARKS.get(entry.level, ""), columns.level), "$dim"))
    if look.apart:
        parts.append((f"{visible_line(look.apart)} · ", "$dim"))
    lead = Content.assemble(*parts)
    room = max(0, width - lead.cell_length - 1)
    return Content.assemble(lead, passage(hit, room).truncate(room, ellipsis=True, pad=True))


def figure_of(entry: Observation, order: str) -> str:
    """Return the figure that a list is in the order of, where no other column shows it."""
    if order == "tokens":
        return f"{count(entry.tokens)} tok"
    return f"{count(entry.recall_count)}×" if order == "recalled" else ""


def distinctions(hits: Sequence[Hit], now: datetime) -> dict[str, str]:
    """Return what distinguishes hits, by their ids, that would look the same: the beginning of the
    summary where a passage is shown instead of it, else the end of the id.
    """
    alike: defaultdict[tuple[object, ...], list[Observation]] = defaultdict(list)
    for hit in hits:
        entry = hit.entry
        text, _ = shown_text(hit)
        columns = (entry.issue_number, entry.category, entry.agent, age(entry.timestamp, now))
        alike[*columns, text].append(entry)
    apart: dict[str, str] = {}
    for entries in alike.values():
        if len(entries) > 1:
            summaries = {entry.summary for entry in entries}
            for entry in entries:
                differs = len(summaries) == len(entries)
                apart[entry.id] = entry.summary[:_APART] if differs else entry.id[-_ID:]
    return apart


def shown_text(hit: Hit) -> tuple[str, Sequence[tuple[int, int]]]:
    """Return the summary with its matches, or where it has none the passage that has."""
    if hit.marks and not hit.summary_marks:
        return hit.snippet, hit.marks
    return hit.entry.summary, hit.summary_marks


def passage(hit: Hit, room: int) -> Content:
    """Return what a hit shows with its matches marked.

    Where the first match would be beyond `room` characters, the text begins shortly before it.
    """
    text, marks = shown_text(hit)
    content = Content(visible_line(text))
    for start, end in marks:
        content = content.stylize("bold $accent-text", start, end)
    if not marks or marks[0][1] < room:
        return content
    skipped = text.rfind(" ", 0, max(0, marks[0][0] - room // 3)) + 1
    return Content.assemble(("… ", "$dim"), content[skipped:]) if skipped else content


def flag_of(entry: Observation, verdict_of: VerdictOf = no_verdict) -> str:
    """Return the mark of what is special about an observation; its words are in the pane below."""
    if entry.archived:
        return "▾"
    verdict = verdict_of(entry)
    if verdict in (Verdict.GONE, Verdict.MOVED):
        return DRIFT_MARKS[verdict]
    if entry.muted:  # which a pin doesn't outdo
        return "∅"
    if entry.pinned:
        return "▲"
    if entry.category == "task" and "done" in entry.tags:
        return "✓"
    return DRIFT_MARKS.get(verdict, " ")
