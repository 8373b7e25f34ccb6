"""The ranked candidates of a recall: which are listed, a row for each, and why one is in or out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widgets import Input, Static

from memtui.formatting import count, fit
from memtui.tui.frame.keys import bindings, key_in_use
from memtui.tui.frame.theme import color_of, mark_of
from memtui.tui.injection.factors import factor_style, in_order, score_bar, why
from memtui.tui.injection.request import LEGEND, SIGNS, UNMARKED, Mark
from memtui.tui.widgets.box import Box
from memtui.tui.widgets.panes import Titled
from memtui.tui.widgets.row_list import RowList
from memtui.words.sentences import why_included
from store.recall.reasons import Verdict
from store.recall.values import Recall, ScoredCandidate
from store.text.display import visible


@dataclass(frozen=True, slots=True)
class Filter:
    """What is looked for among the candidates: words, and whether only what was left out."""

    words: str = ""
    left_out: bool = False

    def admits(self, it: ScoredCandidate) -> bool:
        """Whether a candidate has all the words, and is out where only that is wanted."""
        if self.left_out and it.included:
            return False
        if not self.words:
            return True
        seen = it.observation
        text = (
            f"{seen.content} {seen.agent} {seen.category} #{seen.issue_number} {why_included(it)}"
        )
        held = f"{text} {' '.join(seen.tags)} {seen.id}".casefold()
        return all(word in held for word in self.words.casefold().split())


@dataclass(frozen=True, slots=True)
class Listing:
    """The candidates in the order shown; `totals` run over what is told, by id."""

    shown: tuple[ScoredCandidate, ...] = ()
    totals: Mapping[str, int] | None = None

    @classmethod
    def of(cls, recall: Recall, wanted: Filter, order: Sequence[str] = ()) -> Listing:
        """Those that a filter admits, best first; or in an earlier order of ids, new ones last."""
        running = accumulate(it.tokens for it in recall.candidates)
        ids = (it.observation.id for it in recall.candidates)
        shown = [it for it in recall.candidates if wanted.admits(it)]
        if order:
            places = {identifier: place for place, identifier in enumerate(order)}
            shown.sort(key=lambda it: places.get(it.observation.id, len(places)))
        return cls(tuple(shown), dict(zip(ids, running, strict=True)))

    @property
    def order(self) -> tuple[str, ...]:
        return tuple(it.observation.id for it in self.shown)

    def total(self, it: ScoredCandidate) -> int:
        return (self.totals or {}).get(it.observation.id, 0)


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


class FilterBox(Box):
    """The words that candidates must have; the list follows each key."""

    BINDINGS = bindings("filter")

    class Done(Message):
        """The words are typed."""

    class Cleared(Message):
        """No words are wanted any more."""

    def __init__(self) -> None:
        super().__init__(id="candidate-filter", placeholder="words, an agent, #issue, a reason")

    def action_done(self) -> None:
        self.post_message(self.Done())

    def action_clear(self) -> None:
        self.post_message(self.Cleared())


class CandidatesPane(Titled, Vertical):
    """The candidates under the names of their columns, all or what a filter admits."""

    BINDINGS = bindings("candidates pane")

    class Listed(Message):
        """Other candidates are listed than before."""

    filter = reactive(Filter(), init=False)
    """Which of the candidates are listed."""

    def compose(self) -> ComposeResult:
        yield FilterBox()
        yield Static(id="candidates-head", markup=False)
        yield CandidateList(id="candidates")

    def on_mount(self) -> None:
        self._recall, self._tried = Recall(), dict[str, Mark]()
        self._listing = Listing()
        self.query_one(FilterBox).display = False

    def watch_filter(self) -> None:
        self._list(())
        self.post_message(self.Listed())

    @property
    def is_filtered(self) -> bool:
        return self.filter != Filter()

    def action_filter(self) -> None:
        box = self.query_one(FilterBox)
        box.display = True
        self.screen.set_focus(box)

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.filter = replace(self.filter, words=event.value.strip())

    @on(FilterBox.Done)
    def _leave_filter(self) -> None:
        self.query_one(FilterBox).display = bool(self.filter.words)
        self.screen.set_focus(self.rows)

    def action_left_out(self) -> None:
        self.filter = replace(self.filter, left_out=not self.filter.left_out)

    @on(FilterBox.Cleared)
    def list_all(self) -> None:
        box = self.query_one(FilterBox)
        box.value, box.display = "", False
        self.filter = Filter()
        self.screen.set_focus(self.rows)

    @property
    def rows(self) -> CandidateList:
        return self.query_one(CandidateList)

    def show(self, recall: Recall, tried: Mapping[str, Mark], *, still: bool) -> None:
        """Show a recall, and how many of it are in; `still` leaves the rows where they are."""
        order = self._listing.order if still else ()
        self._recall, self._tried = recall, dict(tried)
        self._list(order)

    def _list(self, order: Sequence[str]) -> None:
        self._listing = listing = Listing.of(self._recall, self.filter, order)
        self.rows.show(self._recall, listing, self._tried)
        inside, all_of_them = len(self._recall.included), len(self._recall.candidates)
        trying = f"{len(self._tried)} to save · " if self._tried else ""
        fewer = f"{count(len(listing.shown))} shown · " if self.filter != Filter() else ""
        name = "Left out" if self.filter.left_out else "Candidates"
        self.set_title(name, f"{trying}{fewer}{count(inside)} of {count(all_of_them)} in")
        self._say_loaded()
        self.call_after_refresh(self.name_columns)

    def on_row_list_moved(self) -> None:
        self._say_loaded()

    def _say_loaded(self) -> None:
        loaded, total = self.rows.row_count, self.rows.total
        self.border_subtitle = f"{count(loaded)} of {count(total)}" if loaded < total else ""

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
        names = in_order({name for it in self._recall.candidates for name in it.factors})
        lines = [reason(self._candidate)]
        if self._candidate.suspect:
            key = key_in_use(self.app, "candidates.mute")
            mutes = f": {key} mutes it." if key and self._candidate.is_memory else "."
            lines.append(
                Content.styled(f"! Contains instructions for the model{mutes}", "$text-warning")
            )
        lines += legend(names, self._candidate, width)
        self.query_one("#why-text", Static).update(Content("\n").join(lines))


def reason(it: ScoredCandidate) -> Content:
    """In or out, and why, in a sentence."""
    if not it.included:
        return Content.assemble(("Out: ", "bold"), visible(why_included(it), newlines=False))
    told = why(it) if it.reason.verdict is Verdict.RELEVANT else ""
    told = told or why_included(it)
    if it.reason.verdict is Verdict.PINNED:
        told = "pinned: always injected first"
    return Content.assemble(("In: ", "bold $accent-text"), told)


def legend(names: Sequence[str], it: ScoredCandidate, width: int) -> Iterable[Content]:
    """The factors in columns, each with its colour and what it gives this candidate."""
    if not names:
        return []
    widest = max(len(name) for name in names)
    cell = 2 + widest + _VALUE + _GAP
    columns = max(1, (width + _GAP) // cell)
    rows = -(-len(names) // columns)
    lines = []
    for row in range(rows):
        parts = [_entry(name, it, widest) for name in names[row::rows]]
        lines.append(Content(" " * _GAP).join(parts))
    return lines


def _entry(name: str, it: ScoredCandidate, widest: int) -> Content:
    value = it.factors.get(name, 0.0)
    told = f"{value:.2f}".replace("-0.00", "0.00")
    counts = told != "0.00"
    return Content.assemble(
        ("━ ", factor_style(name)),
        (fit(name, widest), "" if counts else "$dim"),
        (fit(told if counts else "·", _VALUE, align="right"), "bold" if counts else "$dim"),
    )
