"""The pane of the candidates: a filter where one is wanted, the names of the columns, the rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widgets import Input, Static

from memtui.formatting import count, fit
from memtui.tui.frame.keys import bindings
from memtui.tui.injection.candidates import BEFORE_THE_COLUMNS, CandidateList
from memtui.tui.injection.listing import Filter, Listing
from memtui.tui.injection.marks import Mark
from memtui.tui.widgets.box import Box
from memtui.tui.widgets.titled import Titled
from store.recall.values import Recall


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
