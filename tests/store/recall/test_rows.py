"""What recall makes of candidates, whole, by rows: factors, what hangs together, what gives way.

Factors are told with every weight at one: what each is worth is tuned, what it says is not.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from store.model import Observation
from store.recall.baselines import AGENTX_WEIGHTS, EVOLVING_WEIGHTS, agentx, evolving
from store.recall.factors import WEIGHTS, memtui
from store.recall.file_names import files_of_sessions
from store.recall.links import on_one_scale, with_amendments, with_captured
from store.recall.overlaps import giving_way
from store.recall.request import RecallRequest
from store.recall.session_files import SessionFiles
from store.recall.touched import Remembered, files_remembered, files_to_touch
from store.recall.values import Candidate, Kind, Ranked
from tests.store.recall.makers import NOW, observation

ONES = dict.fromkeys(WEIGHTS, 1.0)


def _made(name: str, content: str, days: float = 1, **fields: Any) -> Observation:  # noqa: ANN401
    return observation(content, days=days, **{"id": name, "session_id": "", **fields})


HELD = [
    Candidate(_made("lock", "src/store/lock.py: waits with jitter", category="code-change",
                    session_id="s1"), {"relevance": 0.5}),
    Candidate(_made("lock2", "src/store/lock.py: names its holder", 3, category="code-change",
                    session_id="s2"), {"relevance": 0.2}),
    Candidate(_made("gate", "src/store/gate.py: opens late", 3, category="code-change",
                    session_id="s2", agent="tester")),
    Candidate(_made("both", "src/store/gate.py, src/store/lock.py: renamed", 9,
                    category="code-change", session_id="s3", issue_number=7)),
    Candidate(_made("task", "Mend the gate", 2, category="task")),
    Candidate(_made("old", "Stopped at the gate", 2, category="handoff", issue_number=0)),
    Candidate(_made("new", "Stopped at the lock", 1, category="handoff")),
    Candidate(_made("fact", "The lease lasts 9 s", 40, recall_count=4)),
    Candidate(_made("told", "The lease was 8 s", 40, recall_count=14,
                    last_recalled=NOW - timedelta(days=15))),
    Candidate(_made("amends", "The lease now lasts 10 s", 2), {"relevance": 0.1}),
    Candidate(_made("amended", "The lease lasts 9 s", 5), {"relevance": 0.9}, Kind.MEMORY,
              "amends"),
    Candidate(_made("said", "We waited", 5, category="request"), {"relevance": 0.3}, Kind.MESSAGE),
    Candidate(_made("ahead", "From tomorrow", -1, category="error")),
]  # fmt: skip
REQUESTS = {
    "nobody": RecallRequest(),
    "an agent of an issue": RecallRequest(agent="engineer", issue=29, task="Mend lock_wait"),
    "the project": RecallRequest(agent="tester", issue=0, task="src/store/gate.py opens"),
    "a file": RecallRequest(agent="engineer", issue=7, task="why does src/store/lock.py wait?"),
}


def _parts(found: Sequence[dict[str, float]]) -> list[str]:
    return [
        f"  {it.observation.id}: "
        + " ".join(f"{name} {value:.3f}" for name, value in sorted(factors.items()))
        for it, factors in zip(HELD, found, strict=True)
    ]


def test_the_factors_of_each(snapshot: SnapshotAssertion) -> None:
    told = []
    for about, request in REQUESTS.items():
        told += [f"{about}:", *_parts(memtui(HELD, request, NOW, ONES))]
    assert "\n".join(told) == snapshot


def test_the_factors_of_the_documents(snapshot: SnapshotAssertion) -> None:
    asked = RecallRequest(task="The lease lasts: gate. gate-keeper and the lock/wait")
    signals = [it._replace(signals={"bm25": it.signals.get("relevance", 0.0)}) for it in HELD]
    told = ["agentx", *_parts(agentx(HELD, asked, NOW, AGENTX_WEIGHTS))]
    told += ["evolving", *_parts(evolving(signals, asked, NOW, EVOLVING_WEIGHTS))]
    assert "\n".join(told) == snapshot
    assert agentx(HELD[:1], RecallRequest(task="the"), NOW, AGENTX_WEIGHTS)[0].keys() == {"recency"}


def test_signals_are_put_on_one_scale() -> None:
    first, second, third = on_one_scale(
        [
            Candidate(_made("a", "A"), {"x": 4.0, "y": 0.0}),
            Candidate(_made("b", "B"), {"x": 1.0}, Kind.MESSAGE, "a", "c"),
            Candidate(_made("c", "C")),
        ]
    )
    assert (first.signals, second.signals, third.signals) == ({"x": 1.0, "y": 0.0}, {"x": 0.25}, {})
    assert second[2:] == (Kind.MESSAGE, "a", "c")


def test_a_memory_is_as_relevant_as_its_messages() -> None:
    said = _made("s#1", "The lock waits with jitter and names its holder")
    candidates = [
        Candidate(_made("same", "The lock waits with jitter, names its holder",
                        sources=("session:s#1",)), {"x": 0.1, "y": 0.5}),
        Candidate(_made("less", "The lock waits", sources=("session:s#1", "session:none")), {}),
        Candidate(said, {"x": 0.9, "y": 0.2}, Kind.MESSAGE),
        Candidate(_made("s#2", "Other words"), {"x": 0.9}, Kind.MESSAGE),
        Candidate(_made("tool", "Made by a tool", sources=("tool:s#2",)), {"x": 0.3}),
    ]  # fmt: skip
    found = with_captured(candidates)
    assert [dict(it.signals) for it in found] == [
        {"x": 0.9, "y": 0.5}, {"x": 0.9, "y": 0.2}, {"x": 0.9, "y": 0.2}, {"x": 0.9}, {"x": 0.3},
    ]  # fmt: skip
    assert [it.kept_as for it in found] == ["", "", "same", "", ""]
    assert with_captured(candidates[:2]) == candidates[:2]


EARLIER = "The upload limit for each attachment of a ticket is ten megabytes."
LATER = "From now on the upload limit of a ticket's attachment is a hundred megabytes."


@pytest.mark.parametrize(
    ("newer", "amended"),
    [
        ({"sources": ("old",)}, ["old", "s#1"]),
        ({"sources": ("new",)}, []),
        ({"sources": ("none",)}, []),
        ({"content": LATER}, ["old", "s#1"]),
        ({"content": LATER, "session_id": "s"}, []),
        ({"content": LATER, "days": 9}, []),
        ({"content": LATER, "category": "error"}, []),
        ({"content": "The gate is red"}, []),
    ],
)
def test_what_a_later_statement_amends(newer: dict[str, Any], amended: list[str]) -> None:
    given = {"content": "Said", "days": 1, "session_id": "t", **newer}
    candidates = [
        Candidate(_made("old", EARLIER, 5, session_id="s",
                        sources=("session:s#1",))),
        Candidate(_made("s#1", EARLIER, 6, session_id="s",
                        category="request"), {}, Kind.MESSAGE),
        Candidate(_made("new", **given)),
    ]  # fmt: skip
    found = with_amendments(candidates)
    assert [it.observation.id for it in found if it.amended_by == "new"] == amended
    assert [it.observation.id for it in found if it.amended_by not in ("", "new")] == []


@pytest.mark.parametrize(
    ("older", "newer", "why"),
    [
        ("The lease lasts 8 s in the queue", "The lease lasts 8 s in the queue", "repeated"),
        ("The lease lasts 8 s in the queue", "The lease lasts 9 s in the queue", "superseded"),
        ("The queue holds its lease", "The queue no longer holds its lease", "superseded"),
        ("The queue holds its lease", "The gate was painted red", ""),
    ],
)
def test_which_candidate_gives_way(older: str, newer: str, why: str) -> None:
    one, two = _made("a", older, 5), _made("b", newer, 1)
    ways = {name: (str(verdict), it.id) for name, (verdict, it) in giving_way([one, two]).items()}
    assert (ways.get("a", ("", ""))[1] == "b") is bool(why)
    assert giving_way([two, one]).keys() == ways.keys()
    if why == "superseded":
        other = one._replace(category="error"), two._replace(category="error")
        assert giving_way(other) == {}
        assert giving_way((one, two._replace(issue_number=7))) == {}
    summed = giving_way([one, two._replace(content="All of it", sources=("a",))])
    assert (str(summed["a"][0]), summed["a"][1].id) == ("summed-up", "b")
    assert giving_way([one._replace(sources=("a",))]) == {}


def _session(name: str, days: int, changed: dict[str, int], read: dict[str, int]) -> SessionFiles:
    return SessionFiles(name, NOW - timedelta(days=days), changed, read, frozenset())


def test_files_to_touch_are_told_with_why(snapshot: SnapshotAssertion) -> None:
    sessions = [
        _session("s1", 1, {"src/lock.py": 3, "src/gate.py": 1, "tests/test_lock.py": 2},
                 {"a.md": 1}),
        _session("s2", 2, {"src/lock.py": 1, "src/gate.py": 4}, {"src/index.py": 3}),
        _session("s3", 30, {"src/index.py": 1}, {"src/lock.py": 9}),
    ]  # fmt: skip
    known = files_of_sessions(sessions)
    ranked = [
        Ranked(_made("m1", "src/queue.py: waits", 4, category="code-change"), 0.9, {}),
        Ranked(_made("m2", "src/lock.py: waits", 3, category="code-change", session_id="s9"), 0.3,
               {}),
        Ranked(_made("m3", "src/lock.py: waits", 3, category="code-change", session_id="s1"), 0.8,
               {}),
        Ranked(_made("m4", "src/said.py: waits", 3), 0.8, {}, kind=Kind.MESSAGE),
        Ranked(_made("m5", "Nothing of files", 3), 0.8, {}),
    ]  # fmt: skip
    remembered = files_remembered(ranked, {"s1"})
    told = [f"remembered {it.session} {dict(it.changed)}" for it in remembered.sessions]
    told += [f"scores {sorted((path, round(it, 3)) for path, it in remembered.scores.items())}"]
    for about, likeness, task, most in (
        ("one alike", {"s1": 1.0, "s2": 0.2}, "", 10),
        ("a file named", {"s2": 1.0, "s3": 0.5}, "look at src/index.py", 10),
        ("two of them", {"s1": 1.0, "s2": 1.0, "s3": 1.0}, "", 2),
        ("nothing alike", {}, "", 10),
    ):
        hints = files_to_touch(known, likeness, remembered, task, most)
        told += [f"{about}:", *(f"  {it.path} {it.score:.3f} {', '.join(it.why)}" for it in hints)]
        gone = files_to_touch(known, likeness, Remembered(), task, most, lambda it: "lock" in it)
        told += [f"  without locks: {' '.join(it.path for it in gone)}"]
    assert "\n".join(told) == snapshot


@pytest.mark.parametrize("category", ["error", "code-change"])
def test_what_was_turned_round_repeats_nothing(category: str) -> None:
    said = "Use the kernel lock instead of the lease file"
    turned = "Use the lease file instead of the kernel lock"
    one, two = (_made(name, it, category=category) for name, it in (("a", said), ("b", turned)))
    assert giving_way([one, two]) == {}
    assert giving_way([one, two._replace(content=said)]).keys() == {"a"}


def test_a_file_counts_by_sessions_that_are_known_and_like_enough() -> None:
    known = files_of_sessions(
        [_session("s1", 1, {"a.py": 1}, {}), _session("s2", 2, {"b.py": 1}, {})]
    )
    alone = known.scores({"s1": 0.5}, "")
    assert known.scores({"s1": 0.5, "s2": 0.19, "gone": 1.0}, "") == alone
    assert known.scores({"s1": 0.5, "s2": 0.2}, "")["b.py"] > alone["b.py"]
