"""The names that settings may use are those that the app has."""

from __future__ import annotations

import string
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

from textual.binding import Binding
from textual.dom import DOMNode
from textual.theme import BUILTIN_THEMES

import memtui.tui
from memtui.settings.keys import KEYS
from memtui.settings.schema import THEMES, key_names
from memtui.tui.app import MemtuiApp, bound
from memtui.tui.frame.theme import MEMTUI_THEME


def test_the_themes_are_those_of_the_app(tmp_path: Path) -> None:
    assert (MEMTUI_THEME.name, *BUILTIN_THEMES) == THEMES
    assert set(MemtuiApp(tmp_path).available_themes) == set(THEMES)


def test_every_place_of_the_table_is_used_and_no_key_is_made_elsewhere() -> None:
    for module in walk_packages(memtui.tui.__path__, "memtui.tui."):
        if module.name != "memtui.tui.dev":
            import_module(module.name)
    used = {binding.id for node in _nodes(DOMNode) for binding in _bindings(node)}
    assert {key.id for keys in KEYS.values() for key in keys} == used


def test_ids_are_said_once() -> None:
    ids = [key.id for keys in KEYS.values() for key in keys]
    assert len(ids) == len(set(ids)) > 200


PLACED = frozenset(
    {
        *("enter", "space", "tab", "shift+tab", "escape", "down", "up", "right", "left", "l", "h"),
        *"1234",
    }
)
"""Keys that act on what is in front of one: the row, the pane, the box, the place in an order."""
ALIKE = {
    "q": {"quit", "back"},  # leaves the screen; from home, memtui
    "n": {"new", "again"},  # the next match while words are looked for, as in less and vim
    "B": {"take_in", "stop"},  # builds the index, and stops that
}
"""Keys of several actions that a person takes for one, or that can't meet."""


def test_a_key_does_the_same_wherever_it_works() -> None:
    actions: dict[str, set[str]] = {}
    for key in (key for keys in KEYS.values() for key in keys):
        for pressed in set(key.keys.split(",")) - PLACED:
            actions.setdefault(pressed, set()).add(key.id.rpartition(".")[2])
    assert {pressed: names for pressed, names in actions.items() if len(names) > 1} == ALIKE


def _nodes(kind: type[DOMNode]) -> Iterator[type[DOMNode]]:
    for each in kind.__subclasses__():
        yield from _nodes(each)
        if each.__module__.startswith("memtui."):
            yield each


def _bindings(node: type[DOMNode]) -> Iterator[Binding]:
    for each in node.__dict__.get("BINDINGS", ()):
        assert isinstance(each, Binding)
        yield each


def test_keys_have_the_names_that_textual_gives_them() -> None:
    for sign in string.punctuation.replace(",", ""):
        (binding,) = Binding.make_bindings([Binding(sign, "act")])
        assert key_names(sign) == (binding.key,)


def test_an_action_has_its_keys_wherever_it_is() -> None:
    assert bound({"undo": "f9,?"}) == {
        "app.undo": "f9,question_mark",
        "history.undo": "f9,question_mark",
        "settings.undo": "f9,question_mark",
    }
