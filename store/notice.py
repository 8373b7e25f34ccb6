"""Notices: a kind and values, from which a sentence is made where it is shown."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

QUOTED = "quoted"
"""The kind of what was said elsewhere, in an error or by an earlier version: its `text`."""


class Notice(NamedTuple):
    """One message, such as `content-cut` with its `characters`.

    Texts among the values are names, or were said elsewhere. `place` says where in a file it is.
    """

    kind: str
    values: Mapping[str, int | str] = MappingProxyType({})
    place: str = ""

    def __hash__(self) -> int:
        return hash((self.kind, *sorted(self.values.items()), self.place))

    def at(self, place: str) -> Notice:
        """Return the same, of a place: `notes.md, line 12`."""
        return self._replace(place=place)


def notice(kind: str, **values: int | str) -> Notice:
    return Notice(kind, values)


def quoted(text: str) -> Notice:
    """Wrap a text from elsewhere in a notice, as it is."""
    return Notice(QUOTED, {"text": text})


def notice_record(notice: Notice) -> dict[str, Any]:
    """Return a notice as it is kept; what is empty is left out."""
    record = {"kind": notice.kind, "values": dict(notice.values), "place": notice.place}
    return {key: value for key, value in record.items() if value}


def notice_of(kept: object) -> Notice:
    """Return a notice that was kept; an earlier version kept its sentence."""
    if not isinstance(kept, dict):
        return quoted(str(kept))
    values = kept.get("values")
    known = values if isinstance(values, dict) else {}
    return Notice(
        str(kept.get("kind", "")),
        {str(name): value for name, value in known.items() if isinstance(value, int | str)},
        str(kept.get("place", "")),
    )
