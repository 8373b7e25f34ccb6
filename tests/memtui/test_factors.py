from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from memtui.tui.injection.factors import (
    FACTORS,
    factor_style,
    score_bar,
)
from memtui.words.sentences import why_included
from store import Observation
from store.recall.baselines import AGENTX_WEIGHTS, EVOLVING_WEIGHTS
from store.recall.factors import WEIGHTS
from store.recall.reasons import Reason, Verdict
from store.recall.values import ScoredCandidate


def candidate(factors: dict[str, float], issue: int = 29) -> ScoredCandidate:
    seen = Observation(
        agent="engineer",
        issue_number=issue,
        category="decision",
        content="Keep it.",
        id="obs-1",
        timestamp=datetime(2026, 3, 1, tzinfo=UTC),
    )
    return ScoredCandidate(seen, sum(factors.values()), factors, True, Reason(Verdict.RELEVANT))


def test_every_factor_of_every_profile_has_a_colour_and_words() -> None:
    assert {*WEIGHTS, *AGENTX_WEIGHTS, *EVOLVING_WEIGHTS} <= set(FACTORS)
    assert all(factor.why for factor in FACTORS.values())
    assert factor_style("meaning") == "$factor-other"


@given(
    st.dictionaries(st.sampled_from([*FACTORS, "own"]), st.floats(-2, 2), max_size=8),
    st.floats(0, 4),
    st.integers(0, 40),
)
def test_a_bar_is_always_as_wide_as_its_column(
    factors: dict[str, float], best: float, width: int
) -> None:
    assert score_bar(factors, best, width).cell_length == width


def test_every_verdict_has_words() -> None:
    told = {
        verdict: why_included(
            candidate({"issue": 0.3})._replace(reason=Reason(verdict, "a1b2c3", 68, 12))
        )
        for verdict in Verdict
    }
    assert all(told.values()) and len(set(told.values())) == len(Verdict)
    assert told[Verdict.RELEVANT] == "issue"
    assert told[Verdict.TOO_LONG] == "needs 68 tokens, 12 left"
    by_bytes = Reason(Verdict.TOO_LONG, needs=1_200, left=261, unit="bytes")
    assert why_included(candidate({})._replace(reason=by_bytes)) == "needs 1,200 bytes, 261 left"
    assert told[Verdict.REPEATED] == "said better by a1b2c3, which is newer"
