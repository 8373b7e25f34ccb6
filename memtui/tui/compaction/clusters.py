"""The clusters of a compaction: why each belongs together, and what it saves."""

from __future__ import annotations

from collections.abc import Sequence, Set

from textual.content import Content

from memtui.formatting import count, fit
from memtui.tui.frame.keys import bindings
from memtui.tui.frame.theme import color_of
from memtui.tui.widgets.row_list import RowList
from memtui.tui.widgets.titled import Titled
from store.compaction.model import Cluster, Reason
from store.model import Category
from store.text.display import visible

REASONS: dict[Reason, tuple[str, str, str]] = {
    Reason.DUPLICATE: ("=", "same", color_of(Category.KEY_FACT)),
    Reason.SUPERSEDED: ("»", "superseded", color_of(Category.TASK)),
    Reason.ERROR_AND_FIX: ("×", "error, fix", color_of(Category.ERROR)),
    Reason.FILE_HISTORY: ("±", "one file", color_of(Category.CODE_CHANGE)),
    Reason.RELATED: ("≈", "one subject", color_of(Category.DECISION)),
    Reason.FOLDED: ("≡", "folded", color_of(Category.COMPACTION_SUMMARY)),
}
"""The mark, the word and the colour of each reason."""
_WORD = max(len(word) for _, word, _ in REASONS.values())
_SUMMARY = 12
"""Cells from which it is worth beginning a summary."""


class ClusterList(Titled, RowList):
    """One cluster a line: reason, issue, summary where there is room, count, characters saved."""

    BINDINGS = bindings("clusters")

    def __init__(self, *, id: str, issues: bool) -> None:
        super().__init__(id=id)
        self._issues = issues
        self.clusters: Sequence[Cluster] = ()
        self.left_out: Set[str] = frozenset()
        self._widths = (0, 0, 0)

    def show(self, clusters: Sequence[Cluster]) -> None:
        self.clusters = clusters
        self._widths = (
            max((len(_issue(each)) for each in clusters), default=0) if self._issues else 0,
            max((len(str(len(each.originals))) for each in clusters), default=0),
            max((len(_saved(each)) for each in clusters), default=0),
        )
        self.row_count = len(clusters)
        self.reload()

    def leave_out(self, ids: Set[str]) -> None:
        """Show that the clusters with these ids stay as they are."""
        self.left_out = ids
        self.refresh()

    @property
    def cluster(self) -> Cluster | None:
        return self.clusters[self.cursor] if self.clusters else None

    @property
    def cursor_stays(self) -> bool:
        return True

    def row(self, index: int, width: int) -> Content:
        cluster = self.clusters[index]
        is_out = cluster.id in self.left_out
        mark, word, color = REASONS[cluster.reason]
        issue, number, saved = self._widths
        lead = Content.assemble(
            ("▸ " if index == self.cursor else "  ", "$accent-text"),
            (f"{'–' if is_out else mark} ", "$dim" if is_out else color),
            (fit(word, _WORD + 1), "$dim" if is_out else ""),
            (fit(_issue(cluster), issue + 1) if issue else "", "$dim"),
        )
        tail = Content.assemble(
            (f"{len(cluster.originals):>{number}} → ", "$dim"),
            ("1", "$dim" if is_out else "bold"),
            "  ",
            (
                fit("stays" if is_out else _saved(cluster), max(saved, 5), align="right"),
                "$dim" if is_out or _saves(cluster) <= 0 else "$accent-text",
            ),
            " ",
        )
        room = max(0, width - lead.cell_length - tail.cell_length)
        summary = ""
        if room >= _SUMMARY:
            summary = visible(cluster.merged.summary, newlines=False)
        return Content.assemble(lead, (fit(summary, max(0, room - 2)), "$dim"), "  ", tail)


def _issue(cluster: Cluster) -> str:
    return f"#{cluster.merged.issue_number}"


def _saves(cluster: Cluster) -> int:
    before, after = cluster.characters
    return before - after


def _saved(cluster: Cluster) -> str:
    saved = _saves(cluster)
    return f"−{count(saved)}" if saved > 0 else f"+{count(-saved)}"
