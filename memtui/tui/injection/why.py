"""Why a candidate is in or out: the reason, and what each factor gives it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from memtui.formatting import fit
from memtui.tui.frame.keys import key_in_use
from memtui.tui.injection.factors import factor_style, in_order, strongest
from memtui.tui.injection.marks import LEGEND
from memtui.tui.widgets.panes import Titled
from memtui.words.drift import drift_words
from memtui.words.recall import why_included
from memtui.words.usage import usage_words
from store.recall.reasons import Verdict
from store.recall.values import Recall, ScoredCandidate
from store.text.display import visible_line
from store.usage.values import Counts

_GAP = 3
_VALUE = 5


class Why(Titled, Vertical):
    """The reason above the legend of the score bars, with the numbers of one candidate."""

    def compose(self) -> ComposeResult:
        yield Static(id="why-text", markup=False)

    def on_mount(self) -> None:
        self._candidate: ScoredCandidate | None = None
        self._recall = Recall()
        self._counts: Counts | None = None
        self.set_title("Why")
        self.border_subtitle = LEGEND

    def show(
        self, candidate: ScoredCandidate | None, recall: Recall, counts: Counts | None
    ) -> None:
        self._candidate, self._recall, self._counts = candidate, recall, counts
        score = f"score {candidate.score:.2f}" if candidate is not None else ""
        self.set_title("Why", score)
        self.write()

    def on_resize(self) -> None:
        if self.is_mounted:
            self.write()

    def write(self) -> None:
        """Write it, naming the key that works where the focus is."""
        width = self.content_size.width
        if self._candidate is None or not width:
            return
        names = in_order({name for other in self._recall.candidates for name in other.factors})
        lines = [reason(self._candidate)]
        if level := self._candidate.observation.level:
            lines[0] += Content.styled(f" · {level}", "$dim")
        if self._candidate.is_suspect:
            key = key_in_use(self.app, "candidates.mute")
            mutes = f": {key} mutes candidate." if key and self._candidate.is_memory else "."
            lines.append(
                Content.styled(f"! Contains instructions for the model{mutes}", "$text-warning")
            )
        if self._candidate.drift.is_drifted:
            words = drift_words(self._candidate.drift)
            lines.append(Content.styled(words, "$text-warning"))
        if used := usage_words(self._counts):
            lines.append(Content.styled(used, "$dim"))
        lines += legend(names, self._candidate, width)
        self.query_one("#why-text", Static).update(Content("\n").join(lines))


def reason(candidate: ScoredCandidate) -> Content:
    if not candidate.included:
        return Content.assemble(("Out: ", "bold"), visible_line(why_included(candidate)))
    words = strongest(candidate) if candidate.reason.verdict is Verdict.RELEVANT else ""
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
