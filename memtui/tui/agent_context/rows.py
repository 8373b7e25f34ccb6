"""The parts of a context as rows, and the text of one with what overlaps and what is left out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from textual.content import Content

from memtui.formatting import count, fit, plural
from memtui.tui.frame.paragraphs import BLANK, Paragraph, plain
from memtui.tui.reports.overview import OverviewList
from memtui.words.context import (
    HEADINGS,
    facts_of,
    place_of,
    remark,
    source_of,
    tokens_in_words,
    verdict_in_words,
)
from store.agent_context.overlaps import RECALL, Overlap, Sentence
from store.agent_context.service import AgentContext
from store.recall.values import ScoredCandidate
from store.text.display import visible, visible_line

_TOKENS = 7
_NAME = 24
"""Cells that a source's name takes, where a remark follows it."""
_MOST_LINES = 2_000
"""Lines of a part that are shown; the editor shows all."""
_LEFT_OUT = "not in the context"


@dataclass(frozen=True, slots=True)
class ContextRow:
    """A part of a context, by its place, or one of the memories that memtui adds."""

    context: AgentContext
    at: int
    memory: ScoredCandidate | None = None

    @property
    def key(self) -> str:
        return f"{self.at} {self.memory.id if self.memory else ''}"

    @property
    def overlaps(self) -> list[tuple[Overlap, Sentence, Sentence]]:
        """The overlaps of this row: each with the sentence of its own, and the other."""
        return [
            (overlap, *pair)
            for overlap in self.context.overlaps
            for pair in ((overlap.earlier, overlap.later), (overlap.later, overlap.earlier))
            if pair[0].part == self.at and (not self.memory or pair[0].memory == self.memory.id)
        ]


def rows_of(context: AgentContext) -> list[ContextRow | str]:
    """Return the parts below their headings, the recalled memories below memtui's."""
    rows: list[ContextRow | str] = []
    for category, heading in HEADINGS.items():
        found = [at for at, part in enumerate(context.parts) if part.part.category == category]
        if found:
            rows += [heading, *(ContextRow(context, at) for at in found)]
        if category == RECALL and found and context.parts[found[0]].part.text:
            recalled = (candidate for candidate in context.recall.included if candidate.is_memory)
            rows += [ContextRow(context, found[0], candidate) for candidate in recalled]
    return rows


class ContextList(OverviewList[ContextRow]):
    """One part a line: its tokens, its source, what is to be known of it, what overlaps."""

    def row_key(self, row: ContextRow) -> str:
        return row.key

    def draw(self, row: ContextRow, index: int, width: int) -> Content:
        counted = row.context.parts[row.at]
        cost, name, about = tokens_in_words(counted), source_of(counted), remark(counted)
        if row.memory is not None:
            cost, name, about = count(row.memory.tokens), row.memory.observation.summary, ""
        indent = "  " if row.memory is not None or counted.part.importer else ""
        name = f"{indent}{visible_line(name)}"
        if about:
            name = fit(name, max(_NAME, width // 3)) if cell_len(name) < width // 3 else name
        is_there = cost != "–"
        tail = _marks(row)
        lead = Content.assemble(
            self.cursor_mark(index), (fit(cost, _TOKENS, align="right"), "$dim"), "  "
        )
        body = Content.assemble(
            (name, "" if is_there else "$dim"), (f"  {visible_line(about)}", "$dim")
        )
        room = max(0, width - lead.cell_length - tail.cell_length)
        return Content.assemble(lead, body.truncate(room, ellipsis=True, pad=True), tail)


def _marks(row: ContextRow) -> Content:
    repeats = sum(overlap.is_repeat for overlap, *_ in row.overlaps)
    conflicts = len(row.overlaps) - repeats
    return Content.assemble(
        (f" ={repeats}" if repeats else "", "$text-warning"),
        (f" ≠{conflicts}" if conflicts else "", "$text-error"),
        " ",
    )


def row_paragraphs(row: ContextRow) -> list[Paragraph]:
    """Return a part's text: what overlaps is marked, what is left out is dim."""
    counted = row.context.parts[row.at]
    part = counted.part
    if row.memory is not None:
        return [plain(visible(row.memory.text)), BLANK, *_notes(row, row.overlaps)]
    lines = [
        plain(visible_line(source_of(counted)), "bold"),
        plain(visible_line(facts_of(counted)), "$dim"),
        BLANK,
        *_marked(row, part.text),
    ]
    if part.rest:
        more = plural(counted.left_out, "token")
        lines += [plain(f"── {_LEFT_OUT}: {more} ──", "$text-warning")] if part.text else []
        rest = visible(part.rest).rstrip("\n").split("\n")
        lines += [plain(line, "$dim") for line in rest[:_MOST_LINES]]
    return lines


def _marked(row: ContextRow, text: str) -> Iterator[Paragraph]:
    """Yield the lines of a text, those that overlap in colour, with the other place below."""
    first = row.context.parts[row.at].part.line
    styles: dict[int, str] = {}
    notes: defaultdict[int, list[tuple[Overlap, Sentence, Sentence]]] = defaultdict(list)
    for overlap, own, other in row.overlaps:
        notes[own.end].append((overlap, own, other))
        for line in range(own.line, own.end + 1):
            if styles.get(line) != "$text-error":
                styles[line] = _style(overlap)
    lines = visible(text).rstrip("\n").split("\n") if text else []
    for number, words in enumerate(lines[:_MOST_LINES], start=first):
        yield plain(words, styles.get(number, ""))
        yield from _notes(row, notes[number])
    if len(lines) > _MOST_LINES:
        yield plain(f"… {plural(len(lines) - _MOST_LINES, 'more line')}", "$dim")


def _style(overlap: Overlap) -> str:
    return "$text-warning" if overlap.is_repeat else "$text-error"


def _notes(
    row: ContextRow, overlaps: Sequence[tuple[Overlap, Sentence, Sentence]]
) -> Iterator[Paragraph]:
    for overlap, _, other in overlaps:
        sign = "=" if overlap.is_repeat else "≠"
        where = visible_line(place_of(row.context, other))
        text = "" if overlap.is_repeat else f": {visible_line(other.text)}"
        words = f"{sign} {verdict_in_words(overlap)}, {where}{text}"
        yield Paragraph(Content.styled(words, _style(overlap)), indent=2, hang=4)
