from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.color import Color
from textual.theme import BUILTIN_THEMES, Theme

from memtui.tui.frame.theme import MEMTUI_THEME, contrast_ratio
from memtui.tui.injection.factors import (
    FACTORS,
    factor_style,
    factor_variables,
    in_order,
    score_bar,
    why,
)
from memtui.tui.injection.gauge import levels
from memtui.tui.widgets.token_gauge import by_category
from memtui.words.sentences import why_included
from store import Observation
from store.recall.baselines import AGENTX_WEIGHTS, EVOLVING_WEIGHTS
from store.recall.factors import WEIGHTS
from store.recall.reasons import Reason, Verdict
from store.recall.values import Recall, ScoredCandidate

THEMES = {MEMTUI_THEME.name: MEMTUI_THEME, **BUILTIN_THEMES}


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


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES.keys())
def test_every_theme_shows_every_factor(theme: Theme) -> None:
    variables = factor_variables(theme)
    assert set(variables) == {f"factor-{name}" for name in [*FACTORS, "other"]}
    if not theme.ansi:
        ground = Color.parse(theme.to_color_system().generate()["background"])
        for name, value in variables.items():
            assert contrast_ratio(Color.parse(value), ground) >= 3, name


def test_what_counts_most_is_told_first_and_what_counts_for_nothing_is_not() -> None:
    factors = {"recency": 0.1, "issue": 0.35, "agent": 0.001, "repeats": -0.5}
    assert why(candidate(factors)) == "this issue, recent"
    assert why(candidate(factors, issue=0)) == "project-wide, recent"
    assert why(candidate({"meaning": 0.4})) == "by a custom ranker"
    assert why(candidate({})) == ""


def test_factors_stand_in_one_order() -> None:
    assert in_order(["zeal", "recency", "relevance", "ardour"]) == [
        "relevance",
        "recency",
        "ardour",
        "zeal",
    ]


def test_a_bar_shows_each_factor_and_what_is_taken_away() -> None:
    assert score_bar({"relevance": 0.5, "recency": 0.5}, 2.0, 8).plain == "━━━━    "
    assert score_bar({"relevance": 1.0, "repeats": -0.5}, 1.0, 8).plain == "━━━━┄┄┄┄"
    assert score_bar({}, 0.0, 3).plain == "   "


@given(
    st.dictionaries(st.sampled_from([*FACTORS, "own"]), st.floats(-2, 2), max_size=8),
    st.floats(0, 4),
    st.integers(0, 40),
)
def test_a_bar_is_always_as_wide_as_its_column(
    factors: dict[str, float], best: float, width: int
) -> None:
    assert score_bar(factors, best, width).cell_length == width


def test_the_gauge_has_the_budget_and_the_channels_limit() -> None:
    recall = Recall(text="x" * 9_000, tokens=1_500, budget=2_000, channel="claude-code")
    budget, channel = levels(recall)
    assert (budget.used, budget.limit, budget.rules) == (1_500, 2_000, False)
    assert (channel.used, channel.limit, channel.unit) == (9_000, 10_000, "characters")
    assert channel.rules
    codex = levels(Recall(text="é" * 4_500, tokens=1_500, budget=2_000, channel="codex"))
    assert [(it.limit, it.unit, it.rules) for it in codex] == [
        (2_000, "tokens", False),
        (10_000, "bytes", True),
    ]
    assert [it.whose for it in levels(Recall(budget=0))] == ["budget"]


def test_packaging_is_what_the_memories_do_not_take() -> None:
    assert by_category(Recall(tokens=100, tokens_by_category={"task": 70})) == {
        "task": 70,
        "packaging": 30,
    }
    assert by_category(Recall(tokens=60, tokens_by_category={"task": 70})) == {"task": 70}


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
