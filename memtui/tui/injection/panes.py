"""The panes of the preview: candidates, why one is in or out, and the text."""

from __future__ import annotations

from collections.abc import Mapping

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.reactive import reactive

from memtui.formatting import plural
from memtui.tui.injection.candidates import CandidatesPane
from memtui.tui.injection.marks import Mark
from memtui.tui.injection.text import RecallText
from memtui.tui.injection.why import Why
from memtui.tui.widgets.row_list import RowList
from store.recall.values import Recall, ScoredCandidate
from store.usage.values import Counts

BESIDE = 110
"""Columns from which the text fits beside the candidates."""
TALL = 18
"""Lines from which there is room for why a candidate is in or out."""


class InjectionPanes(Horizontal):
    """Where there is room for one of the panes, it is the one with the focus."""

    zoomed = reactive(False, init=False)
    """True if the pane with the focus has the screen to itself."""

    def __init__(self) -> None:
        super().__init__(id="injection")
        self.candidates = CandidatesPane(id="candidates-pane")
        self.text = RecallText(id="recall-text")
        self._why = Why(id="why")
        self._ranked = Vertical(self.candidates, self._why, id="ranked")
        self._recall = Recall()
        self._counts: Mapping[str, Counts] = {}

    def compose(self) -> ComposeResult:
        yield self._ranked
        yield self.text

    @property
    def candidate(self) -> ScoredCandidate | None:
        return self.candidates.rows.at if self.is_mounted else None

    def show(
        self,
        recall: Recall,
        tried: Mapping[str, Mark],
        counts: Mapping[str, Counts],
        *,
        still: bool,
    ) -> None:
        """Show a recall with the marks that are tried, and what sessions did with its memories;
        `still` leaves the rows where they are.
        """
        self._recall, self._counts = recall, counts
        self.candidates.show(recall, tried, still=still)
        self.text.show(recall)
        self.text.set_title("Text", plural(recall.tokens, "token"))
        self._explain()

    @on(RowList.Moved, "#candidates")
    def _follow(self) -> None:
        self.text.follows = True
        self._explain()

    @on(CandidatesPane.Listed)
    def _explain(self) -> None:
        """Say why the candidate under the cursor is in or out, and mark it in the text."""
        identifier = self.candidate.observation.id if self.candidate else ""
        self._why.show(self.candidate, self._recall, self._counts.get(identifier))
        self.text.show_note(identifier)

    def step(self) -> None:
        """Give the focus to the text, or back to the candidates."""
        if self.text.has_focus:
            self.focus_candidates()
        else:
            self.text.display = True
            self.screen.set_focus(self.text)

    def focus_candidates(self) -> None:
        self._ranked.display = True
        self.screen.set_focus(self.candidates.rows)

    def watch_zoomed(self) -> None:
        self.fit_panes()

    def on_resize(self) -> None:
        self.fit_panes()

    def fit_panes(self) -> None:
        reading = self.text.has_focus
        alone = self.zoomed or self.screen.size.width < BESIDE
        self.text.display = reading or not alone
        self._ranked.display = not (reading and alone)
        tall = self.screen.size.height >= TALL
        self._why.display = tall and (reading or not self.zoomed)
        self._why.write()
