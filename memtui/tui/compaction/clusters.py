"""The clusters of a compaction, the originals of one, and what is merged from them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence, Set
from datetime import datetime
from itertools import chain

from textual.content import Content
from textual.message import Message
from textual.reactive import reactive

from memtui.formatting import age, count, fit, plural
from memtui.tui.frame.keys import bindings
from memtui.tui.frame.paragraphs import BLANK, Paragraph, plain, wrapped_lines
from memtui.tui.frame.theme import color_of, mark_of
from memtui.tui.reports.overview import OverviewList
from memtui.tui.widgets.text_pane import TextPane
from memtui.words.clusters import why_merged
from store.compaction.model import Cluster, LeftOut, Reason
from store.model import Category, Observation
from store.text.display import visible

_ANY_WORD = re.compile(r"\S+")
_AROUND = ".,;:!?()[]{}\"'`“”‘’*_"
REASONS: dict[Reason, tuple[str, str, str]] = {
    Reason.DUPLICATE: ("=", "same", color_of(Category.KEY_FACT)),
    Reason.SUPERSEDED: ("»", "superseded", color_of(Category.TASK)),
    Reason.FOLDED: ("≡", "folded", color_of(Category.COMPACTION_SUMMARY)),
}
"""The mark, the word and the colour of each reason."""
_WORD = max(len(word) for _, word, _ in REASONS.values())
_SUMMARY = 12
"""Cells from which it is worth beginning a summary."""
LOST = "$text-warning"
"""The colour of words that the merged text does not have."""
ADDED = "$text-success"
"""The colour of words that the merged text has from other originals."""


def marked(text: str, other: str, style: str) -> Content:
    """`text` with the words that `other` lacks in `style`.

    Case, and the punctuation around a word, make no difference, nor does the order of words.
    """
    shown = visible(text)
    known = {_plain(word) for word in _ANY_WORD.findall(visible(other))}
    content = Content(shown)
    for start, end in _runs(shown, known):
        content = content.stylize(style, start, end)
    return content


def _runs(text: str, known: set[str]) -> list[tuple[int, int]]:
    """Find unknown words; neighbours in a line as one."""
    runs: list[tuple[int, int]] = []
    joins = False
    for match in _ANY_WORD.finditer(text):
        plain = _plain(match[0])
        if not plain:
            continue
        if plain in known:
            joins = False
            continue
        if joins and "\n" not in text[runs[-1][1] : match.start()]:
            runs[-1] = (runs[-1][0], match.end())
        else:
            runs.append(match.span())
        joins = True
    return runs


def _plain(word: str) -> str:
    return word.strip(_AROUND).casefold()


class ClusterList(OverviewList[Cluster]):
    """One cluster a line: reason, issue, summary where there is room, count, characters saved."""

    BINDINGS = bindings("clusters")

    def __init__(self, *, id: str, issues: bool) -> None:
        super().__init__(id=id)
        self._issues = issues
        self.left_out: Set[str] = frozenset()
        self._widths = (0, 0, 0)

    def show(self, clusters: Sequence[Cluster]) -> None:
        self._widths = (
            max((len(_issue(cluster)) for cluster in clusters), default=0) if self._issues else 0,
            max((len(str(len(cluster.originals))) for cluster in clusters), default=0),
            max((len(_saved(cluster)) for cluster in clusters), default=0),
        )
        self.list_rows(clusters)

    def leave_out(self, ids: Set[str]) -> None:
        self.left_out = ids
        self.refresh()

    def row_key(self, row: Cluster) -> str:
        return row.id

    def text_of(self, row: Cluster, heading: str) -> str:
        contents = (original.content for original in row.originals)
        return "\n".join([super().text_of(row, heading), *contents])

    def draw(self, row: Cluster, index: int, width: int) -> Content:
        is_out = row.id in self.left_out
        mark, word, color = REASONS[row.reason]
        issue, number, saved = self._widths
        lead = Content.assemble(
            self.cursor_mark(index),
            (f"{'–' if is_out else mark} ", "$dim" if is_out else color),
            (fit(word, _WORD + 1), "$dim" if is_out else ""),
            (fit(_issue(row), issue + 1) if issue else "", "$dim"),
        )
        tail = Content.assemble(
            (f"{len(row.originals):>{number}} → ", "$dim"),
            ("1", "$dim" if is_out else "bold"),
            "  ",
            (
                fit("stays" if is_out else _saved(row), max(saved, 5), align="right"),
                "$dim" if is_out or _saves(row) <= 0 else "$accent-text",
            ),
            " ",
        )
        room = max(0, width - lead.cell_length - tail.cell_length)
        summary = ""
        if room >= _SUMMARY:
            summary = visible(row.merged.summary, newlines=False)
        return Content.assemble(lead, (fit(summary, max(0, room - 2)), "$dim"), "  ", tail)


def _issue(cluster: Cluster) -> str:
    return f"#{cluster.merged.issue_number}"


def _saves(cluster: Cluster) -> int:
    before, after = cluster.characters
    return before - after


def _saved(cluster: Cluster) -> str:
    saved = _saves(cluster)
    return f"−{count(saved)}" if saved > 0 else f"+{count(-saved)}"


class Originals(TextPane):
    """The originals below each other; the cursor goes from one to the next."""

    BINDINGS = bindings("originals")

    cursor = reactive(0)

    class Moved(Message):
        """The cursor came to another original."""

    def __init__(self, *, id: str, now: Callable[[], datetime]) -> None:
        super().__init__(id=id)
        self._now = now
        self._cluster: Cluster | None = None

    def show_cluster(self, cluster: Cluster) -> None:
        """Show the originals of a cluster, the first one marked if it is another cluster."""
        if self._cluster is None or self._cluster.id != cluster.id:
            self.set_reactive(Originals.cursor, 0)
        self._cluster = cluster
        self.cursor = self.validate_cursor(self.cursor)
        self.set_title(
            plural(len(cluster.originals), "original"), plural(cluster.characters[0], "character")
        )
        self._show()

    @property
    def original(self) -> Observation | None:
        return self._cluster.originals[self.cursor] if self._cluster is not None else None

    def validate_cursor(self, cursor: int) -> int:
        most = len(self._cluster.originals) - 1 if self._cluster is not None else 0
        return min(max(0, cursor), most)

    def watch_cursor(self) -> None:
        self._show()
        self.post_message(self.Moved())

    def action_move(self, step: int) -> None:
        self.cursor += step

    def on_focus(self) -> None:
        self._show()

    def on_blur(self) -> None:
        self._show()

    def _show(self) -> None:
        """Show the texts from the original under the cursor on."""
        if self._cluster is not None:
            texts = [self._paragraphs_of(number) for number in range(len(self._cluster.originals))]
            above = list(chain.from_iterable(texts[: self.cursor]))
            self.show(list(chain.from_iterable(texts))[:-1], from_top=False)
            self.top = len(wrapped_lines(above, self.size.width)) if self.size.width else 0

    def _paragraphs_of(self, number: int) -> list[Paragraph]:
        assert self._cluster is not None
        original = self._cluster.originals[number]
        accent = "$accent-text" if self.has_focus else "$dim"
        mark = Content.styled("▸ " if number == self.cursor else "  ", accent)
        text = marked(original.content, self._cluster.merged.content, LOST)
        facts = Content.assemble(mark, _facts(original, self._now()))
        return [Paragraph(facts, hang=4), Paragraph(text, indent=2), BLANK]


def _facts(observation: Observation, now: datetime) -> Content:
    category = observation.category
    return Content.assemble(
        (f"{mark_of(category)} {visible(category, newlines=False)}", color_of(category)),
        (f" · {visible(observation.agent, newlines=False)}", "$dim"),
        (f" · {age(observation.timestamp, now)}", "$dim"),
    )


def merged_paragraphs(cluster: Cluster, original: Observation, now: datetime) -> list[Paragraph]:
    """Return the merged observation, and what it does not carry over, plainly.

    Words that `original` does not have are marked.
    """
    merged = cluster.merged
    return [
        Paragraph(_facts(merged, now), hang=2),
        plain(visible(why_merged(cluster), newlines=False), "$dim"),
        BLANK,
        Paragraph(marked(merged.content, original.content, ADDED)),
        *_not_carried_over(cluster),
    ]


def _not_carried_over(cluster: Cluster) -> list[Paragraph]:
    """Return the statements that the merged text lacks, each with the one in its place."""
    differs = [left for left in cluster.left_out if left.superseded or left.missing]
    said_already = len(cluster.left_out) - len(differs)
    if not cluster.left_out:
        return [BLANK, plain("Everything is kept.", "$dim")]
    lines: list[Paragraph] = []
    if differs:
        lines += [BLANK, plain("Not kept", "bold")]
    for left in sorted(differs, key=lambda left: not left.superseded):
        lines += _left(left, cluster.merged.content)
    if said_already:
        again = f"{plural(said_already, 'repeated statement')} removed"
        lines += [BLANK, plain(again, "$dim")]
    return lines


def _left(left: LeftOut, merged: str) -> Sequence[Paragraph]:
    word = "replaced by" if left.superseded else "said by"
    whole = left.instead.strip() == merged.strip()
    return (
        Paragraph(
            Content.assemble(("− ", LOST), marked(left.statement, left.instead, LOST)), hang=2
        ),
        Paragraph(
            Content.styled(
                f"{word} {'the text above' if whole else visible(left.instead)}", "$dim"
            ),
            indent=2,
            hang=2,
        ),
    )
