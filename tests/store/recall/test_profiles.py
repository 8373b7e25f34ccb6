"""The profiles rank as their documents say: worked examples."""

from __future__ import annotations

from datetime import datetime

import pytest

from store.errors import InvalidObservation
from store.recall.profiles import PROFILES, profile_named
from store.recall.request import RecallRequest
from store.recall.values import Candidate
from tests.store.recall.makers import NOW, observation


def ranked(
    profile: str, request: RecallRequest, *candidates: Candidate, now: datetime = NOW
) -> dict[str, float]:
    """Scores by content, in the order of the ranking."""
    ranking = PROFILES[profile].rank(candidates, request, now)
    return {it.observation.content: it.score for it in ranking}


def test_memtui_prefers_what_is_relevant_then_the_recent() -> None:
    asked = RecallRequest(agent="engineer", issue=29, task="windows lock")
    relevant = Candidate(
        observation("Relevant", 1, issue_number=7, days=400, session_id="x"), {"relevance": 1.0}
    )
    recent = Candidate(observation("Recent", 3, issue_number=8, session_id="z", agent="tester"))
    far = Candidate(observation("Far", 4, issue_number=8, days=300, session_id="z", agent="a"))
    found = list(ranked("memtui", asked, far, recent, relevant))
    assert found == ["Relevant", "Recent", "Far"]


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


def test_an_unknown_profile_is_named_with_those_that_exist() -> None:
    with pytest.raises(InvalidObservation, match="nobody") as raised:
        profile_named("nobody")
    assert "agentx" in raised.value.hint
