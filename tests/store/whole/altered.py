"""JSON with one value taken out or put wrong, and what is read differently for it."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

_WRONG: tuple[object, ...] = (None, 7, "x", ["y"], {"z": 0}, True, "")
_KINDS = ("type", "role", "kind", "name", "event")
_LONGEST, _BEFORE = 100, 24


def alterations(value: Any) -> Iterator[tuple[str, Any]]:  # noqa: ANN401 - any JSON
    """Each kind of place in a value without what stands there, then with something wrong there.

    Of places in values of one kind that differ only in an item's number the first is taken.
    """
    seen: set[str] = set()
    for number, (name, path) in enumerate(_paths(value)):
        if name in seen:
            continue
        seen.add(name)
        wrong = _WRONG[number % len(_WRONG)]
        for what in (f"without {name}", f"{name} = {wrong!r}"):
            altered = copy.deepcopy(value)
            inner = altered
            for step in path[:-1]:
                inner = inner[step]
            if what.startswith("without"):
                del inner[path[-1]]
            else:
                inner[path[-1]] = wrong
            yield what, altered


def told_of(
    altered: Iterable[tuple[str, Any]],
    read: Callable[[Any], list[str]],
    value: Any,  # noqa: ANN401
) -> str:
    """What is read differently of each altered value; those that make no difference together."""
    before = read(value)
    told, same = [], []
    for what, other in altered:
        changed = _difference(before, read(other))
        if changed:
            told += [what, *(f"    {line}" for line in changed)]
        else:
            same.append(what)
    return "\n".join([*told, "no difference:", *same])


def _difference(before: list[str], after: list[str]) -> list[str]:
    """The lines that only one of two has, cut short; of two alike, from where they differ."""
    here, there = Counter(before), Counter(after)
    gone, new = list(here - there), list(there - here)
    if len(gone) + len(new) > max(len(before), 3):
        return [f"- {len(gone)} lines", f"+ {len(new)} lines, the first: {''.join(new[:1])}"]
    start = 0
    if len(gone) == len(new) == 1:
        pairs = enumerate(zip(gone[0], new[0], strict=False))
        start = max(next((at for at, (one, other) in pairs if one != other), 0) - _BEFORE, 0)
    return [
        f"{sign} {line[start : start + _LONGEST]}"
        for sign, lines in (("-", gone), ("+", new))
        for line in lines
    ]


def _paths(
    value: Any,  # noqa: ANN401
    name: str = "",
    path: tuple[str | int, ...] = (),
) -> Iterator[tuple[str, tuple[str | int, ...]]]:
    """The places in a value, named by keys and by the kind of each item."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield f"{name}.{key}", (*path, key)
            yield from _paths(each, f"{name}.{key}", (*path, key))
    elif isinstance(value, list):
        for at, each in enumerate(value):
            yield f"{name}[{_kind(each)}]", (*path, at)
            yield from _paths(each, f"{name}[{_kind(each)}]", (*path, at))


def _kind(value: object) -> str:
    if not isinstance(value, Mapping):
        return ""
    named = [str(value[key]) for key in _KINDS if isinstance(value.get(key), str)]
    inner = [_kind(it) for it in value.values() if isinstance(it, Mapping)]
    return "/".join(filter(None, (*named, *inner)))
