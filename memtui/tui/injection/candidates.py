"""The ranked candidates of a recall: which are listed, and a row for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static

from memtui.formatting import count, fit
from memtui.tui.frame.keys import bindings
from memtui.tui.frame.theme import DRIFT_MARKS, LEVEL_MARKS, color_of, mark_of
from memtui.tui.injection.factors import score_bar
from memtui.tui.injection.marks import SIGNS, UNMARKED, Mark
from memtui.tui.widgets.filter_box import FilterBox
from memtui.tui.widgets.panes import Titled
from memtui.tui.widgets.row_list import RowList
from memtui.words.recall import why_included
from store.recall.values import Recall, ScoredCandidate
from store.text.display import visible_line

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
        issues = (len(f"#{candidate.stored.issue_number}") for candidate in recall.candidates)
        issue = min(8, max(issues, default=0)) + 1 if width >= 50 else 0
        reason = 34 if width >= 120 else 0
        bar = 16 if width >= 76 else 10
        tokens, total = (7, 7) if width >= 50 else (0, 7)
        taken = BEFORE_THE_COLUMNS + issue + reason + bar + 2 + tokens + total + 1
        return cls(issue, max(0, width - taken), reason, bar, tokens, total)


class CandidateList(RowList[ScoredCandidate]):
    BINDINGS = bindings("candidates")
    keeps_cursor = True

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._recall = Recall()
        self._tried: Mapping[str, Mark] = {}
        self._totals: Mapping[str, int] = {}
        self._best = 0.0
        self._columns = Columns.of(self._recall, 0)
        self._measured = 0

    def show(
        self, recall: Recall, shown: Sequence[ScoredCandidate], tried: Mapping[str, Mark]
    ) -> None:
        """Show candidates of a recall; the cursor stays on its memory, at the same line of the
        screen. From the first row it follows only what was tried with it: else the best is first.
        """
        follows = self.cursor > 0 or tried != self._tried
        at, line = self.at if follows else None, self.cursor_line
        self._recall, self._tried, self._measured = recall, tried, -1
        self._totals = _running_totals(recall)
        self._best = max(map(_gained, recall.candidates), default=0.0)
        self.list_rows(shown)
        ids = [candidate.id for candidate in shown]
        if at is None or at.observation.id not in ids:
            self.cursor = 0
        else:
            self.put_cursor(ids.index(at.observation.id), line)
            self.scroll_to_cursor()

    def columns(self, width: int) -> Columns:
        if self._measured != width:
            self._measured = width
            self._columns = Columns.of(self._recall, width)
        return self._columns

    def row(self, index: int, width: int) -> Content:
        """Cursor, in or out, category, issue, summary, reason, score, tokens, running total.

        Of one that is left out the tokens are those that it would add.
        """
        candidate, columns = self.rows[index], self.columns(width)
        memory = candidate.observation
        ink = "" if candidate.included else "$dim"
        tried, own = self._tried.get(memory.id), Mark.of(memory)
        level = LEVEL_MARKS.get(memory.level, "")
        summary = f"{level} {visible_line(memory.summary)}".lstrip()
        tokens = (
            count(candidate.tokens)
            if candidate.included
            else f"+{count(self._recall.cost_of(candidate))}"
        )
        total = count(self._totals[memory.id]) if candidate.included else ""
        return Content.assemble(
            self.cursor_mark(index),
            ("✓" if candidate.included else " ", "$accent-text"),
            (
                UNMARKED if tried is Mark.PLAIN else SIGNS[tried or own],
                "$accent-text" if tried else "$dim",
            ),
            (f"{_warning(candidate)} ", "bold $text-warning"),
            (
                f"{mark_of(memory.category)} ",
                color_of(memory.category) if candidate.included else "$dim",
            ),
            (fit(f"#{memory.issue_number}", columns.issue - 1, align="right"), "$dim"),
            " " if columns.issue else "",
            (fit(summary, columns.summary), ink),
            (
                f"  {fit(visible_line(why_included(candidate)), columns.reason - 2)}"
                if columns.reason
                else "",
                "$dim",
            ),
            "  ",
            score_bar(candidate.factors, self._best, columns.bar),
            (fit(tokens, columns.tokens, align="right"), "$dim"),
            (fit(total, columns.total, align="right"), ink),
            " ",
        )


def _warning(candidate: ScoredCandidate) -> str:
    return "!" if candidate.is_suspect else DRIFT_MARKS.get(candidate.drift.verdict, " ")


def _running_totals(recall: Recall) -> dict[str, int]:
    ids = (candidate.id for candidate in recall.candidates)
    tokens = (candidate.tokens for candidate in recall.candidates)
    return dict(zip(ids, accumulate(tokens), strict=True))


def _gained(candidate: ScoredCandidate) -> float:
    return sum(value for value in candidate.factors.values() if value > 0)


class CandidatesPane(Titled, Vertical):
    """The candidates under the names of their columns: all, or those that have some words, or only
    those that are left out.
    """

    BINDINGS = bindings("candidates pane")

    class Listed(Message):
        """Other candidates are listed than before."""

    def compose(self) -> ComposeResult:
        yield FilterBox("words, an agent, #issue, a reason")
        yield Static(id="candidates-head", markup=False)
        yield CandidateList(id="candidates")

    def on_mount(self) -> None:
        self._recall, self._tried = Recall(), dict[str, Mark]()
        self._words, self._left_out = "", False

    @property
    def _box(self) -> FilterBox:
        return self.query_one(FilterBox)

    @property
    def rows(self) -> CandidateList:
        return self.query_one(CandidateList)

    @property
    def is_filtered(self) -> bool:
        return bool(self._words) or self._left_out

    def action_filter(self) -> None:
        self._box.open()

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._filter(event.value.strip(), left_out=self._left_out)

    def on_filter_box_left(self) -> None:
        self.screen.set_focus(self.rows)

    def action_left_out(self) -> None:
        self._filter(self._words, left_out=not self._left_out)

    def list_all(self) -> None:
        self._filter("", left_out=False)
        self._box.action_clear()

    def _filter(self, words: str, *, left_out: bool) -> None:
        if (words, left_out) != (self._words, self._left_out):
            self._words, self._left_out = words, left_out
            self._list()
            self.post_message(self.Listed())

    def show(self, recall: Recall, tried: Mapping[str, Mark], *, still: bool) -> None:
        """Show a recall, and how many of it are in; `still` leaves the rows where they are."""
        order = [candidate.id for candidate in self.rows.rows] if still else []
        self._recall, self._tried = recall, dict(tried)
        self._list(order)

    def _list(self, order: Sequence[str] = ()) -> None:
        """List candidates best first, or in an earlier order of ids, new ones last."""
        everything = self._recall.candidates
        shown = [candidate for candidate in everything if self._matches(candidate)]
        if order:
            places = {identifier: place for place, identifier in enumerate(order)}
            shown.sort(key=lambda candidate: places.get(candidate.id, len(places)))
        self.rows.show(self._recall, shown, self._tried)
        tried = f"{len(self._tried)} to save · " if self._tried else ""
        fewer = f"{count(len(shown))} shown · " if self.is_filtered else ""
        inside = f"{count(len(self._recall.included))} of {count(len(everything))} in"
        name = "Left out" if self._left_out else "Candidates"
        self.set_title(name, f"{tried}{fewer}{inside}")
        self.call_after_refresh(self.name_columns)

    def _matches(self, candidate: ScoredCandidate) -> bool:
        if self._left_out and candidate.included:
            return False
        if not self._words:
            return True
        memory = candidate.observation
        issue = f"#{memory.issue_number}"
        parts = (memory.content, memory.agent, memory.category, issue, why_included(candidate))
        text = " ".join((*parts, *memory.tags, memory.id, memory.level)).casefold()
        return all(word in text for word in self._words.casefold().split())

    def on_resize(self) -> None:
        self.call_after_refresh(self.name_columns)

    def name_columns(self) -> None:
        columns = self.rows.columns(self.rows.scrollable_content_region.width)
        self.query_one("#candidates-head", Static).update(
            Content.styled(
                " " * (BEFORE_THE_COLUMNS)
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
