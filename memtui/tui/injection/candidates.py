"""The ranked candidates of a recall: which are listed, a row for each, and why one is in or out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static

from memtui.formatting import count, fit
from memtui.tui.frame.keys import bindings, key_in_use
from memtui.tui.frame.theme import color_of, mark_of
from memtui.tui.injection.factors import factor_style, in_order, score_bar, why
from memtui.tui.injection.request import LEGEND, SIGNS, UNMARKED, Mark
from memtui.tui.widgets.panes import Box, Titled
from memtui.tui.widgets.row_list import RowList
from memtui.words.sentences import why_included
from store.recall.reasons import Verdict
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
        issues = (len(f"#{candidate.observation.issue_number}") for candidate in recall.candidates)
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
        at, line = self.at if follows else None, self.cursor - self.scroll_offset.y
        self._recall, self._tried, self._measured = recall, tried, -1
        self._totals = _running_totals(recall)
        self._best = max(map(_gained, recall.candidates), default=0.0)
        self.list_rows(shown)
        ids = [candidate.observation.id for candidate in shown]
        if at is None or at.observation.id not in ids:
            self.cursor = 0
        else:
            self.cursor = ids.index(at.observation.id)
            self.scroll_to(y=self.cursor - line, animate=False, force=True, immediate=True)
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
        summary = visible(memory.summary, newlines=False)
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
            ("! " if candidate.suspect else "  ", "bold $text-warning"),
            (
                f"{mark_of(memory.category)} ",
                color_of(memory.category) if candidate.included else "$dim",
            ),
            (fit(f"#{memory.issue_number}", columns.issue - 1, align="right"), "$dim"),
            " " if columns.issue else "",
            (fit(summary, columns.summary), ink),
            (
                f"  {fit(visible(why_included(candidate)), columns.reason - 2)}"
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


def _running_totals(recall: Recall) -> dict[str, int]:
    ids = (candidate.observation.id for candidate in recall.candidates)
    tokens = (candidate.tokens for candidate in recall.candidates)
    return dict(zip(ids, accumulate(tokens), strict=True))


def _gained(candidate: ScoredCandidate) -> float:
    return sum(value for value in candidate.factors.values() if value > 0)


class FilterBox(Box):
    """The words that candidates must have; the list follows each key."""

    BINDINGS = bindings("filter")

    def __init__(self) -> None:
        super().__init__(id="candidate-filter", placeholder="words, an agent, #issue, a reason")

    def action_done(self) -> None:
        self.query_ancestor(CandidatesPane).leave_filter()

    def action_clear(self) -> None:
        self.query_ancestor(CandidatesPane).list_all()


class CandidatesPane(Titled, Vertical):
    """The candidates under the names of their columns: all, or those that have some words, or only
    those that are left out.
    """

    BINDINGS = bindings("candidates pane")

    class Listed(Message):
        """Other candidates are listed than before."""

    def compose(self) -> ComposeResult:
        yield FilterBox()
        yield Static(id="candidates-head", markup=False)
        yield CandidateList(id="candidates")

    def on_mount(self) -> None:
        self._recall, self._tried = Recall(), dict[str, Mark]()
        self._words, self._left_out = "", False
        self._box.display = False

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
        self._box.display = True
        self.screen.set_focus(self._box)

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._filter(event.value.strip(), left_out=self._left_out)

    def leave_filter(self) -> None:
        self._box.display = bool(self._words)
        self.screen.set_focus(self.rows)

    def action_left_out(self) -> None:
        self._filter(self._words, left_out=not self._left_out)

    def list_all(self) -> None:
        self._box.value, self._box.display = "", False
        self._filter("", left_out=False)
        self.screen.set_focus(self.rows)

    def _filter(self, words: str, *, left_out: bool) -> None:
        if (words, left_out) != (self._words, self._left_out):
            self._words, self._left_out = words, left_out
            self._list()
            self.post_message(self.Listed())

    def show(self, recall: Recall, tried: Mapping[str, Mark], *, still: bool) -> None:
        """Show a recall, and how many of it are in; `still` leaves the rows where they are."""
        order = [candidate.observation.id for candidate in self.rows.rows] if still else []
        self._recall, self._tried = recall, dict(tried)
        self._list(order)

    def _list(self, order: Sequence[str] = ()) -> None:
        """List candidates best first, or in an earlier order of ids, new ones last."""
        everything = self._recall.candidates
        shown = [candidate for candidate in everything if self._matches(candidate)]
        if order:
            places = {identifier: place for place, identifier in enumerate(order)}
            shown.sort(key=lambda candidate: places.get(candidate.observation.id, len(places)))
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
        memory = candidate.observation
        issue = f"#{memory.issue_number}"
        parts = (memory.content, memory.agent, memory.category, issue, why_included(candidate))
        text = " ".join((*parts, *memory.tags, memory.id)).casefold()
        return all(word in text for word in self._words.casefold().split())

    def on_resize(self) -> None:
        super().on_resize()
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


_GAP = 3
_VALUE = 5


class Why(Titled, Vertical):
    """The reason above the legend of the score bars, with the numbers of one candidate."""

    def compose(self) -> ComposeResult:
        yield Static(id="why-text", markup=False)

    def on_mount(self) -> None:
        self._candidate: ScoredCandidate | None = None
        self._recall = Recall()
        self.set_title("Why")
        self.border_subtitle = LEGEND

    def show(self, candidate: ScoredCandidate | None, recall: Recall) -> None:
        self._candidate, self._recall = candidate, recall
        score = f"score {candidate.score:.2f}" if candidate is not None else ""
        self.set_title("Why", score)
        self.write()

    def on_resize(self) -> None:
        super().on_resize()
        if self.is_mounted:
            self.write()

    def write(self) -> None:
        """Write it, naming the key that works where the focus is."""
        width = self.content_size.width
        if self._candidate is None or not width:
            return
        names = in_order({name for other in self._recall.candidates for name in other.factors})
        lines = [reason(self._candidate)]
        if self._candidate.suspect:
            key = key_in_use(self.app, "candidates.mute")
            mutes = f": {key} mutes candidate." if key and self._candidate.is_memory else "."
            lines.append(
                Content.styled(f"! Contains instructions for the model{mutes}", "$text-warning")
            )
        lines += legend(names, self._candidate, width)
        self.query_one("#why-text", Static).update(Content("\n").join(lines))


def reason(candidate: ScoredCandidate) -> Content:
    if not candidate.included:
        return Content.assemble(("Out: ", "bold"), visible(why_included(candidate), newlines=False))
    words = why(candidate) if candidate.reason.verdict is Verdict.RELEVANT else ""
    words = words or why_included(candidate)
    if candidate.reason.verdict is Verdict.PINNED:
        words = "pinned: always injected first"
    return Content.assemble(("In: ", "bold $accent-text"), words)


def legend(names: Sequence[str], candidate: ScoredCandidate, width: int) -> Iterable[Content]:
    """Return the factors in columns, each with its colour and what it gives this candidate."""
    if not names:
        return []
    widest = max(len(name) for name in names)
    cell = 2 + widest + _VALUE + _GAP
    columns = max(1, (width + _GAP) // cell)
    rows = -(-len(names) // columns)
    lines = []
    for row in range(rows):
        parts = [_entry(name, candidate, widest) for name in names[row::rows]]
        lines.append(Content(" " * _GAP).join(parts))
    return lines


def _entry(name: str, candidate: ScoredCandidate, widest: int) -> Content:
    value = candidate.factors.get(name, 0.0)
    words = f"{value:.2f}".replace("-0.00", "0.00")
    counts = words != "0.00"
    return Content.assemble(
        ("━ ", factor_style(name)),
        (fit(name, widest), "" if counts else "$dim"),
        (fit(words if counts else "·", _VALUE, align="right"), "bold" if counts else "$dim"),
    )
