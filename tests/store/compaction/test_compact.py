"""Compaction: what is folded into notes, and what these cover."""

from __future__ import annotations

import random
from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from store.backends.files.issue_reader import read_issue
from store.compaction.compact import moved_out, to_plan, without
from store.compaction.cover import Item, covers, is_replacement_of, near_pairs
from store.compaction.merge import merged_observation, newest_first
from store.compaction.model import Alone, Reason
from store.compaction.prune import Strategy, prune
from store.errors import NotFound
from store.model import Category, Layer, Location, Observation
from store.operations.apply import apply_plan
from store.operations.changes import Where
from store.operations.undo import undo_operation
from store.records import estimate_tokens
from store.text.facts import facts_of, has_fact, statements
from tests.store.compaction.notes import note, planned
from tests.store.factories import NOW, Store


def test_near_duplicates_fold_into_the_newest() -> None:
    plan = planned(
        note("a", "Fixed: retries wait 5 s in src/lock.py", 40, recall_count=2, tags=("x",)),
        note(
            "b", "Retries wait 5 seconds in ./src/lock.py (fixed)", 30, recall_count=1, tags=("y",)
        ),
        note("c", "The index is rebuilt in the background", 20),
    )
    (cluster,) = plan.clusters
    assert cluster.reason is Reason.DUPLICATE
    assert [one.id for one in cluster.originals] == ["b", "a"]
    assert cluster.merged.content == "Retries wait 5 seconds in ./src/lock.py (fixed)"
    assert cluster.merged.timestamp == NOW - timedelta(days=30)
    assert cluster.merged.recall_count == 3
    assert cluster.merged.seen_count == 2
    assert cluster.merged.sources == ("b", "a")
    assert cluster.merged.tags == ("y", "x")
    assert cluster.merged.id.startswith("obs-engineer-29-")
    assert [left.observation_id for left in cluster.left_out] == ["a"]
    assert [left.observation.id for left in plan.left_alone] == ["c"]
    assert (plan.observations.before, plan.observations.after) == (3, 2)
    assert plan.tokens.before - plan.tokens.after == cluster.tokens.before - cluster.tokens.after


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"pinned": True}, Alone.PINNED),
        ({"muted": True}, Alone.MUTED),
        ({"category": "task"}, Alone.OPEN_TASK),
        ({"category": "handoff"}, Alone.LATEST_HANDOFF),
        ({"timestamp": NOW - timedelta(days=6)}, Alone.YOUNG),
        ({"timestamp": NOW + timedelta(days=6)}, Alone.YOUNG),
    ],
)
def test_left_alone(fields: dict[str, Any], why: Alone) -> None:
    twin = note("twin", "The lock waits for its turn", 50)
    plan = planned(twin, note("it", "The lock waits for its turn", **fields))
    assert plan.is_empty
    assert {left.observation.id: left.why for left in plan.left_alone}["it"] is why


def test_ids_that_are_not_unique_are_left_alone() -> None:
    plan = planned(note("a", "The lock waits"), note("a", "The lock waits"))
    assert {left.why for left in plan.left_alone} == {Alone.AMBIGUOUS}
    assert plan.observations.after == 2


def test_a_cluster_can_be_left_out_and_an_observation_moved_out() -> None:
    plan = planned(*[note(name, "The lock waits for its turn", 30 + ord(name)) for name in "abc"])
    (cluster,) = plan.clusters
    assert without(plan, cluster.id).is_empty
    assert {left.why for left in without(plan, cluster.id).left_alone} == {Alone.CHOSEN}
    assert without(plan, "no such cluster") == plan
    smaller = moved_out(plan, "b")
    assert [one.id for one in smaller.clusters[0].originals] == ["a", "c"]
    assert [left.observation.id for left in smaller.left_alone] == ["b"]
    assert moved_out(smaller, "a").is_empty
    assert moved_out(plan, "no such observation") == plan
    assert smaller.observations.before == plan.observations.before


words = st.sampled_from(
    ["lock", "waits", "now", "not", "5 s", "30 s", "src/a.py", "src/b.py", "`open_it`", "Caroline",
     "fixed", "index", "error", "I", "cache.", "Updated", "2026-02-01"]
)  # fmt: skip


categories = st.sampled_from(["key-fact", "decision", "code-change", "error", "task"])


@st.composite
def memories(draw: st.DrawFn) -> list[Observation]:
    texts = st.lists(words, min_size=1, max_size=8).map(" ".join)
    found = []
    for number in range(draw(st.integers(0, 14))):
        fields = {
            "category": draw(categories),
            "pinned": draw(st.integers(0, 9)) == 0,
            "agent": draw(st.sampled_from(["engineer", "reviewer"])),
            "issue_number": draw(st.integers(1, 2)),
            "recall_count": draw(st.integers(0, 3)),
        }  # fmt: skip
        days = draw(st.integers(0, 200))
        found.append(note(f"n{number}", draw(texts), days, **fields))
    return found


@settings(max_examples=12)
@given(memories(), st.randoms(use_true_random=False))
def test_properties(found: list[Observation], chance: random.Random) -> None:
    plan = planned(*found)
    places = Counter(
        [one.id for cluster in plan.clusters for one in cluster.originals]
        + [left.observation.id for left in plan.left_alone]
    )
    assert places == Counter(one.id for one in found)
    merged = {one.id: cluster for cluster in plan.clusters for one in cluster.originals}
    assert not any(one.pinned or one.is_open_task for one in found if one.id in merged)

    shuffled = list(found)
    chance.shuffle(shuffled)
    assert planned(*shuffled) == plan
    assert planned(*plan.after()).is_empty

    assert sum(one.recall_count for one in plan.after()) == sum(one.recall_count for one in found)
    for identifier in sorted(merged)[:2]:
        smaller = moved_out(plan, identifier)
        assert identifier in {left.observation.id for left in smaller.left_alone}
        assert smaller.observations.before == len(found)

    for cluster in plan.clusters:
        assert cluster.merged.timestamp == max(one.timestamp for one in cluster.originals)
        assert set(cluster.merged.sources) == {one.id for one in cluster.originals}
        gone = {left.statement for left in cluster.left_out if left.superseded}
        for one in cluster.originals:
            for statement in statements(one.content):
                held = facts_of(cluster.merged.content)
                assert statement in gone or has_fact(held, facts_of(statement))


TEXTS = (
    "The lock waits for its turn in src/lock.py",
    "In src/lock.py the lock waits for its turn.",
    "The locks wait for their turn in ./src/lock.py",
)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store(tmp_path / "memory", clock=lambda: NOW)
    twins = [note(f"obs-{number}", text, 30 + number) for number, text in enumerate(TEXTS)]
    others = [note("obs-9", "Nothing like it"), note("obs-8", TEXTS[0], issue_number=30)]
    store.store([*twins, *others])
    return store


def locations(store: Store, issue: int = 29) -> tuple[list[str], list[str]]:
    records = read_issue(store.folder, issue)
    return (
        [one.id for one in records.observations(Location.ISSUE)],
        [one.id for one in records.observations(Location.ARCHIVE)],
    )


def where(store: Store) -> Where:
    return {issue: read_issue(store.folder, issue) for issue in (29, 30)}


def active(store: Store) -> list[Observation]:
    return newest_first(store.by_issue(29) + store.by_issue(30))


def test_a_compaction_is_applied_and_taken_back(store: Store) -> None:
    before = active(store)
    compaction = planned(*before)
    plan = to_plan(compaction, where(store))
    assert plan.kind == "compact"
    assert (plan.action.figures["memories"], plan.action.figures["merged"]) == (5, 3)
    assert [change.location for change in plan.changes] == [Location.ARCHIVE] * 3 + [
        Location.ISSUE
    ] * 4
    assert (plan.notes[0].values["issue"], plan.notes[0].values["reason"]) == (29, "duplicate")

    apply_plan(store, plan, NOW)
    merged = compaction.clusters[0].merged
    assert locations(store) == (["obs-9", merged.id], ["obs-0", "obs-1", "obs-2"])
    assert all(one.archived for one in read_issue(store.folder, 29).observations(Location.ARCHIVE))
    assert merged in active(store)
    assert planned(*active(store)).is_empty

    undo_operation(store, None, NOW)
    assert active(store) == before


def test_an_original_that_is_gone_is_named(store: Store) -> None:
    compaction = planned(*active(store))
    store.drop("obs-1")
    with pytest.raises(NotFound, match="obs-1"):
        to_plan(compaction, where(store))
    with pytest.raises(NotFound):
        to_plan(compaction, {})


# What one memory has of the several that it stands for.

_DAY = timedelta(days=1)
OLD = note(
    "old", "First", 9, agent="tester", session_id="s1", recall_count=4, relevance_score=0.9,
    tags=("a", "b"), last_recalled=NOW - 3 * _DAY, seen_count=2,
    extra={"branch": "fix", "commit": "c1", "theirs": 1},
)  # fmt: skip
MIDDLE = note(
    "middle", "Second, see [[A plan]]", 8, recall_count=1, tags=("b",), last_recalled=NOW - _DAY,
    seen_count=3, relevance_score=0.1,
)  # fmt: skip
NEW = note(
    "new", "Third", 7, agent="engineer", session_id="s3", tags=("c", "a"), issue_number=29,
    extra={"commit": "c3"}, relevance_score=0.2,
)  # fmt: skip


def test_fields_of_a_merged_observation() -> None:
    merged = merged_observation([NEW, MIDDLE, OLD], "All", "In short", "lesson")
    assert (merged.agent, merged.session_id, merged.timestamp) == ("engineer", "s3", NEW.timestamp)
    assert (merged.issue_number, merged.category, merged.summary) == (29, "lesson", "In short")
    assert (merged.recall_count, merged.seen_count) == (5, 6)
    assert merged.relevance_score == 0.9
    assert merged.last_recalled == NOW - _DAY
    assert merged.extra == {"branch": "fix", "commit": "c3", "theirs": 1}
    assert merged.tags == ("c", "a", "b")
    assert merged.sources == ("new", "middle", "old")
    assert merged.content == "All\n\nSee [[A plan]]"
    assert merged.tokens == estimate_tokens(merged.content)
    never = merged_observation([NEW, note("b", "x", 9)], "x", "x", "lesson")
    assert never.last_recalled is None


# What is archived where room is short.


def test_pinned_open_and_latest_stay_whatever_the_capacity() -> None:
    nothing = dict.fromkeys(Layer, 0)
    held = [
        note("pinned", "x", 90, pinned=True),
        note("task", "x", 90, category="task"),
        note("done", "x", 90, category="task", tags=("done",)),
        note("handoff-new", "x", 80, category="handoff"),
        note("handoff-old", "x", 90, category="handoff"),
    ]
    pruning = prune(held, Strategy.OLDEST_FIRST, now=NOW, capacities=nothing)
    assert {one.id for one in pruning.archived} == {"done", "handoff-old"}


# Which memories belong together, and which never do.


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
