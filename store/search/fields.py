"""The fields of a query: one table, from which parsing, index, counts and completion follow.

A new field is a line here, and its values in the documents of `store.search.schema`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from typing import NamedTuple

IdsOf = Callable[[str], Sequence[str]]
"""The ids of the memories on which there is a verdict, by its name."""


def no_ids(verdict: str) -> Sequence[str]:
    """Of no memory: where nothing was compared with the code."""
    return ()


class Values(Enum):
    """How the values of a field are looked for."""

    NAME = "name"
    """A name as it is written."""
    NUMBER = "number"
    ENDING = "ending"
    """The end of an id."""
    PATH = "path"
    """A path, or the end of one, wherever it is named."""
    LAYER = "layer"
    """A layer: the categories that belong to it."""
    VERDICT = "verdict"
    """A verdict on the memory, which the index does not know: the ids of those that have it."""


class Field(NamedTuple):
    """A field that takes values: `name:one,two`.

    `index_field` is where the index has its values. What is counted has facets and is completed;
    of one that is counted by name, unknown names are reported. `sessions` are the attributes of a
    session's digest that have its values. `mark` may be written before a value.
    """

    name: str
    index_field: str
    values: Values = Values.NAME
    is_counted: bool = False
    sessions: tuple[str, ...] = ()
    mark: str = ""

    def bare(self, value: str) -> str:
        return value.lstrip(self.mark) if self.mark else value

    def matches(self, value: str, held: Iterable[str]) -> bool:
        """Tell whether a value that was asked for is among those that something has."""
        if self.values is Values.ENDING:
            return any(text.endswith(value) for text in held)
        if self.values is Values.PATH:
            return is_named(held, value)
        return not {value, value.lstrip("#")}.isdisjoint(held)


TABLE = (
    Field("agent", "agent", is_counted=True, sessions=("agent",)),
    Field("level", "level", is_counted=True),
    Field("category", "category", is_counted=True),
    Field("layer", "category", Values.LAYER, is_counted=True),
    Field("issue", "issue", Values.NUMBER, is_counted=True, sessions=("issue",)),
    Field("tag", "tag", is_counted=True, sessions=("branch",), mark="#"),
    Field("drift", "drift", Values.VERDICT, is_counted=True),
    Field("id", "id", Values.ENDING, sessions=("id",)),
    Field("file", "plain", Values.PATH, sessions=("changed", "read")),
    Field("branch", "tag", sessions=("branch",)),
    Field("project", "plain", Values.PATH, sessions=("project",)),
)
SESSION = Field("session", "session", Values.NUMBER)
"""The keys of sessions, which no query can name; `file:` becomes them in sessions."""
FIELDS = {field.name: field for field in (*TABLE, SESSION)}
FACETS = tuple(
    field.name for field in TABLE if field.is_counted and field.index_field == field.name
)
"""What the memories that a query finds can be counted by; layers come with categories."""


def is_named(names: Iterable[str], path: str) -> bool:
    """Tell whether a file is among the names, in full or by the end of its path."""
    wanted = path.strip("/").casefold()
    return any(
        name.casefold() == wanted or name.casefold().endswith(f"/{wanted}") for name in names
    )
