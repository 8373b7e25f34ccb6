"""What each factor of the default profile counts for, by itself: a weight that is changed is
measured again (`docs/recall-weights.md`).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from math import ceil, exp

import pytest

from store.model import Observation
from store.recall.profiles import PROFILES, profile_named
from store.recall.reasons import Reason, Verdict
from store.recall.request import RecallRequest
from store.recall.values import TEXT, Candidate, Recall, ScoredCandidate, family_of
from store.text.tokens import estimate
from tests.store.recall.makers import NOW, observation


def _parts(
    request: RecallRequest, *observations: Observation | Candidate
) -> list[Mapping[str, float]]:
    """The factors of each, in the order given."""
    candidates = [it if isinstance(it, Candidate) else Candidate(it) for it in observations]
    found = PROFILES["memtui"].rank(candidates, request, NOW)
    by_id = {it.observation.id: it.factors for it in found}
    return [by_id[it.observation.id] for it in candidates]


def _fact(number: int = 1, content: str = "Nothing", **fields: object) -> Observation:
    return observation(content, number, **{"session_id": "", **fields})  # type: ignore[arg-type]


def test_whose_it_is() -> None:
    asked = RecallRequest(agent="engineer", issue=29)
    mine, theirs, project, other = _parts(
        asked,
        _fact(1, session_id="s"),
        _fact(2, agent="tester", session_id="t", days=1),
        _fact(3, issue_number=0),
        _fact(4, issue_number=7, session_id="s"),
    )
    assert (mine["issue"], mine["agent"], mine["session"]) == (0.35, 0.1, 0.35)
    assert (theirs["issue"], "agent" in theirs, "session" in theirs) == (0.35, False, False)
    assert project["issue"] == pytest.approx(0.35 / 4)
    assert ("issue" in other, other["session"]) == (False, 0.35)
    (whole,) = _parts(RecallRequest(issue=0), _fact(issue_number=0))
    assert whole["issue"] == pytest.approx(0.35 / 4)
    (nobody,) = _parts(RecallRequest(), _fact())
    assert nobody.keys() <= {"recency", "very_recent"}


@pytest.mark.parametrize(("days", "recency"), [(0, 1.0), (30, 0.5), (90, 0.25)])
def test_what_happened_fades_over_months_and_over_days(days: int, recency: float) -> None:
    (event,) = _parts(RecallRequest(), _fact(category="error", days=days))
    assert event["recency"] == pytest.approx(0.3 * recency)
    assert event.get("very_recent", 0.0) == pytest.approx(0.35 * exp(-days / 4))
    (known,) = _parts(RecallRequest(), _fact(category="decision", days=days))
    assert known["recency"] == pytest.approx(0.3 * (0.5 + 0.1 * (recency - 0.5)))


def test_what_was_recalled_counts_a_little_and_fades() -> None:
    last = NOW - timedelta(days=30)
    often, some, never = _parts(
        RecallRequest(),
        _fact(1, recall_count=20, last_recalled=NOW),
        _fact(2, recall_count=5, last_recalled=last),
        _fact(3),
    )
    assert often["recalled"] == pytest.approx(0.03)
    assert some["recalled"] == pytest.approx(0.03 * 0.5 * exp(-1))
    assert "recalled" not in never


def test_what_waits_to_be_gone_on_with() -> None:
    asked = RecallRequest(agent="engineer", issue=29)
    task, done, old, new, other = _parts(
        asked,
        _fact(1, category="task"),
        _fact(2, category="task", tags=("done",)),
        _fact(3, category="handoff", days=2),
        _fact(4, category="handoff", days=1),
        _fact(5, category="handoff", agent="tester"),
    )
    assert (task["open_task"], new["handoff"]) == (0.4, 0.4)
    assert "open_task" not in done
    assert "handoff" not in old
    assert "handoff" not in other
    *_, any_ = _parts(
        RecallRequest(), _fact(4, category="handoff", days=1), _fact(5, category="handoff")
    )
    assert any_["handoff"] == 0.4


def test_what_the_task_names() -> None:
    asked = RecallRequest(task="Why does store/locks.py leave FileLock held?")
    named, symbol, none = _parts(
        asked,
        _fact(1, "store/locks.py: the wait is shorter"),
        _fact(2, "FileLock is held while a file is written."),
        _fact(3, "Something else."),
    )
    assert named["mention"] == 0.6
    assert named["path"] == pytest.approx(0.8)
    assert 0 < symbol["mention"] <= 0.6
    assert none.keys().isdisjoint({"mention", "path"})
    (given,) = _parts(RecallRequest(), Candidate(_fact(), {"relevance": 0.5}))
    assert given["relevance"] == pytest.approx(0.65 / 2)


def test_a_file_that_is_told_of_counts_less_each_time() -> None:
    told = [
        _fact(number, "store/locks.py: the wait is shorter", days=number) for number in range(4)
    ]
    repeats = [it.get("repeats", 0.0) for it in _parts(RecallRequest(), *told)]
    assert repeats == pytest.approx([0.0, -0.8 * 0.2, -0.8 * 0.36, -0.8 * 0.488])
    weightless = profile_named(None, {"repeats": 0.0, "co_change": 0.0})
    beside = [_fact(9, "store/io.py: the wait is shorter")]
    found = weightless.rank([Candidate(it) for it in (*told, *beside)], RecallRequest(), NOW)
    assert all(it.factors.keys().isdisjoint({"repeats", "co_change"}) for it in found)


def test_what_changes_another_stands_where_that_stood() -> None:
    old, new = _fact(1, days=30), _fact(2, days=0, agent="tester", issue_number=8)
    asked = RecallRequest(agent="engineer", issue=29)
    before, after = _parts(asked, Candidate(old, amended_by=new.id), Candidate(new))
    assert before["amended"] == -0.4
    assert sum(after.values()) == pytest.approx(sum(before.values()) + 0.4)
    before, after = _parts(asked, Candidate(new, amended_by=old.id), Candidate(old))
    assert (before["amended"], "amends" in after) == (-0.4, False)
    (alone,) = _parts(asked, Candidate(old, amended_by="gone"))
    assert "amended" not in alone


def test_a_file_leads_by_the_best_that_is_told_of_it() -> None:
    """Four files lead, whose sessions say what changes with them; a weak memory takes none away."""

    def told(number: int, file: str, session: str, relevance: float) -> Candidate:
        made = _fact(number, f"{file}: opens late", category="code-change", session_id=session)
        return Candidate(made, {"relevance": relevance})

    strong, weak = told(1, "a/lead.py", "s1", 1.0), told(2, "a/lead.py", "s1", 0.0)
    others = [told(n, f"b/m{n}.py", f"t{n}", 0.5) for n in range(3, 8)]
    with_it = told(9, "c/beside.py", "s1", 0.0)
    for order in ([strong, weak], [weak, strong]):
        *_, beside = _parts(RecallRequest(), *order, *others, with_it)
        assert beside["co_change"] > 0
    *_, alone = _parts(RecallRequest(), weak, *others, with_it)
    assert "co_change" not in alone


def test_the_last_of_a_chain_stands_where_the_first_stood() -> None:
    asked = RecallRequest(task="gates")
    first = Candidate(_fact(1, days=30), {"relevance": 1.0}, amended_by=_fact(2).id)
    second = Candidate(_fact(2, days=20), amended_by=_fact(3).id)
    third = Candidate(_fact(3, days=10))
    for order in ([first, second, third], [third, second, first], [second, first, third]):
        factors = dict(zip([it.observation.id for it in order], _parts(asked, *order), strict=True))
        one, two, last = (sum(factors[_fact(n).id].values()) for n in (1, 2, 3))
        assert last == pytest.approx(one + 0.4) == pytest.approx(two + 0.4)


def test_the_other_profiles_weigh_as_their_documents_say() -> None:
    assert PROFILES["agentx"].weights == {"recency": 0.4, "recall": 0.2, "keywords": 0.4}
    assert PROFILES["evolving"].weights == {"relevance": 0.4, "recency": 0.3, "recall": 0.3}
    assert PROFILES["vault"].most == 2_000
    assert [name for name, it in PROFILES.items() if it.fills] == ["memtui"]
    assert [name for name, it in PROFILES.items() if it.filtered] == ["agentx"]


def test_what_is_left_out_costs_about_what_it_would_take() -> None:
    memory = observation("Some words of a memory. " * 10)
    left = ScoredCandidate(memory, 1.0, {}, False, Reason(Verdict.BUDGET_FULL))
    estimated = estimate(family_of(TEXT)).count(left.observation.content)
    assert Recall().cost_of(left) == estimated
    assert Recall(scale=1.5).cost_of(left) == ceil(estimated * 1.5)
    assert Recall().cost_of(left._replace(included=True, tokens=7)) == 7
