"""Why a candidate is in, or is not: its reason in words, and its score factor by factor."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from memtui.formatting import fit
from memtui.tui.frame.keys import key_in_use
from memtui.tui.injection.factors import factor_style, in_order, why
from memtui.tui.injection.marks import LEGEND
from memtui.tui.widgets.titled import Titled
from memtui.words.sentences import why_included
from store.recall.reasons import Verdict
from store.recall.values import Recall, ScoredCandidate
from store.text.display import visible

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
