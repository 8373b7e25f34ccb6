"""The layers of memory and their categories, with the counts of what the query finds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from textual.content import Content

from memtui.formatting import count, fit
from memtui.tui.browse.filter_list import FilterList
from memtui.tui.frame.keys import bindings
from memtui.tui.frame.theme import color_of, mark_of
from store.model import INTERACTION, LAYER_OF, Layer, layer_of
from store.text.display import visible_line

_ALWAYS = frozenset(LAYER_OF) - {INTERACTION}
"""The categories that are listed before there are any; what programs store is where it is there."""


class Branch(NamedTuple):
    """A row of the tree: a layer, or with `category` one of its categories."""

    layer: Layer
    category: str = ""


class CategoryTree(FilterList[Branch]):
    BINDINGS = bindings("categories")

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._categories: frozenset[str] = _ALWAYS
        self._layer_counts: Mapping[str, int] = {}
        self._category_counts: Mapping[str, int] = {}
        self._counted = False
        self._folded: set[Layer] = set()

    def on_mount(self) -> None:
        self.set_title("Categories")
        self._grow()

    def show(
        self,
        everything: Mapping[str, int],
        layers: Mapping[str, int],
        categories: Mapping[str, int],
    ) -> None:
        """List the known categories and those of `everything`, with the query's counts."""
        self._categories = _ALWAYS | frozenset(everything)
        self._layer_counts, self._category_counts = layers, categories
        self._counted = True
        self._grow()
        self.set_title("Categories", count(sum(1 for number in everything.values() if number)))

    def filter_of(self, row: Branch) -> tuple[str, str]:
        return ("category", row.category) if row.category else ("layer", row.layer.value)

    def _grow(self) -> None:
        at = self.at
        branches: list[Branch] = []
        for layer in (Layer.SEMANTIC, Layer.EPISODIC, Layer.WORKING, Layer.PROCEDURAL, Layer.OTHER):
            members = [name for name in self._categories if layer_of(name) is layer]
            if not members:
                continue
            branches.append(Branch(layer))
            if layer not in self._folded:
                known = list(LAYER_OF)
                members.sort(key=lambda name: (known.index(name) if name in known else 99, name))
                branches += [Branch(layer, name) for name in members]
        self.list_rows(branches)
        if at is not None:
            near = (branch for branch in branches if branch.layer is at.layer)
            self.cursor = branches.index(at if at in branches else next(near, branches[0]))

    def row(self, index: int, width: int) -> Content:
        branch = self.rows[index]
        picked = self.is_chosen(branch)
        if branch.category:
            number = self._category_counts.get(branch.category, 0)
            color = color_of(branch.category) if number else "$dim"
            mark, name, indent = mark_of(branch.category), branch.category, " "
        else:
            number = self._layer_counts.get(branch.layer, 0)
            color = "$dim"
            mark, name, indent = "▸" if branch.layer in self._folded else "▾", branch.layer, ""
        figure = count(number) if self._counted else ""
        return Content.assemble(
            ("✓ " if picked else "  ", "$accent-text"),
            indent,
            (mark, color),
            " ",
            (
                fit(visible_line(name), width - len(figure) - len(indent) - 6),
                "bold $accent-text" if picked else "" if number else "$dim",
            ),
            " ",
            (figure, "$dim"),
            " ",
        )

    def action_fold(self, folded: bool) -> None:
        layer = self.rows[self.cursor].layer
        if folded:
            self._folded.add(layer)
        else:
            self._folded.discard(layer)
        self._grow()
