"""The panes of the injection preview: the candidates, why, and the text, as far as they fit."""

from __future__ import annotations

from collections.abc import Mapping

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.reactive import reactive

from memtui.formatting import plural
from memtui.tui.injection.candidates_pane import CandidatesPane
from memtui.tui.injection.marks import Mark
from memtui.tui.injection.text import RecallText
from memtui.tui.injection.why import Why
from memtui.tui.widgets.row_list import RowList
from store.recall.values import Recall, ScoredCandidate

BESIDE = 110
"""Columns from which the text fits beside the candidates."""
TALL = 18
"""Lines from which it is said why a candidate is in or out."""


class InjectionPanes(Horizontal):
    """Candidates and why at the left, the text at the right.

    Where there is room for one of them, it is the one with the focus.
    """

    zoomed = reactive(False)
    """Whether the pane with the focus has the screen to itself."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._candidates = CandidatesPane(id="candidates-pane")
        self._why = Why(id="why")
        self._ranked = Vertical(self._candidates, self._why, id="ranked")
        self._text = RecallText(id="recall-text")
        self._recall = Recall()
        self._following = False

    def compose(self) -> ComposeResult:
        yield self._ranked
        yield self._text

    def on_mount(self) -> None:
        self._text.set_title("Text")

    def show(self, recall: Recall, tried: Mapping[str, Mark], *, still: bool = False) -> None:
        """Show a recall, with the marks that are only tried; `still` leaves the rows in place."""
        self._recall = recall
        self._candidates.show(recall, tried, still=still)
        self._text.show(recall)
        self._text.set_title("Text", plural(recall.tokens, "token"))
        self.explain()

    @property
    def candidate(self) -> ScoredCandidate | None:
        return self._candidates.rows.candidate

    @property
    def candidates(self) -> CandidatesPane:
        return self._candidates

    @property
    def text_width(self) -> int:
        return self._text.text_width

    @on(CandidatesPane.Listed)
    def _listed(self) -> None:
        self.explain()

    @on(RowList.Moved, "#candidates")
    def _moved(self) -> None:
        self._following = True
        self.explain()

    def explain(self) -> None:
        """Say why, and once the cursor was moved show where the text tells of it."""
        it = self.candidate
        self._why.show(it, self._recall)
        self._text.show_note(it.observation.id if it is not None else "", reveal=self._following)

    def focus_candidates(self) -> None:
        self._ranked.display = True
        self.screen.set_focus(self._candidates.rows)

    def step(self) -> None:
        """Go to the text, or back to the candidates: with two panes, each step is the same."""
        if self._text.has_focus:
            self.focus_candidates()
        else:
            self._text.display = True
            self.screen.set_focus(self._text)

    def watch_zoomed(self) -> None:
        self.fit()

    def fit(self) -> None:
        """Show the panes that fit, and always the one with the focus."""
        size = self.screen.size
        alone = self.zoomed or size.width < BESIDE
        reading = self.screen.focused is self._text
        self._text.display = reading or not alone
        self._ranked.display = not (reading and alone)
        self._why.display = not (self.zoomed and not reading) and size.height >= TALL
        self._why.write()
