"""Which memories belong together, and which never do."""

from __future__ import annotations

import pytest

from store.compaction.model import Reason
from store.compaction.relate import Item, is_duplicate, near_pairs, takeovers
from store.model import Category, Observation
from tests.store.compaction.notes import note, planned

_WORDS = " ".join(f"lock{letter}" for letter in "abcdefghi")
_HEAD = "Commands that worked here: "
_FIRST = f"{_HEAD}run the tests: `make test`; lint: `make lint`"
_SECOND = (
    f"{_HEAD}run the tests: `make test --quick`; lint: `make lint`; build: `make till` in `shop`"
)
_THIRD = f"{_SECOND}; format: `make fmt`"


@pytest.mark.parametrize(
    ("one", "other", "is_compared"),
    [
        ("decision", "decision", True),
        ("decision", "key-fact", True),
        ("lesson", "project", True),
        ("error", "error", True),
        ("theirs", "theirs", True),
        ("error", "code-change", False),
        ("error", "handoff", False),
        ("decision", "procedure", False),
        ("decision", "error", False),
        ("theirs", "others", False),
        ("task", "decision", False),
    ],
)
def test_categories_compared(one: str, other: str, is_compared: bool) -> None:
    pair = [Item(note("a", _WORDS, category=one)), Item(note("b", f"{_WORDS} x", category=other))]
    assert len(list(near_pairs(pair))) == is_compared


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Sort menus by price in src/menu.py", "Sort menus by price in src/card.py", False),
        ("Kestrel sorts dishes by price", "Falcon sorts dishes by price", False),
        ("Kestrel sorts dishes by price", "Kestrel sorts the dishes by prices", True),
        ("Dishes are sorted with `sort -n`", "Dishes are sorted with `sort -r`", False),
        ("Dishes are sorted with `sort -n`", "Dishes are sorted", True),
        ("Dishes are sorted", "Dishes are sorted with `sort -n`", True),
        ("Dishes are sorted by price and name", "Dishes are not sorted by price and name", False),
        ("Run: `go test -race <path> -v`", "Run: `go test -v <path>`", False),
    ],
)
def test_duplicates(one: str, other: str, same: bool) -> None:
    assert is_duplicate(Item(note("a", one)), Item(note("b", other))) is same


def _procedure(identifier: str, content: str, days: float, *sources: str) -> Observation:
    return note(identifier, content, days, category=Category.PROCEDURE, sources=sources)


def test_takeover_of_procedures() -> None:
    plan = planned(
        _procedure("p1", _FIRST, 40),
        _procedure("p2", _SECOND, 35, "p1", "session:s#3"),
        _procedure("p3", _THIRD, 30, "p2"),
    )
    (cluster,) = plan.clusters
    assert cluster.reason is Reason.SUPERSEDED
    assert cluster.merged.content == _THIRD
    assert [one.id for one in cluster.originals] == ["p3", "p2", "p1"]
    assert [(left.statement, left.instead) for left in cluster.left_out if left.superseded] == [
        ("run the tests: `make test`", "run the tests: `make test --quick`")
    ]
    assert planned(cluster.merged).is_empty


@pytest.mark.parametrize(
    ("older", "later", "is_superseded"),
    [
        ("test: `make test`", "test: `make test`", True),
        ("test: `make test`", "test: `make test --quick -v`", True),
        ("test: `make test -v`", "test: `make test --quick -v`", True),
        ("test: `make test -v`", "test: `make test`", False),
        ("test: `make test`", "test: `make test unit`", False),
        ("test: `make test`", "check: `make test`", False),
        ("test: `make test`", "test: `make test` in `shop`", False),
        ("test: `make test` in `shop`", "test: `make test -v` in `shop`", True),
        ("test: `make test`; lint: `make lint`", "test: `make test`", False),
    ],
)
def test_commands_with_more_options(older: str, later: str, is_superseded: bool) -> None:
    held = [_procedure("p1", _HEAD + older, 40), _procedure("p2", _HEAD + later, 30, "p1")]
    assert [len(cluster.originals) for cluster in takeovers(held)] == [2] * is_superseded
    wide = _procedure("p3", f"{_HEAD}{later}; more: `x`", 20, "p2", "p1")
    taken = [one.id for cluster in takeovers([*held, wide]) for one in cluster.originals]
    assert len(taken) == len(set(taken))
    assert ("p1" in taken) is is_superseded
