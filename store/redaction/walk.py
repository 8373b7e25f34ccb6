"""Every text of a value, known or unknown: one walk for all that looks for secrets.

What is not looked at is exempt by its name, so that a text that somebody adds is looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from functools import cache, lru_cache
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


def texts(value: object, name: object = "") -> Iterator[str]:
    """Every text in a value of JSON's shape, its keys included, and each as its key names it."""
    if type(value) in _NO_TEXT:
        return
    if isinstance(value, str):
        yield value
        if isinstance(name, str) and name:
            yield "".join(_named(name, value))
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from texts(key)
            yield from texts(item, key)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from texts(item, name)


def cleaned(value: Any, clean: TextCleaner, name: object = "") -> Any:  # noqa: ANN401 - any JSON
    """Return the value with every text in it cleaned; what only its key shows to be a secret,
    too."""
    if isinstance(value, str):
        return _cleaned_by_name(clean(value), clean, name)
    if isinstance(value, Mapping):
        return {cleaned(key, clean): cleaned(item, clean, key) for key, item in value.items()}
    if isinstance(value, list | tuple):
        items = [cleaned(item, clean, name) for item in value]
        return value._make(items) if hasattr(value, "_make") else type(value)(items)
    return value


def _named(name: str, value: str) -> tuple[str, str, str]:
    """A text as JSON has it below its key, in three: what is before it, itself, its end."""
    quote = next((mark for mark in "\"'`" if mark not in value), '"')
    return f'"{name}": {quote}', value, quote


def _cleaned_by_name(text: str, clean: TextCleaner, name: object) -> str:
    if not isinstance(name, str) or not _can_name_secret(name):
        return text
    before, _, end = _named(name, text)
    done = clean(f"{before}{text}{end}")
    held = done.startswith(before) and done.endswith(end)
    return done[len(before) : len(done) - len(end)] if held else text


@lru_cache(maxsize=512)
def _can_name_secret(name: str) -> bool:
    """True if a key may be that of a secret: the rules are loaded where something is cleaned."""
    from store.redaction.names import Sensitivity, sensitivity  # the rules, which take long to load

    return sensitivity(name) is not Sensitivity.NONE


def cleaned_record(record: Mapping[str, Any], clean: TextCleaner) -> Mapping[str, Any]:
    """Return a record, as it is in a file, with every text cleaned that may hold a secret."""
    return {
        cleaned(key, clean): item if key in EXEMPT else cleaned(item, clean, key)
        for key, item in record.items()
    }


@cache
def _looked_at(fields: tuple[str, ...]) -> Callable[[Observation], tuple[object, ...]]:
    return itemgetter(*(at for at, name in enumerate(fields) if name not in EXEMPT))


def texts_of(observation: Observation) -> Iterator[str]:
    for value in _looked_at(observation._fields)(observation):
        if type(value) is str:
            yield value
        elif value and type(value) not in _NO_TEXT:
            yield from texts(value)


def cleaned_observation(observation: Observation, clean: TextCleaner) -> Observation:
    """Return the observation with every text cleaned that may hold a secret."""
    fields = zip(observation._fields, observation, strict=True)
    return observation._replace(
        **{name: cleaned(value, clean) for name, value in fields if name not in EXEMPT}
    )
