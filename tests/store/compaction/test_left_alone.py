"""What a compaction leaves as it is, how far it goes in each issue, and what it says it does."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from store.compaction import compact
from store.compaction.changes import to_plan
from store.compaction.compact import moved_out, plan_compaction, without
from store.compaction.model import Alone, Cluster, CompactionSettings, Reason, Strength
from store.compaction.neighbours import Item
from store.compaction.relate import errors_and_fixes
from store.model import Observation
from tests.store.compaction.notes import note, planned
from tests.store.factories import NOW, Store

_TOGETHER = [
    ("The gate of store/locks.py is one file", 200),
    ("The marker of store/locks.py is linked whole", 210),
    ("The wait of store/locks.py is short", 220),
]


def _alone(*held: Observation) -> dict[str, Alone]:
    plan = planned(*held)
    return {left.observation.id: left.why for left in plan.left_alone}


def test_the_latest_handoff_of_each_agent_and_issue_stays() -> None:
    held = [
        note(f"{agent}-{issue}-{days}", "Left at the locks", days, category="handoff",
             agent=agent, issue_number=issue)
        for agent in ("dev", "qa") for issue in (1, 2) for days in (30, 31)
    ]  # fmt: skip
    for order in (held, held[::-1]):
        why = _alone(*order)
        latest = {name for name, why in why.items() if why is Alone.LATEST_HANDOFF}
        assert latest == {"dev-1-30", "dev-2-30", "qa-1-30", "qa-2-30"}
    tagged = note("task", "Left at the locks", 9, category="task", tags=("handoff",))
    assert _alone(tagged) == {"task": Alone.OPEN_TASK}


@pytest.mark.parametrize(
    ("newest", "merged"),
    [
        ({}, 1),
        ({"pinned": True}, 0),
        ({"category": "task"}, 0),
        ({"timestamp_days": 200}, 1),
        ({"timestamp_days": 200, "pinned": True}, 1),
        ({"issue_number": 30}, 1),
    ],
)
def test_an_issue_that_something_newer_is_of_is_not_told_as_few(
    newest: dict[str, object], merged: int
) -> None:
    """Whether that newer one may itself be touched or not."""
    fields = dict(newest)
    days = fields.pop("timestamp_days", 89 if fields.keys() - {"issue_number"} else 200)
    assert isinstance(days, int)
    other = note("other", "Menus open slowly", days, **fields)
    held = [note(f"n{at}", text, age) for at, (text, age) in enumerate(_TOGETHER)]
    clusters = planned(*held, other).clusters
    assert [it.reason for it in clusters] == [Reason.RELATED] * merged


def test_each_issue_goes_as_far_as_its_own_age_says() -> None:
    stale = [note(f"n{at}", text, age) for at, (text, age) in enumerate(_TOGETHER)]
    fresh = [
        note(f"f{at}", text, 30 + at, issue_number=30) for at, (text, _) in enumerate(_TOGETHER)
    ]
    plan = planned(*fresh, *stale)
    assert [it.merged.issue_number for it in plan.clusters] == [29]
    assert {left.observation.id for left in plan.left_alone} == {"f0", "f1", "f2"}
    both = planned(*fresh, *stale, strength=Strength.THOROUGH)
    assert [it.merged.issue_number for it in both.clusters] == [29, 30]


def test_of_several_reasons_to_stay_the_first_is_told() -> None:
    held = [
        note("a", "x", 1, pinned=True, muted=True, category="task"),
        note("b", "x", 1, muted=True, category="task"),
        note("c", "x", 1, category="task"),
        note("d", "x", 1, category="handoff"),
        note("e", "x", 1),
        note("e", "x", 1),
        note("f", "y", 30),
        note("f", "z", 31),
        note("g", "Menus open slowly", 30),
    ]
    assert _alone(*held) == {
        "a": Alone.PINNED,
        "b": Alone.MUTED,
        "c": Alone.OPEN_TASK,
        "d": Alone.LATEST_HANDOFF,
        "e": Alone.YOUNG,
        "f": Alone.AMBIGUOUS,
        "g": Alone.UNRELATED,
    }


@pytest.mark.parametrize(("many", "together"), [(2, 1), (12, 1), (13, 0)])
def test_a_file_that_many_tell_of_does_not_bring_them_together(many: int, together: int) -> None:
    """Of several agents, whose words are other ones."""
    held = [
        note(f"n{at}", f"src/till.py: w{letter}aa w{letter}bb", 30 + at, agent=f"agent{letter}")
        for at, letter in enumerate("cdfghjklmnpqrst"[:many])
    ]
    plan = planned(*held, strength=Strength.THOROUGH)
    assert len(plan.clusters) == together
    assert all(len(it.originals) == many for it in plan.clusters)


def _pairs() -> list[Observation]:
    said = ("The lock waits for its turn", "Menus are sorted by price", "Ids are random letters")
    return [
        note(f"{name}{at}", text + "." * at, 30 + at, issue_number=issue)
        for issue, text in zip((29, 30, 29), said, strict=True)
        for at, name in enumerate((text[:3], text[:3]))
    ]


def test_of_several_clusters_one_is_left_out_and_the_others_stay() -> None:
    plan = planned(*_pairs(), note("x", "Nothing like them"))
    assert len(plan.clusters) == 3
    for at, cluster in enumerate(plan.clusters):
        rest = without(plan, cluster.id)
        assert rest.clusters == (*plan.clusters[:at], *plan.clusters[at + 1 :])
        assert [it.observation.id for it in rest.left_alone if it.why is Alone.CHOSEN] == [
            it.id for it in cluster.originals
        ]
        assert rest.left_alone[: len(plan.left_alone)] == plan.left_alone
        smaller = moved_out(plan, cluster.originals[0].id)
        assert smaller == rest


def test_progress_counts_what_is_left_alone_too() -> None:
    seen: list[tuple[int, int]] = []
    held = [*_pairs(), note("pinned", "x", pinned=True), note("young", "x", 1, issue_number=31)]
    plan_compaction(
        [*held, note("gone", "x", archived=True)],
        now=NOW,
        settings=CompactionSettings(),
        progress=lambda done, of: seen.append((done, of)),
    )
    assert seen == [(5, 8), (7, 8), (8, 8)]


def test_a_cluster_that_can_not_be_told_as_one_leaves_the_others_to_be(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    held = [it._replace(issue_number=29) for it in _pairs()]
    whole = {it.merged.content: it for it in planned(*held).clusters}
    assert len(whole) == 3
    told = compact._flattened
    for said in whole:

        def refusing(
            cluster: Cluster, parts: Sequence[Cluster], said: str = said
        ) -> Cluster | None:
            return None if cluster.merged.content == said else told(cluster, parts)

        with monkeypatch.context() as patched:
            patched.setattr(compact, "_flattened", refusing)
            found = {it.merged.content: it for it in planned(*held).clusters}
        assert found == {text: it for text, it in whole.items() if text != said}


def test_a_plan_says_of_each_cluster_what_becomes_of_it(tmp_path: Path) -> None:
    held = _pairs()
    plan = planned(*held)
    store = Store(tmp_path / "memory", clock=lambda: NOW)
    store.store(held)
    made = to_plan(plan, {issue: store.read(issue) for issue in (29, 30)})
    assert [dict(it.values) for it in made.notes] == [
        {
            "issue": it.merged.issue_number,
            "reason": "duplicate",
            "summary": it.merged.summary,
        }
        for it in plan.clusters
    ]
    assert dict(made.action.figures) == {
        "memories": 6,
        "merged": 3,
        "tokens": plan.tokens_before,
        "tokens_after": plan.tokens_after,
    }


def test_a_fix_that_fits_several_errors_alike_is_of_the_latest_of_them() -> None:
    said = "`load_prices` of the till fails: rows are locked"
    errors = [note(f"e{days}", said, days, category="error") for days in (50, 40, 45)]
    fix = note("fix", "Fixed: `load_prices` of the till waits for locked rows", 30)
    items = [Item(it) for it in (*errors, fix)]
    for order in (items, items[::-1], [items[1], items[3], items[0], items[2]]):
        (group,) = errors_and_fixes(order, [])
        assert [it.observation.id for it in group.items] == ["e40", "fix"]
