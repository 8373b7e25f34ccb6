"""A picker of given choices, each drawn with its words or a bar to compare it by."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

from rich.cells import cell_len
from textual.content import Content

from memtui.formatting import count, fit
from memtui.tui.dialogs.picker import Picker
from memtui.tui.frame import routes
from memtui.tui.frame.ask import ask, exclusive_worker
from memtui.tui.frame.route import Context
from memtui.tui.frame.routes import Choice
from store.text.display import visible_line

_LEAST_NAME, _MOST_NAME = 14, 28
"""Cells of the column of names."""
_FACT, _AGE = 9, 6
"""Cells of the columns of facts and ages, beside bars."""
_PAUSE = 0.06
"""Seconds on a choice before it is tried out: a key held down tries the last one only."""


class ChoicePicker(Picker[Choice[Any], Any]):
    """Gives the value of one of the choices of a `routes.Pick`."""

    def __init__(self, context: Context, route: routes.Pick[Any]) -> None:
        with_key = [choice for choice in route.choices if choice.key]
        shown_count = count(len(with_key)) if route.placeholder else ""
        super().__init__(route.title, shown_count, cursor=route.at)
        self.placeholder, self.previews = route.placeholder, route.previews
        self._route = route
        has_words = any(choice.words for choice in route.choices)
        self.wide = has_words or route.read_words is not None
        self._age_width = _AGE if route.read_words is not None else 0
        self._choices = list(route.choices)
        self._greatest_number = max((choice.number for choice in with_key), default=0)
        widest = max((len(choice.name) for choice in route.choices), default=0)
        self._name_width = min(_MOST_NAME, max(_LEAST_NAME, widest + 2))

    def on_mount(self) -> None:
        self._read_words()

    @exclusive_worker(group="words")
    async def _read_words(self) -> None:
        """Add the words of choices, by which they are found from then on."""
        if self._route.read_words is None:
            return
        if words := await ask(self._route.read_words):
            known = ((choice, *words.get(choice.value, ("", ""))) for choice in self._choices)
            self._choices = [replace(choice, words=text, age=age) for choice, text, age in known]
            cursor = self.list.cursor
            self.narrow(self.typed)
            self.list.cursor = cursor

    def narrow(self, typed: str) -> None:
        """List the choices whose key or words match, as `routes.Pick` defines it.

        An exact key comes first, then keys that begin with it. Without either, the choice of
        what is `unknown` comes last.
        """
        text = typed.casefold()

        def rank(choice: Choice[Any]) -> int:
            key = choice.key.casefold()
            return 0 if key == text else 1 if key.startswith(text) else 2

        found = [choice for choice in self._choices if self._matches(choice, text)]
        rows = sorted(found, key=rank) if text else self._choices
        if text and all(map(rank, found)) and (unknown := self._route.unknown(typed)):
            rows = [*rows, unknown]
        self.show_message("" if rows else "Nothing matches.")
        self.show_rows(rows, typed)

    def _matches(self, choice: Choice[Any], text: str) -> bool:
        key, words = choice.key.casefold(), choice.words.casefold()
        if not self.placeholder:
            return all(word in choice.name.casefold() for word in text.split())
        if key.startswith(text) or (self._route.anywhere and text in key):
            return True
        return bool(words) and all(word in words for word in text.split())

    def draw(self, row: Choice[Any], cursor: Content, width: int) -> Content:
        if row.is_chosen and not cursor.plain.strip():
            cursor = Content.styled("✓ ", "$accent-text")
        if not self.placeholder:
            name = fit(row.name, max(0, width - len(row.fact) - 4))
            ink = "$dim" if row.why_not else ""
            return Content.assemble(cursor, (name, ink), (f" {row.fact} ", "$dim"))
        room = max(0, width - cursor.cell_length - self._name_width - self._age_width - _FACT - 2)
        bar = max(1, round(room * row.number / self._greatest_number)) if row.number else 0
        middle = fit(visible_line(row.words), room) if row.words else "━" * bar
        return Content.assemble(
            cursor,
            (fit(row.name, self._name_width), "bold $accent-text" if row.is_chosen else ""),
            (middle, "$dim"),
            " " * (room - cell_len(middle)),
            (fit(row.age, self._age_width, align="right"), "$dim"),
            (fit(row.fact, _FACT, align="right"), "$dim"),
            " ",
        )

    @exclusive_worker(group="try out")
    async def highlighted(self, row: Choice[Any]) -> None:
        if self._route.try_out is not None:
            await asyncio.sleep(_PAUSE)
            if self.is_current:
                self._route.try_out(row.value)

    def take(self, row: Choice[Any]) -> None:
        if not row.why_not:
            self.dismiss(row.value)

    def about(self, row: Choice[Any]) -> str:
        return row.why_not or self._route.about(row.value)
