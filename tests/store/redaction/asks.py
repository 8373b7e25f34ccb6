"""What the rows ask of redaction: each rule by itself, and the gate."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any
from unittest.mock import patch

from store.redaction import (
    assignments,
    context_rules,
    labels,
    name_hints,
    names,
    private_blocks,
    rules,
    sanitizer,
    spoken,
    values,
    vendor_rules,
)
from store.redaction.names import Sensitivity
from store.redaction.span import Span
from tests.rows import Ask

_READ = "read by the rules"
CUT = "¦"
"""Stands in what looks like a key and is none, so that no program takes the rows for a leak."""


def _of(ask: Callable[[str], Any]) -> Ask:
    return lambda text: ask(text.replace(CUT, ""))


def _spans(find: Callable[[str], Iterable[Span]]) -> Ask:
    return _of(lambda text: [(it.start, it.end, it.rule) for it in find(text)])


def _hints(text: str) -> list[tuple[int, int]]:
    return name_hints.name_hints(text, rules.words_in(text))


def _holds(text: str) -> str:
    """Whether a value is secret below a name of each kind, bare, in quotes and as it stands."""
    kinds = (Sensitivity.KEY, Sensitivity.TOKEN, Sensitivity.PASSWORD)
    ways = ((False, False), (True, False), (False, True))
    return " ".join(
        "".join(
            "y" if values.is_secret_value(text, kind, quoted=quoted, literal=literal) else "-"
            for quoted, literal in ways
        )
        for kind in kinds
    )


def _looks(value: str) -> str:
    if not value:
        return ""
    taken = (values.is_placeholder, values.is_reference, values.is_random)
    return " ".join((value, *(it.__name__ for it in taken if it(value))))


def _read(_: str) -> str:
    return _READ


def _by_rules(text: str) -> str:
    """Which of a label and an id of this is read by the rules, which take long to load."""
    with patch.object(labels, "cleaned_text", _read), patch.object(labels, "_public_id", _read):
        asked = {"label": labels.clean_label, "id": labels.public_id}
        return " ".join(name for name, ask in asked.items() if ask(text) is _READ)


ASKS: dict[str, Ask] = {
    "assignments": _spans(lambda text: assignments.assignment_spans(text, _hints(text))),
    "context_rules": _spans(lambda text: context_rules.context_spans(text, rules.words_in(text))),
    "context_rules.private_keys": _spans(context_rules.private_key_spans),
    "labels.by_rules": _of(_by_rules),
    "labels.clean_label": _of(labels.clean_label),
    "labels.public_id": _of(labels.public_id),
    "labels.shown_name": _of(labels.shown_name),
    "labels.agent_name": _of(labels.agent_name),
    "names": _of(lambda text: (names.sensitivity(text).name, tuple(_hints(text)))),
    "names.each": _of(
        lambda text: " ".join(f"{it}:{names.sensitivity(it).value}" for it in text.split())
    ),
    "private": _of(private_blocks.remove_private),
    "sanitizer": _of(lambda text: tuple(sanitizer.sanitize(text))),
    "spoken": _spans(lambda text: spoken.spoken_spans(text, _hints(text))),
    "values": _of(_looks),
    "values.each": _of(lambda text: "\n  ".join(map(_looks, ["", *text.splitlines()]))),
    "values.is_secret_value": _of(_holds),
    "values.each_holds": _of(
        lambda text: "\n  ".join(["", *(f"{it} {_holds(it)}" for it in text.splitlines())])
    ),
    "vendor_rules": _spans(lambda text: vendor_rules.vendor_spans(text, rules.words_in(text))),
}
