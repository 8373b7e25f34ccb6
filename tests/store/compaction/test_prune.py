from __future__ import annotations

from datetime import timedelta

import pytest

from store.compaction.merge import newest_first
from store.compaction.model import Reason, stale_issues
from store.compaction.prune import CAP, CAP_KEPT, Pruning, Strategy, _folded, prune
from store.model import MAX_CONTENT, Layer
from tests.store.compaction.notes import note
from tests.store.factories import NOW

SEMANTIC = {Layer.SEMANTIC: 2}


@pytest.mark.parametrize(
    ("strategy", "gone"),
    [
        (Strategy.OLDEST_FIRST, "often"),
        (Strategy.FREQUENCY_BASED, "new"),
        (Strategy.LEAST_RELEVANT, "middle"),
    ],
)
def test_each_strategy_takes_its_own(strategy: Strategy, gone: str) -> None:
    held = [
        note("often", "a", 90, recall_count=9),
        note("middle", "b", 60, recall_count=1),
        note("new", "c", 1),
    ]
    pruning = prune(held, strategy, now=NOW, capacities=SEMANTIC)
    assert [one.id for one in pruning.archived] == [gone]


@pytest.mark.parametrize(
    ("strategy", "order"),
    [
        (Strategy.OLDEST_FIRST, "abcde"),
        (Strategy.FREQUENCY_BASED, "cebda"),
        (Strategy.LEAST_RELEVANT, "bcdea"),
    ],
)
def test_what_goes_first(strategy: Strategy, order: str) -> None:
    held = [
        note("a", "x", 90, recall_count=9, seen_count=1),
        note("b", "x", 60, recall_count=0, seen_count=3),
        note("c", "x", 50, recall_count=0, seen_count=1),
        note("d", "x", 40, recall_count=1, seen_count=1),
        note("e", "x", 30, recall_count=0, seen_count=1),
    ]
    gone = ""
    for most in range(4, -1, -1):
        pruning = prune(held, strategy, now=NOW, capacities={Layer.SEMANTIC: most})
        went = {one.id for one in pruning.archived}
        assert pruning.archived == tuple(newest_first(pruning.archived))
        gone += "".join(went.difference(gone))
    assert gone == order


def test_the_latest_handoff_of_each_agent_and_issue_stays() -> None:
    held = [
        note(f"{agent}-{issue}-{days}", "x", days, category="handoff", agent=agent,
             issue_number=issue)
        for agent in ("dev", "qa") for issue in (1, 2) for days in (5, 9, 12)
    ]  # fmt: skip
    for order in (held, held[::-1]):
        pruning = prune(order, Strategy.OLDEST_FIRST, now=NOW, capacities={Layer.EPISODIC: 0})
        assert {one.id for one in held if one not in pruning.archived} == {
            "dev-1-5", "dev-2-5", "qa-1-5", "qa-2-5"
        }  # fmt: skip


def test_capacities_count_for_each_agent_and_layer() -> None:
    held = [
        *(note(f"a{n}", "x", n) for n in range(3)),
        *(note(f"b{n}", "x", n, agent="reviewer") for n in range(2)),
        *(note(f"c{n}", "x", n, category="error") for n in range(4)),
        note("gone", "x", 99, archived=True),
    ]
    pruning = prune(held, Strategy.OLDEST_FIRST, now=NOW, capacities=SEMANTIC)
    assert [one.id for one in pruning.archived] == ["a2"]
    assert prune(held, Strategy.OLDEST_FIRST, now=NOW) == Pruning(strategy=Strategy.OLDEST_FIRST)


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


def test_a_cap_folds_the_rest_into_one_summary() -> None:
    held = [
        note(f"n{number:02}", f"Fact {number} " + "x" * 100, number) for number in range(CAP + 1)
    ]
    held[-1] = note("pinned", "Pinned", CAP, pinned=True)
    (cluster,) = prune(held, Strategy.CAP, now=NOW).clusters
    assert cluster.reason is Reason.FOLDED
    assert [one.id for one in cluster.originals] == [f"n{n:02}" for n in range(CAP_KEPT, CAP)]
    assert cluster.merged.category == "compaction-summary"
    assert cluster.merged.timestamp == NOW - timedelta(days=CAP_KEPT)
    lines = cluster.merged.content.splitlines()
    assert lines[0] == "10 older key-fact memories of engineer, to be found in the archive:"
    assert lines[1].startswith("- 2026-02-09 Fact 20 xxx")
    assert not cluster.left_out
    assert prune(held[:-1], Strategy.CAP, now=NOW) == Pruning(strategy=Strategy.CAP)


def test_pinned_ones_count_to_those_that_are_kept() -> None:
    held = [
        note(f"n{number:02}", f"Fact {number}", number, pinned=number in (3, 5, 25))
        for number in range(CAP + 2)
    ]
    (cluster,) = prune(held, Strategy.CAP, now=NOW).clusters
    assert [one.id for one in cluster.originals] == [
        f"n{n:02}" for n in range(CAP_KEPT, CAP + 2) if n != 25
    ]


def test_a_cap_is_for_each_category_of_each_agent() -> None:
    held = [
        note(f"{agent}-{category}-{number}", "x", number, agent=agent, category=category)
        for agent, category, most in (("a", "lesson", CAP + 1), ("b", "lesson", CAP + 2),
                                      ("a", "error", CAP + 1), ("c", "lesson", CAP))
        for number in range(most)
    ]  # fmt: skip
    gone = [note("gone", "x", archived=True, agent="c", category="lesson")]
    found = prune([*held, *gone], Strategy.CAP, now=NOW).clusters
    assert [(it.merged.agent, len(it.originals)) for it in found] == [
        ("a", 11),
        ("a", 11),
        ("b", 12),
    ]
    assert {one.category for one in found[0].originals} == {"error"}


def test_a_summary_names_what_it_has_no_room_for() -> None:
    held = [note(f"n{number:03}", f"Fact {number} " + "y" * 200, number) for number in range(60)]
    (cluster,) = prune(held, Strategy.CAP, now=NOW).clusters
    assert len(cluster.merged.content) <= MAX_CONTENT
    told = len(cluster.merged.content.splitlines()) - 1
    assert told + len(cluster.left_out) == len(cluster.originals) == 40
    assert cluster.left_out[-1].observation_id == "n059"


def test_a_fold_of_many_keeps_to_the_limit_of_a_memory() -> None:
    for length in range(1, 9):
        held = [note(f"n{n:03}", "x" * length, n) for n in range(400)]
        (cluster,) = prune(held, Strategy.CAP, now=NOW).clusters
        assert len(cluster.merged.content) <= MAX_CONTENT
        assert len(cluster.left_out) > 0


def test_a_line_that_just_fits_a_fold_is_in_it_and_a_letter_more_is_not() -> None:
    title = len("2 older key-fact memories of engineer, to be found in the archive:")
    room = MAX_CONTENT - title - len("\n- 2026-01-01 ") * 2
    for more, left in ((0, 0), (1, 1)):
        lengths = {"a": 200, "b": room - 200 + more}
        rest = [note(name, "x", summary="x" * length) for name, length in lengths.items()]
        cluster = _folded("engineer", "key-fact", rest)
        assert len(cluster.left_out) == left
        assert left or len(cluster.merged.content) == MAX_CONTENT


def test_one_alone_is_not_folded() -> None:
    held = [
        note(f"n{number:02}", f"Fact {number}", number, pinned=number > CAP_KEPT)
        for number in range(CAP + 1)
    ]
    assert prune(held, Strategy.CAP, now=NOW).clusters == ()
    held[-1] = held[-1]._replace(pinned=False)
    (cluster,) = prune(held, Strategy.CAP, now=NOW).clusters
    assert [it.id for it in cluster.originals] == [f"n{CAP_KEPT}", f"n{CAP}"]


def test_an_issue_is_as_old_as_its_newest_memory_that_is_not_archived() -> None:
    held = [
        note("a", "x", 100, issue_number=1),
        note("b", "x", 300, issue_number=1),
        note("c", "x", 300, issue_number=2),
        note("d", "x", 1, issue_number=2, archived=True),
        note("e", "x", 1, issue_number=3, archived=True),
    ]
    assert stale_issues(held, now=NOW, days=99) == {1, 2}
    assert stale_issues(held, now=NOW, days=100) == {2}
