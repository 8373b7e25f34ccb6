"""The words that are forgotten, and how they are taken out of texts that hold other words too."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from store.text.display import visible

FORGOTTEN = "[forgotten]"
"""The mark in place of a text that was taken out for good."""
_SHORTEST = 16
"""Characters from which a text is long enough to be looked for."""


class Passages:
    """The texts of memories that are forgotten: each whole, and those of its lines that no other
    memory has.

    Where another memory's line contains such a text, that line stays as it is.
    """

    def __init__(self, texts: Iterable[str], others: Iterable[str]) -> None:
        whole = {text.strip() for text in texts}
        lines = {line for text in whole for line in lines_of(text)}
        self.all = tuple(sorted(line for line in whole | lines if len(line) >= _SHORTEST))
        shared: set[str] = set()
        longer: set[str] = set()
        for other in others:
            if any(passage in other for passage in self.all):
                theirs = {other.strip(), *lines_of(other)}
                shared |= theirs.intersection(self.all)
                longer |= {passage for passage in theirs if any(own in passage for own in self.all)}
        self._own = frozenset(self.all) - shared
        self._others = longer - self._own

    def is_in(self, text: str) -> bool:
        """Return whether the text has a passage that is no other memory's."""
        return FORGOTTEN in self._replaced(text)[1]

    def without(self, text: str) -> str:
        """Return a text with a mark in place of each passage."""
        return self._replaced(text)[0]

    def is_in_value(self, value: object) -> bool:
        """Return whether a text of a JSON value has such a passage."""
        return any(self.is_in(text) for text in _texts_of(value))

    def without_value(self, value: Any) -> Any:  # noqa: ANN401 - any JSON
        """Return a JSON value with a mark in place of each passage."""
        if isinstance(value, Mapping):
            return {key: self.without_value(it) for key, it in value.items()}
        if isinstance(value, list | tuple):
            return [self.without_value(item) for item in value]
        return self.without(value) if isinstance(value, str) else value

    def is_in_file(self, text: str) -> bool:
        """Return whether the file's text has such a passage, as it is or as JSON may have it."""
        return any(form in text for own in self._own for form in (own, *in_json(own)))

    def is_shared_by(self, text: str) -> bool:
        """Return whether a text of another memory has some of the same words."""
        return any(passage in text for passage in self.all)

    def _replaced(self, text: str) -> tuple[str, list[str]]:
        if not any(form in text for form in self._forms):
            return text, []
        marks: list[str] = []

        def mark(match: re.Match[str]) -> str:
            found = match.group()
            marks.append(FORGOTTEN if found in self._forms else found)
            return marks[-1]

        return self._pattern.sub(mark, text), marks

    @cached_property
    def _forms(self) -> frozenset[str]:
        return frozenset(form for passage in self._own for form in _shown(passage))

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        """The longest first: where another memory's line holds a passage, the line is found."""
        theirs = {form for other in self._others for form in _shown(other)}
        forms = sorted(self._forms | theirs, key=len, reverse=True)
        return re.compile("|".join(map(re.escape, forms)))


def lines_of(text: str) -> Iterator[str]:
    """Yield the lines of a text that are long enough to know it by."""
    for line in text.splitlines():
        if len(line := line.strip().rstrip("…")) >= _SHORTEST:
            yield line


def in_json(text: str) -> tuple[str, str]:
    """Return a text as JSON may have it: as it is, or in ASCII alone."""
    return json.dumps(text, ensure_ascii=False)[1:-1], json.dumps(text)[1:-1]


def _shown(text: str) -> Sequence[str]:
    return text, visible(text, newlines=False), visible(text)


def _texts_of(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _texts_of(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts_of(item)
