"""What a compaction leaves as it is, how far it goes in each issue, and what it says it does."""

from __future__ import annotations

from store.compaction.model import Alone, Strength
from store.model import Observation
from tests.store.compaction.notes import note, planned

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
