"""Which memories belong together, and which never do."""

from __future__ import annotations

import pytest

from store.compaction.cover import Item, covers, is_replacement_of, near_pairs
from store.compaction.model import Reason
from store.model import Category, Observation
from store.text.facts import facts_of
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
    ("held", "other", "is_covered"),
    [
        # In other words, in another order, or only in part.
        ("Kestrel sorts dishes by price", "Kestrel sorts the dishes by prices", True),
        ("The lock waits 30 s", "Locks wait 30 seconds.", True),
        ("The lock of src/lock.py waits 30 s for `Gate`", "The lock waits 30 s", True),
        ("The lock waits. Ids are random.", "Ids are random.", True),
        ("Ids are random.", "The lock waits. Ids are random.", False),
        ("Kestrel sorts dishes by price with `sort -n`", "Kestrel sorts dishes by price", True),
        ("Kestrel sorts dishes by price", "Kestrel sorts dishes by price with `sort -n`", False),
        # Another value, name, file, command, negation or order is another fact.
        ("The lock waits 30 s", "The lock waits 5 s", False),
        ("Sort menus by price in src/menu.py", "Sort menus by price in src/card.py", False),
        ("Kestrel sorts dishes by price", "Falcon sorts dishes by price", False),
        ("Call `open_it` at the start", "Call `close_it` at the start", False),
        ("Dishes are sorted with `sort -n`", "Dishes are sorted with `sort -r`", False),
        ("Use `make -k check` before a release", "Use `make check` before a release", False),
        ("Dishes are sorted by price and name", "Dishes are not sorted by price and name", False),
        ("Do not use tabs in code", "Use tabs in code", False),
        ("Run: `go test -race <path> -v`", "Run: `go test -v <path>`", False),
        ("Run the tests before a release", "Run the tests after a release", False),
        ("Log in before the menu opens", "The menu opens before log in", False),
    ],
)
def test_restatements(held: str, other: str, is_covered: bool) -> None:
    base, other_item = Item(note("a", held)), Item(note("b", other))
    assert covers(base, other_item) is (Reason.DUPLICATE if is_covered else None)


@pytest.mark.parametrize(
    ("newer", "older", "is_superseded"),
    [
        ("We now use Redis for jobs", "We use Memcached for jobs", True),
        ("We use Redis for jobs", "We use Memcached for jobs", False),
        ("We now use Redis for mail", "We use Memcached for jobs and the cache of pages", False),
        ("Now: a, b, c of jobs queue", "jobs queue 1, 2, 3", False),
        ("now", "5", False),
        ("Locks now 30 s", "Locks 5 s", False),
        ("alpha bravo charlie delta now at 9 s", "alpha bravo charlie delta echo at 5 s", True),
        ("alpha bravo charlie now at 9 s", "alpha bravo charlie delta at 5 s", False),
        ("Leases now end after 9 s and 7 tries", "Leases end after 5 s and 4 tries", True),
        ("Leases now end after 5 s and 4 tries", "Leases end after 5 s and 4 tries", False),
        (
            "Leases now end after 9 s, 8 tries and 3 pauses",
            "Leases end after 5 s, 4 tries and 3 pauses",
            True,
        ),
        (
            "Leases now end after 9 s, 8 tries and 7 pauses",
            "Leases end after 5 s, 4 tries and 3 pauses",
            False,
        ),
    ],
)
def test_supersedes(newer: str, older: str, is_superseded: bool) -> None:
    assert is_replacement_of(facts_of(newer), facts_of(older)) is is_superseded


@pytest.mark.parametrize(
    ("category", "is_lasting"),
    [("decision", True), ("key-fact", True), ("lesson", True), ("procedure", True),
     ("project", True), ("error", False), ("code-change", False), ("handoff", False),
     ("task", False), ("theirs", False)],
)  # fmt: skip
def test_only_a_later_memory_that_lasts_replaces(category: str, is_lasting: bool) -> None:
    later = Item(note("a", "The lock now waits 30 s for its turn", 1, category=category))
    older = Item(
        note("b", "The lock waits 5 s for its turn. Ids are random.", 2, category=category)
    )
    assert covers(later, older) is None, "it says more"
    older = Item(note("b", "The lock waits 5 s for its turn", 2, category=category))
    assert covers(later, older) is (Reason.SUPERSEDED if is_lasting else None)
    assert covers(older, later) is None


def test_what_was_merged_goes_only_with_all_its_words() -> None:
    text = "Kestrel sorts dishes by price and by name and then by number"
    less = Item(note("a", "Kestrel sorts dishes by price and by name and number also here"))
    assert covers(less, Item(note("b", text.replace(" then", "")))) is Reason.DUPLICATE
    merged = Item(note("b", f"{text} quickly", sources=("x", "y")))
    assert covers(less, merged) is None


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
    assert [(left.statement, left.instead, left.superseded) for left in cluster.left_out] == [
        ("run the tests: `make test`", "run the tests: `make test --quick`", True)
    ]
    assert planned(cluster.merged).is_empty


@pytest.mark.parametrize(
    ("older", "later", "is_superseded"),
    [
        ("test: `make test`", "test: `make test --quick -v`", True),
        ("test: `make test -v`", "test: `make test --quick -v`", True),
        ("test: `make test -v`", "test: `make test`", False),
        ("test: `make test`", "test: `make test unit`", False),
        ("test: `make test`", "check: `make test`", False),
        ("test: `make test`", "test: `make test` in `shop`", False),
        ("test: `make test` in `shop`", "test: `make test -v` in `shop`", True),
        ("test: `make test`; lint: `make lint`", "test: `make test`", False),
        ("test: `make test`", "test: `make test -v` and wait", False),
    ],
)
def test_commands_with_more_options(older: str, later: str, is_superseded: bool) -> None:
    named = Item(_procedure("p2", _HEAD + later, 30, "p1"))
    held = Item(_procedure("p1", _HEAD + older, 40))
    assert covers(named, held) is (Reason.SUPERSEDED if is_superseded else None)
