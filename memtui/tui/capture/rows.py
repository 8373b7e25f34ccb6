"""The rows of the capture preview, and their details."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from textual.content import Content

from memtui.formatting import age, fit
from memtui.tui.capture.draft import DraftRow
from memtui.tui.frame.keys import bindings
from memtui.tui.frame.paragraphs import BLANK, Paragraph, plain
from memtui.tui.frame.theme import color_of, mark_of
from memtui.tui.reports.overview import OverviewList
from memtui.words.notices import sentence
from memtui.words.origins import finder_of
from store.capture.candidate import Skipped
from store.capture.plan import Captured
from store.text.display import visible

_CATEGORY = 18
"""Cells of the longest category we know."""


class CapturedList(OverviewList[DraftRow | Skipped]):
    """Memories to be stored, one a line, and below a heading what is skipped and why."""

    BINDINGS = bindings("captured")

    def __init__(self) -> None:
        super().__init__()
        self._has_states = False
        self._category = 0

    def show(self, rows: Sequence[DraftRow], skipped: Sequence[Skipped]) -> None:
        self._has_states = any(row.is_dropped or row.is_edited for row in rows)
        categories = (len(row.captured.observation.category) for row in rows)
        self._category = min(_CATEGORY, max(categories, default=0))
        heading = [f"Skipped, {len(skipped):,}"] if skipped else []
        self.list_rows([*rows, *heading, *skipped])

    def row_key(self, row: DraftRow | Skipped) -> str:
        return repr(row.captured if isinstance(row, DraftRow) else row)

    def draw(self, row: DraftRow | Skipped, index: int, width: int) -> Content:
        cursor = self.cursor_mark(index)
        if isinstance(row, Skipped):
            tail = f"  {visible(sentence(row.reason), newlines=False)} "
            room = max(0, width - len(tail) - 4)
            text = fit(visible(row.text, newlines=False), room)
            return Content.assemble(cursor, ("· ", "$dim"), (text, "$dim"), (tail, "$dim"))
        observation, is_out = row.captured.observation, row.is_dropped
        state = "dropped" if is_out else "edited" if row.is_edited else ""
        tail = f"  {state:>7} " if self._has_states else " "
        mark = "–" if is_out else mark_of(observation.category)
        category = fit(visible(observation.category, newlines=False), self._category)
        color = "$dim" if is_out else color_of(observation.category)
        lead = Content.assemble(cursor, (f"{mark} {category}  ", color))
        room = max(0, width - lead.cell_length - len(tail))
        summary = fit(visible(observation.summary, newlines=False), room)
        return Content.assemble(
            lead, (summary, "$dim" if is_out else ""), (tail, "$dim" if is_out else "$accent-text")
        )


def captured_details(captured: Captured, now: datetime) -> list[Paragraph]:
    """Return an observation as it would be stored, and the passage that it comes from."""
    observation = captured.observation
    category = observation.category
    facts = ["", observation.agent, f"#{observation.issue_number}", age(observation.timestamp, now)]
    head = Content.assemble(
        (f"{mark_of(category)} {visible(category, newlines=False)}", color_of(category)),
        (visible(" · ".join(facts), newlines=False), "$dim"),
    )
    lines = [Paragraph(head), plain(visible(observation.content))]
    if finder := finder_of(observation.extra):
        lines.append(plain(f"from: {visible(finder, newlines=False)}", "$dim"))
    if captured.passage.strip():
        lines += [BLANK, plain("From the transcript", "bold")]
        passage = captured.passage.strip().split("\n")
        lines += [Paragraph(Content.styled(visible(line), "$dim")) for line in passage]
    return lines


def skipped_details(row: Skipped) -> list[Paragraph]:
    because = Content.assemble(("Skipped: ", "bold"), visible(sentence(row.reason), newlines=False))
    lines = [Paragraph(because)]
    if row.seen:
        seen = f"{row.seen} says the same; it counts as seen again."
        lines.append(plain(visible(seen, newlines=False), "$dim"))
    return [*lines, BLANK, plain(visible(row.text))]
