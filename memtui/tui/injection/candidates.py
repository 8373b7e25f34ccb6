"""The ranked candidates of a recall: in or out, what each takes, and its score taken apart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from textual.content import Content

from memtui.formatting import count, fit
from memtui.tui.frame.keys import bindings
from memtui.tui.frame.theme import color_of, mark_of
from memtui.tui.injection.factors import score_bar
from memtui.tui.injection.listing import Listing
from memtui.tui.injection.marks import SIGNS, UNMARKED, Mark
from memtui.tui.widgets.row_list import RowList
from memtui.words.sentences import why_included
from store.recall.values import Recall, ScoredCandidate
from store.text.display import visible

_CURSOR = 2
_STATE = 4
BEFORE_THE_COLUMNS = _CURSOR + _STATE + 2
"""The cells of the cursor, the marks and the category."""


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
        issues = (len(f"#{it.observation.issue_number}") for it in recall.candidates)
        issue = min(8, max(issues, default=0)) + 1 if width >= 50 else 0
        reason = 34 if width >= 120 else 0
        bar = 16 if width >= 76 else 10
        tokens, total = (7, 7) if width >= 50 else (0, 7)
        taken = BEFORE_THE_COLUMNS + issue + reason + bar + 2 + tokens + total + 1
        return cls(issue, max(0, width - taken), reason, bar, tokens, total)


_PAGE, _AHEAD = 100, 20
"""Rows that are loaded at once, and how far from the last of them the next ones are."""


class CandidateList(RowList):
    """One candidate a line, best first."""

    BINDINGS = bindings("candidates")

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._recall = Recall()
        self._listing = Listing()
        self._tried: Mapping[str, Mark] = {}
        self._best = 0.0
        self._columns = Columns.of(self._recall, 0)
        self._measured = 0

    def show(self, recall: Recall, listing: Listing, tried: Mapping[str, Mark]) -> None:
        """Show a recall; the cursor stays on its memory, at the same line of the screen. From the
        first row it follows only what was tried with it: else the best of what was asked is first.
        """
        follows = self.cursor > 0 or tried != self._tried
        at, line = self.candidate if follows else None, self.cursor - self.scroll_offset.y
        self._recall, self._listing, self._tried, self._measured = recall, listing, tried, -1
        self._best = max((_gained(it) for it in recall.candidates), default=0.0)
        ids = listing.order
        place = ids.index(at.observation.id) if at and at.observation.id in ids else None
        self._load(max(self.row_count, (place or 0) + 1))
        if place is None:
            self.cursor = 0
        if place is not None:
            self.cursor = place
            self.scroll_to(y=self.cursor - line, animate=False, force=True, immediate=True)
            self.scroll_to_cursor()
        self.reload()

    def _load(self, rows: int) -> None:
        """Have so many rows, in whole pages, as far as there are candidates."""
        pages = -(-max(rows, 1) // _PAGE)
        self.row_count = min(self.total, pages * _PAGE)

    def watch_cursor(self, old: int, new: int) -> None:
        super().watch_cursor(old, new)
        if new >= self.row_count - _AHEAD:
            self._load(self.row_count + 1)

    @property
    def total(self) -> int:
        return len(self._listing.shown)

    @property
    def candidate(self) -> ScoredCandidate | None:
        found = self._listing.shown
        return found[self.cursor] if self.cursor < len(found) else None

    @property
    def cursor_stays(self) -> bool:
        return True

    def columns(self, width: int) -> Columns:
        if self._measured != width:
            self._measured = width
            self._columns = Columns.of(self._recall, width)
        return self._columns

    def row(self, index: int, width: int) -> Content:
        """Cursor, in or out, category, issue, summary, reason, score, tokens, running total.

        Of one that is left out the tokens are those that it would add.
        """
        it = self._listing.shown[index]
        seen, columns = it.observation, self.columns(width)
        ink = "" if it.included else "$dim"
        tried, own = self._tried.get(seen.id), Mark.of(seen)
        summary = visible(seen.summary, newlines=False)
        tokens = count(it.tokens) if it.included else f"+{count(self._recall.cost_of(it))}"
        total = count(self._listing.total(it)) if it.included else ""
        return Content.assemble(
            ("▸ " if index == self.cursor else "  ", "$accent-text"),
            ("✓" if it.included else " ", "$accent-text"),
            (
                UNMARKED if tried is Mark.PLAIN else SIGNS[tried or own],
                "$accent-text" if tried else "$dim",
            ),
            ("! " if it.suspect else "  ", "bold $text-warning"),
            (f"{mark_of(seen.category)} ", color_of(seen.category) if it.included else "$dim"),
            (fit(f"#{seen.issue_number}", columns.issue - 1, align="right"), "$dim"),
            " " if columns.issue else "",
            (fit(summary, columns.summary), ink),
            (
                f"  {fit(visible(why_included(it)), columns.reason - 2)}" if columns.reason else "",
                "$dim",
            ),
            "  ",
            score_bar(it.factors, self._best, columns.bar),
            (fit(tokens, columns.tokens, align="right"), "$dim"),
            (fit(total, columns.total, align="right"), ink),
            " ",
        )


def _gained(it: ScoredCandidate) -> float:
    return sum(value for value in it.factors.values() if value > 0)
