"""Every text of a value, known or unknown: one walk for all that looks for secrets.

What is not looked at is exempt by its name, so that a text that somebody adds is looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from functools import cache
from operator import itemgetter
from typing import Any

from store.model import Observation

EXEMPT = frozenset({"id"})
"""Fields that others refer to, and so must stay; what an id may give away `public_id` sees to.

Dates, numbers and flags are no texts, and pass by themselves.
"""

_NO_TEXT = frozenset({int, float, bool, type(None), datetime})
"""What most fields hold that are no text: told before what costs more to ask."""
TextCleaner = Callable[[str], str]


def texts(value: object) -> Iterator[str]:
    """Every text in a value of JSON's shape, its keys included."""
    if type(value) in _NO_TEXT:
        return
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from texts(key)
            yield from texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from texts(item)


def cleaned(value: Any, clean: TextCleaner) -> Any:  # noqa: ANN401 - JSON of unknown shape
    """The value with every text in it cleaned."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, Mapping):
        return {cleaned(key, clean): cleaned(item, clean) for key, item in value.items()}
    if isinstance(value, list | tuple):
        items = [cleaned(item, clean) for item in value]
        return value._make(items) if hasattr(value, "_make") else type(value)(items)
    return value


def cleaned_record(record: Mapping[str, Any], clean: TextCleaner) -> Mapping[str, Any]:
    """A record, as it stands in a file, with every text cleaned that may hold a secret."""
    return {
        cleaned(key, clean): item if key in EXEMPT else cleaned(item, clean)
        for key, item in record.items()
    }


@cache
def _looked_at(fields: tuple[str, ...]) -> Callable[[Observation], tuple[object, ...]]:
    """What takes from an observation the values of those of its fields that are not exempt."""
    return itemgetter(*(at for at, name in enumerate(fields) if name not in EXEMPT))


def texts_of(observation: Observation) -> Iterator[str]:
    """Every text of an observation that may hold a secret."""
    for value in _looked_at(observation._fields)(observation):
        if type(value) is str:
            yield value
        elif value and type(value) not in _NO_TEXT:
            yield from texts(value)


def cleaned_observation(observation: Observation, clean: TextCleaner) -> Observation:
    """The observation with every text cleaned that may hold a secret."""
    fields = zip(observation._fields, observation, strict=True)
    return observation._replace(
        **{name: cleaned(value, clean) for name, value in fields if name not in EXEMPT}
    )
