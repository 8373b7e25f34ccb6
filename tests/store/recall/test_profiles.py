"""The profiles rank as their documents say: worked examples."""

from __future__ import annotations

from datetime import datetime, timedelta
from math import exp

import pytest

from store.errors import InvalidObservation
from store.recall.factors import WEIGHTS
from store.recall.profiles import PROFILES, profile_named
from store.recall.request import RecallRequest
from store.recall.values import Candidate, Limits
from tests.store.recall.makers import NOW, observation


def ranked(
    profile: str, request: RecallRequest, *candidates: Candidate, now: datetime = NOW
) -> dict[str, float]:
    """Scores by content, in the order of the ranking."""
    ranking = PROFILES[profile].rank(candidates, request, now)
    return {it.observation.content: it.score for it in ranking}


def test_agentx_halves_recency_in_thirty_days_and_saturates_recalls_at_ten() -> None:
    asked = RecallRequest(task="the lock timeout on windows")
    old = observation("Lock timeout on manifest.json", days=30, recall_count=20)
    scores = ranked("agentx", asked, Candidate(old))
    assert scores[old.content] == pytest.approx(0.4 * 0.5 + 0.2 * 1.0 + 0.4 * 2 / 3)


def test_agentx_counts_half_the_recalls_by_half() -> None:
    fresh = observation("Nothing in common", recall_count=5)
    assert ranked("agentx", RecallRequest(task="zebra"), Candidate(fresh)) == {
        "Nothing in common": pytest.approx(0.4 + 0.1)
    }


def test_agentx_finds_whole_words() -> None:
    candidate = Candidate(observation("Start the smartcart, see src/lock.py and part 7"))
    for task, share in (
        ("art", 0.0),
        ("start art", 0.5),
        ("src/lock.py part", 1.0),
        ("part. Find src/lock.py.", 2 / 3),
        (".part", 0.0),
        ("Start START, and the Part -", 1.0),
    ):
        (score,) = ranked("agentx", RecallRequest(task=task), candidate).values()
        assert score == pytest.approx(0.4 + 0.4 * share)


def test_agentx_looks_at_the_agent_and_the_issue_asked_for_only() -> None:
    profile = profile_named("agentx")
    asked = RecallRequest(agent="engineer", issue=29)
    assert profile.admits(Candidate(observation("a")), asked)
    assert not profile.admits(Candidate(observation("b", agent="reviewer")), asked)
    assert not profile.admits(Candidate(observation("c", issue_number=30)), asked)
    assert profile.admits(Candidate(observation("d", issue_number=30)), RecallRequest())


def test_evolving_weighs_relevance_a_day_of_recency_and_accesses() -> None:
    told = observation("Told often", recall_count=3, days=1)
    scores = ranked("evolving", RecallRequest(), Candidate(told, {"bm25": 0.5}))
    assert scores["Told often"] == pytest.approx(0.4 * 0.5 + 0.3 * exp(-1) + 0.3 * 0.3)


def test_a_timestamp_in_the_future_is_as_new_as_now() -> None:
    ahead = observation("Ahead", days=-5)
    for name in PROFILES:
        assert ranked(name, RecallRequest(), Candidate(ahead)) == ranked(
            name, RecallRequest(), Candidate(ahead), now=NOW + timedelta(days=-5)
        )


def test_memtui_prefers_what_is_relevant_then_the_issue_then_the_recent() -> None:
    asked = RecallRequest(agent="engineer", issue=29, task="windows lock")
    relevant = Candidate(
        observation("Relevant", 1, issue_number=7, days=400, session_id="x"), {"relevance": 1.0}
    )
    close = Candidate(observation("Of the issue, long ago", 2, days=400, session_id=""))
    recent = Candidate(observation("Recent", 3, issue_number=8, session_id="z", agent="tester"))
    far = Candidate(observation("Far", 4, issue_number=8, days=300, session_id="z", agent="a"))
    assert list(ranked("memtui", asked, far, recent, close, relevant)) == [
        "Relevant",
        "Of the issue, long ago",
        "Recent",
        "Far",
    ]


def test_another_rankers_signal_joins_by_a_weight() -> None:
    one, two = observation("One", 1), observation("Two", 2)
    candidates = [Candidate(one, {"semantic": 0.1}), Candidate(two, {"semantic": 0.9})]
    profile = profile_named("memtui", {"semantic": 1.0})
    best = profile.rank(candidates, RecallRequest(), NOW)[0]
    assert best.observation is two
    assert best.factors["semantic"] == pytest.approx(0.9)
    assert (
        "semantic" not in profile_named("memtui").rank(candidates, RecallRequest(), NOW)[0].factors
    )


@pytest.mark.parametrize("profile", PROFILES)
def test_of_equals_the_newest_comes_first_then_the_last_id(profile: str) -> None:
    request = RecallRequest(task="gate")
    held = [
        Candidate(observation(f"Said {n}", n, days=days), {"relevance": 1.0, "bm25": 1.0})
        for n, days in ((5, 2), (1, 1), (3, 2), (4, 3))
    ]
    weights = dict.fromkeys(("recency", "very_recent"), 0.0)
    for order in (held, held[::-1]):
        found = profile_named(profile, weights).rank(order, request, NOW)
        assert [it.observation.content for it in found] == ["Said 1", "Said 5", "Said 3", "Said 4"]
        assert len({round(it.score, 9) for it in found}) == 1


@pytest.mark.parametrize(
    ("profile", "tokens", "within"),
    [("vault", 900, 900), ("vault", 9_000, 2_000), ("vault", 0, 0), ("memtui", 9_000, 9_000)],
)
def test_a_profile_may_have_a_most_of_its_own(profile: str, tokens: int, within: int) -> None:
    limits = Limits(tokens, 70, 80)
    assert PROFILES[profile].within(limits) == Limits(within, 70, 80)


def test_weights_that_are_given_replace_some_of_the_profiles() -> None:
    own = profile_named(None)
    found = profile_named("", {"issue": 7.0, "new": 1.0})
    assert found.weights == {**own.weights, "issue": 7.0, "new": 1.0}
    assert own.weights["issue"] == WEIGHTS["issue"] != 7.0
    assert (found.name, found.layout, found.selects) == (own.name, own.layout, own.selects)
    assert profile_named("agentx", {}) is PROFILES["agentx"]


def test_a_profile_looks_at_others_unless_their_own_alone_is_asked_for() -> None:
    held = [
        observation("ours"),
        observation("of another agent", agent="qa"),
        observation("of another issue", issue_number=7),
    ]
    for request, names in (
        (RecallRequest(agent="engineer", issue=29), "012"),
        (RecallRequest(agent="engineer", issue=29, own=True), "0"),
        (RecallRequest(agent="engineer", own=True), "02"),
        (RecallRequest(issue=29, own=True), "01"),
        (RecallRequest(issue=0, own=True), ""),
        (RecallRequest(own=True), "012"),
    ):
        admitted = [profile_named(None).admits(Candidate(it), request) for it in held]
        assert "".join(str(at) for at, is_in in enumerate(admitted) if is_in) == names


def test_the_score_is_the_sum_of_its_factors() -> None:
    asked = RecallRequest(agent="engineer", issue=29, task="store/locks.py and FileLock")
    candidates = [
        Candidate(observation(f"store/locks.py: FileLock {n}", n, days=n), {"relevance": n / 5})
        for n in range(5)
    ]
    for name, profile in PROFILES.items():
        for it in profile.rank(candidates, asked, NOW):
            assert it.score == pytest.approx(sum(it.factors.values())), name


def test_an_unknown_profile_is_named_with_those_that_exist() -> None:
    with pytest.raises(InvalidObservation, match="nobody") as raised:
        profile_named("nobody")
    assert "agentx" in raised.value.hint
