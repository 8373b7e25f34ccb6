"""The ranked candidates of a recall: in or out, what each takes, and its score taken apart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from memtui.formatting import count, fit
from memtui.tui.injection.factors import score_bar
from memtui.tui.injection.request import Mark
from memtui.tui.theme import color_of, mark_of
from memtui.tui.widgets.row_list import CHOOSE, RowList
from memtui.tui.widgets.titled import Titled
from store.text import visible
from store.values import Recall, ScoredCandidate

_MARKS = {Mark.PINNED: "▲", Mark.MUTED: "∅", Mark.PLAIN: " "}
_PLAIN = "○"
"""What a candidate shows that is tried without the pin or mute of its record."""
_CURSOR = 2
_STATE = 4


@dataclass(frozen=True, slots=True)
class Columns:
    """The widths in cells of the columns; 0 leaves one out."""

    issue: int
    summary: int
    reason: int
    bar: int
    tokens: int
    total: int

    @classmethod
    def of(cls, recall: Recall, width: int) -> Columns:
        """As wide as the candidates need and `width` allows."""
        issues = (len(f"#{it.observation.issue_number}") for it in recall.candidates)
        issue = min(8, max(issues, default=0)) + 1 if width >= 50 else 0
        reason = 34 if width >= 120 else 0
        bar = 16 if width >= 76 else 10
        tokens, total = (7, 7) if width >= 50 else (0, 7)
        taken = _CURSOR + _STATE + 2 + issue + reason + bar + 2 + tokens + total + 1
        return cls(issue, max(0, width - taken), reason, bar, tokens, total)


_PAGE, _AHEAD = 100, 20
"""Rows that are loaded at once, and how far from the last of them the next ones are."""


class CandidateList(RowList):
    """One candidate a line, best first."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "enter",
            "choose",
            "open",
            group=CHOOSE,
            id="candidates.open",
            tooltip="Open in full, with every field",
        ),
        Binding(
            "space",
            "screen.try_mark",
            "in, pin, mute",
            key_display="space",
            group=CHOOSE,
            id="candidates.mark",
            tooltip="Try pinned, muted, unmarked, then as stored",
        ),
    ]

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._recall = Recall()
        self._tried: Mapping[str, Mark] = {}
        self._totals: list[int] = []
        self._best = 0.0
        self._columns = Columns.of(self._recall, 0)
        self._measured = 0

    def show(self, recall: Recall, tried: Mapping[str, Mark]) -> None:
        """Show a recall; the cursor stays on its observation, at the same line of the screen."""
        at, line = self.candidate, self.cursor - self.scroll_offset.y
        self._recall, self._tried, self._measured = recall, tried, -1
        self._totals = list(accumulate(it.tokens for it in recall.candidates))
        self._best = max((_gained(it) for it in recall.candidates), default=0.0)
        ids = [it.observation.id for it in recall.candidates]
        place = ids.index(at.observation.id) if at and at.observation.id in ids else None
        self._load(max(self.row_count, (place or 0) + 1))
        if place is not None:
            self.cursor = place
            self.scroll_to(y=self.cursor - line, animate=False, force=True, immediate=True)
            self.scroll_to_cursor()
        self.reload()

    def _load(self, rows: int) -> None:
        """Have so many rows, in whole pages, as far as there are candidates."""
        pages = -(-max(rows, 1) // _PAGE)
        self.row_count = min(len(self._recall.candidates), pages * _PAGE)

    def watch_cursor(self, old: int, new: int) -> None:
        """Go on with the next page before the end is reached."""
        super().watch_cursor(old, new)
        if new >= self.row_count - _AHEAD:
            self._load(self.row_count + 1)

    @property
    def total(self) -> int:
        """How many candidates there are; rows may be fewer."""
        return len(self._recall.candidates)

    @property
    def candidate(self) -> ScoredCandidate | None:
        """The candidate under the cursor."""
        found = self._recall.candidates
        return found[self.cursor] if self.cursor < len(found) else None

    @property
    def cursor_stays(self) -> bool:
        """Why the candidate is in or out is said below, so its row stays marked."""
        return True

    def columns(self, width: int) -> Columns:
        """The widths of the columns in `width` cells."""
        if self._measured != width:
            self._measured = width
            self._columns = Columns.of(self._recall, width)
        return self._columns

    def row(self, index: int, width: int) -> Content:
        """Cursor, in or out, category, issue, summary, reason, score, tokens, running total."""
        it = self._recall.candidates[index]
        seen, columns = it.observation, self.columns(width)
        ink = "" if it.included else "$dim"
        tried, own = self._tried.get(seen.id), Mark.of(seen)
        summary = visible(seen.summary, newlines=False)
        tokens, total = (count(it.tokens), count(self._totals[index])) if it.included else ("", "")
        return Content.assemble(
            ("▸ " if index == self.cursor else "  ", "$accent-text"),
            ("✓" if it.included else " ", "$accent-text"),
            (
                _PLAIN if tried is Mark.PLAIN else _MARKS[tried or own],
                "$accent-text" if tried else "$dim",
            ),
            ("! " if it.suspect else "  ", "bold $text-warning"),
            (f"{mark_of(seen.category)} ", color_of(seen.category) if it.included else "$dim"),
            (fit(f"#{seen.issue_number}", columns.issue - 1, align="right"), "$dim"),
            " " if columns.issue else "",
            (fit(summary, columns.summary), ink),
            (f"  {fit(visible(it.reason), columns.reason - 2)}" if columns.reason else "", "$dim"),
            "  ",
            score_bar(it.factors, self._best, columns.bar),
            (fit(tokens, columns.tokens, align="right"), "$dim"),
            (fit(total, columns.total, align="right"), ink),
            " ",
        )


class CandidatesPane(Titled, Vertical):
    """The candidates under the names of their columns."""

    def compose(self) -> ComposeResult:
        """The names, then the rows."""
        yield Static(id="candidates-head", markup=False)
        yield CandidateList(id="candidates")

    @property
    def rows(self) -> CandidateList:
        """The list in the pane."""
        return self.query_one(CandidateList)

    def show(self, recall: Recall, tried: Mapping[str, Mark]) -> None:
        """Show a recall, and how many of its candidates are in."""
        self.rows.show(recall, tried)
        inside = len(recall.included)
        trying = f"{len(tried)} to save · " if tried else ""
        self.set_title(
            "Candidates", f"{trying}{count(inside)} of {count(len(recall.candidates))} in"
        )
        self._say_loaded()
        self.call_after_refresh(self.name_columns)

    def on_row_list_moved(self) -> None:
        """More rows may be there than before."""
        self._say_loaded()

    def _say_loaded(self) -> None:
        loaded, total = self.rows.row_count, self.rows.total
        self.border_subtitle = f"{count(loaded)} of {count(total)}" if loaded < total else ""

    def on_resize(self) -> None:
        """The columns follow the width."""
        super().on_resize()
        self.call_after_refresh(self.name_columns)

    def name_columns(self) -> None:
        """Write the names over the columns."""
        columns = self.rows.columns(self.rows.scrollable_content_region.width)
        self.query_one("#candidates-head", Static).update(
            Content.styled(
                " " * (_CURSOR + _STATE + 2)
                + fit("issue" if columns.issue > 5 else "", columns.issue - 1, align="right")
                + (" " if columns.issue else "")
                + fit("summary", columns.summary)
                + ("  " + fit("reason", columns.reason - 2) if columns.reason else "")
                + "  "
                + fit("score", columns.bar)
                + fit("tokens", columns.tokens, align="right")
                + fit("total", columns.total, align="right"),
                "$dim",
            )
        )


def _gained(it: ScoredCandidate) -> float:
    return sum(value for value in it.factors.values() if value > 0)
