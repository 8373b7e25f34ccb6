from __future__ import annotations

from datetime import timedelta

import pytest

from store.compaction.merge import newest_first
from store.compaction.model import Reason
from store.compaction.prune import CAP, CAP_KEPT, Pruning, Strategy, prune
from store.model import Layer
from tests.store.compaction.notes import note
from tests.store.factories import NOW

SEMANTIC = {Layer.SEMANTIC: 2}


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


def test_the_least_relevant_is_what_somebody_called_so_however_recent() -> None:
    held = [
        note("old", "a", 300),
        note("doubted", "b", 1, recall_count=9, relevance_score=0.4),
        note("new", "c", 1, relevance_score=0.0),
    ]
    pruning = prune(held, Strategy.LEAST_RELEVANT, now=NOW, capacities={Layer.SEMANTIC: 1})
    assert [one.id for one in pruning.archived] == ["doubted", "new"]
    kept = prune(held, Strategy.LEAST_RELEVANT, now=NOW, capacities=SEMANTIC, keep={"new"})
    assert [one.id for one in kept.archived] == ["doubted"]


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
    assert lines[0] == "Compacted 10 older entries:"
    assert lines[1].startswith("- [2026-02-09] Fact 20 xxx")
    assert cluster.merged.summary == "10 older key-fact memories of engineer"
    assert not cluster.left_out
    assert prune(held[:-1], Strategy.CAP, now=NOW) == Pruning()
