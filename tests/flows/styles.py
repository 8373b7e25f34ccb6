"""Styles of the flows' apps, found once: all of them have the same sheets and like widgets."""

from __future__ import annotations

from typing import cast
from weakref import WeakKeyDictionary

import pytest
from textual.css import stylesheet
from textual.css.model import RuleSet
from textual.css.parse import parse
from textual.css.styles import RulesMap
from textual.css.stylesheet import Stylesheet
from textual.css.tokenize import tokenize_values
from textual.css.tokenizer import Token
from textual.css.types import CSSLocation
from textual.dom import DOMNode
from textual.widget import Widget


def parse_once(patch: pytest.MonkeyPatch) -> None:
    """Parse the same rules with the same variables for one app, for all after it too."""
    tokens: dict[frozenset[tuple[str, str]], dict[str, list[Token]]] = {}
    parsed: dict[object, list[RuleSet]] = {}

    def tokenized(values: dict[str, str]) -> dict[str, list[Token]]:
        key = frozenset(values.items())
        if key not in tokens:
            tokens[key] = tokenize_values(values)
        return tokens[key]

    def once(
        scope: str, css: str, read_from: CSSLocation, *, variable_tokens: object, **how: object
    ) -> list[RuleSet]:
        key = (scope, css, read_from, id(variable_tokens), *how.values())
        if key not in parsed:
            parsed[key] = list(
                parse(scope, css, read_from, variable_tokens=variable_tokens, **how)  # type: ignore[arg-type]
            )
        return parsed[key]

    patch.setattr(stylesheet, "tokenize_values", tokenized)
    patch.setattr(stylesheet, "parse", once)


_FLAGS = ("_has_hover_style", "_has_focus_within", "_has_order_style", "_has_odd_or_even")
"""What Textual notes on a node of the rules that may hold for it."""
Kept = tuple[RulesMap | None, list[bool]]
"""The rules that hold for a node, none where none does, and its flags."""


def match_once(patch: pytest.MonkeyPatch) -> None:
    """Find which rules hold for a node once for all that stand alike, in any app. Textual keeps it
    for siblings alone; what depends on the place among them it never keeps.
    """
    apply = Stylesheet.apply
    stands = _Stands()
    found: dict[tuple[RuleSet, ...], dict[int, Kept]] = {}
    held: WeakKeyDictionary[Stylesheet, tuple[list[RuleSet], dict[int, Kept]]]
    held = WeakKeyDictionary()
    within: dict[DOMNode, int] | None = None

    def applied(
        self: Stylesheet,
        node: DOMNode,
        *,
        animate: bool = False,
        cache: dict[DOMNode, int] | None = None,
    ) -> None:
        nonlocal within
        if self not in held or held[self][0] is not self.rules:
            held[self] = (self.rules, found.setdefault(tuple(self.rules), {}))
        before, seen = within, cache if cache is not None else within
        within = {} if seen is None else seen
        known, number = held[self][1], stands.number_of(node, within)
        try:
            if number in known:
                _apply_again(self, node, known[number], animate)
                return
            first = _First()
            apply(self, node, animate=animate, cache=cast("dict[tuple[object], RulesMap]", first))
            if first.may_be_kept:
                known[number] = (first.rules, [getattr(node, flag) for flag in _FLAGS])
        finally:
            within = before

    patch.setattr(Stylesheet, "apply", applied)


def _apply_again(sheet: Stylesheet, node: DOMNode, kept: Kept, animate: bool) -> None:
    rules, flags = kept
    for name, flag in zip(_FLAGS, flags, strict=True):
        setattr(node, name, flag)
    if rules is not None:
        if animate or node.styles.base._rules != rules:
            sheet.replace_rules(node, rules, animate=animate)
        else:
            node.notify_style_update()
    sheet._process_component_classes(node)


class _First:
    """Takes the rules that Textual finds for a node; it is asked where they may be kept."""

    def __init__(self) -> None:
        self.may_be_kept = False
        self.rules: RulesMap | None = None

    def get(self, _key: object) -> None:
        self.may_be_kept = True

    def __setitem__(self, _key: object, rules: RulesMap) -> None:
        self.rules = rules


class _Stands:
    """Numbers how nodes stand: what selectors ask of a node and of all above it."""

    def __init__(self) -> None:
        self._numbers: dict[object, int] = {}

    def number_of(self, node: DOMNode, seen: dict[DOMNode, int]) -> int:
        """The number, which `seen` holds for the nodes that nothing has changed since."""
        if node not in seen:
            above = node.parent
            stand = (
                node.pseudo_classes if above is None else self.number_of(above, seen),
                type(node),
                node.id,
                node.classes,
                node._pseudo_classes_cache_key,
                isinstance(node, Widget) and node.allow_focus(),
            )
            seen[node] = self._numbers.setdefault(stand, len(self._numbers))
        return seen[node]
