"""Queries as they are typed, their history, and choices."""

from __future__ import annotations

import string
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

from hypothesis import given
from hypothesis import strategies as st
from textual.binding import Binding
from textual.dom import DOMNode
from textual.theme import BUILTIN_THEMES

import memtui.tui
from memtui.settings.keys import KEYS
from memtui.settings.schema import THEMES, key_names
from memtui.tui.app import MemtuiApp, bound
from memtui.tui.browse.query_text import (
    Completion,
    choose,
    chosen,
    completion,
    expand_half_typed,
    filters,
    next_order,
    order_of,
    toggle,
)
from memtui.tui.browse.search_history import (
    MOST,
    SearchHistory,
    history_file,
    read_searches,
    write_searches,
)
from memtui.tui.frame.theme import MEMTUI_THEME
from store.search.query import SORTS

KNOWN = {
    "agent": ["engineer", "architect", "reviewer", "release-engineer"],
    "category": ["decision", "key-fact"],
    "is": ["archived", "pinned"],
}


def test_filters_as_they_stand() -> None:
    found = list(filters('lock agent:engineer,tester -tag:"a b" issue: C++ a:b'))
    assert [(f.field, f.value, f.excluded) for f in found] == [
        ("agent", "engineer,tester", False),
        ("tag", '"a b"', True),
        ("issue", "", False),
    ]


def test_values_with_blanks_are_quoted() -> None:
    assert choose("", "tag", ["two words"]) == 'tag:"two words" '
    assert toggle('tag:"two words" x', "tag", "two words") == "x"
    assert choose("", "agent", ["a,b", "c"]) == 'agent:"a,b",c '
    assert chosen('agent:"a,b",c', "agent") == ("a,b", "c")
    known = {"tag": ["two words"]}
    done = completion("tag:tw", 6, known)
    assert done is not None
    assert done.accept("tag:tw", "two words") == ('tag:"two words" ', 16)
    assert expand_half_typed("tag:tw", known) == 'tag:"two words"'


@given(st.text(max_size=40), st.sampled_from(["engineer", "x-1", "two words"]))
def test_choosing_twice_is_choosing_once_and_taking_back_undoes_it(text: str, value: str) -> None:
    once = choose(text, "agent", [value])
    assert chosen(once, "agent") == (value,)
    assert choose(once, "agent", [value]) == once
    assert chosen(choose(once, "agent", []), "agent") == ()


def test_the_order_goes_round() -> None:
    text, seen = "lock", []
    assert order_of(text) == "relevance"
    for _ in SORTS:
        text = next_order(text)
        seen.append(order_of(text))
    assert sorted(seen) == sorted(SORTS)
    assert text == "sort:relevance lock"


def test_completing_a_field() -> None:
    done = completion("lock ca", 7, KNOWN)
    assert done == Completion(5, 7, "", ("category:",))
    assert done.accept("lock ca", "category:") == ("lock category:", 14)


def test_a_near_miss_is_offered() -> None:
    done = completion("agent:archtiect", 15, KNOWN)
    assert done is not None
    assert done.options[0] == "architect"


@given(st.text(max_size=60), st.integers(0, 60))
def test_completing_never_fails(text: str, cursor: int) -> None:
    done = completion(text, min(cursor, len(text)), KNOWN)
    if done is not None:
        for option in done.options:
            new, at = done.accept(text, option)
            assert option in new[:at]


def test_a_half_typed_value_stands_for_all_it_could_become() -> None:
    assert expand_half_typed("lock agent:re", KNOWN) == "lock agent:reviewer,release-engineer"
    assert expand_half_typed("agent:engineer,a", KNOWN) == "agent:engineer,architect"
    for text in ("agent:", "agent:engineer", "agent:zzz", "agent:re lock", "lock", "is:open"):
        assert expand_half_typed(text, KNOWN) == text


# The searches before: bounded, private, walked back and forth.


def test_each_search_is_kept_once_and_only_the_last_hundred() -> None:
    history = SearchHistory()
    for number in range(MOST + 20):
        assert history.add(f"lock {number}")
    assert not history.add(f"lock {MOST + 19}")
    assert not history.add("   ")
    history.add("lock 50")
    assert len(history.searches) == MOST
    assert history.searches[-1] == "lock 50"
    assert history.searches.count("lock 50") == 1


def test_walking_back_and_forth_ends_at_what_was_typed() -> None:
    history = SearchHistory()
    history.learn(["one", "two"])
    history.add("three")
    assert history.back("dra") == "three"
    assert history.back("three") == "two"
    assert history.back("two") == "one"
    assert history.back("one") is None
    assert history.forth("one") == "two"
    assert history.forth("two") == "three"
    assert history.forth("three") == "dra"
    assert history.forth("dra") is None


def test_where_there_is_no_other_search_one_may_ask_again() -> None:
    history = SearchHistory()
    for shown in ("", "dra", "dra"):
        assert history.back(shown) is None
        assert history.forth(shown) is None
    history.add("one")
    assert history.back("one") is None
    assert history.back("one") is None
    assert history.back("dra") == "one"
    assert history.forth("one") == "dra"


def test_they_are_for_their_user_alone(tmp_path: Path) -> None:
    file = tmp_path / "state" / "searches" / "a.json"
    write_searches(file, ["lock", "agent:engineer"])
    assert read_searches(file) == ["lock", "agent:engineer"]
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    file.write_text('{"no": "list"}')
    assert read_searches(file) == []
    assert read_searches(tmp_path / "none.json") == []


def test_each_project_has_its_own(tmp_path: Path) -> None:
    assert history_file(tmp_path / "a") != history_file(tmp_path / "b")


def test_a_file_that_nests_too_deep_holds_none(tmp_path: Path) -> None:
    file = tmp_path / "searches.json"
    file.write_text("[" * 100_000)
    assert read_searches(file) == []


# The names that settings may use are those that the app has.


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
    "a": {"archive", "approve"},  # what waits can't be archived, and a memory needs no approval
    "A": {"activity", "approve_all"},  # in the inbox, where `a` approves one
    "R": {"inbox", "profile"},  # the profile of a preview alone; all letters are taken
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
