"""Interactions as memories, and memories as one text within a budget."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from store.evolving.context import Retrieved, format_context
from store.evolving.interaction import Interaction, expiry, is_working, records_of, task_of
from store.model import Layer, Observation, layer_of
from store.text.tokens import Family, counter_for

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
ESTIMATE = counter_for(Family.GPT, exactly=False)


def test_an_interaction_is_an_episode_and_what_was_done_a_procedure() -> None:
    it = Interaction("i-1", "Why red?", NOW, "T/1", "The lock.", ("look", "mend"), "green", True)
    episode, procedure = records_of(it, "a1")
    assert layer_of(episode.category) is Layer.EPISODIC
    assert episode.content == "Why red?\nAnswer: The lock.\nDid: look; mend\nOutcome: green"
    assert episode.summary == "Why red? The lock."
    assert layer_of(procedure.category) is Layer.PROCEDURAL
    assert procedure.content == "Why red?\nDid: look; mend\nResult: green"
    assert procedure.extra["actions"] == ["look", "mend"]
    assert (procedure.extra["outcome"], procedure.extra["success"]) == ("green", True)
    assert procedure.summary == "Why red? Did: look; mend. Result: green"
    assert (task_of(episode), episode.tags, procedure.tags) == ("T/1", *[("task-t-1",)] * 2)
    assert expiry(episode) == NOW + timedelta(hours=1)
    assert is_working(episode, NOW + timedelta(minutes=59))
    assert not is_working(episode, NOW + timedelta(hours=1))


def _retrieved(identifier: str, summary: str, layer: Layer, importance: float) -> Retrieved:
    found = Observation("a1", 0, "lesson", "", id=identifier, summary=summary, timestamp=NOW)
    return Retrieved(found, layer, 1.0, importance)


_FOUND = st.lists(
    st.builds(
        _retrieved,
        st.uuids().map(str),
        st.text(st.characters(exclude_categories=["C"]), min_size=1, max_size=200),
        st.sampled_from([Layer.WORKING, Layer.EPISODIC, Layer.SEMANTIC, Layer.PROCEDURAL]),
        st.floats(0, 1),
    ),
    max_size=12,
)


@settings(max_examples=10)
@given(_FOUND, st.integers(1, 400))
def test_the_budget_holds_and_the_task_comes_first(found: list[Retrieved], budget: int) -> None:
    context = format_context(found, budget, ESTIMATE)
    assert context.tokens <= budget
    assert context.tokens == ESTIMATE.count(context.text)
    assert context.truncated == (len(context.ids) < len(found))
    told = [item.layer for item in found if item.observation.id in context.ids]
    left_out = [item.layer for item in found if item.observation.id not in context.ids]
    if Layer.WORKING in left_out:
        assert set(told) <= {Layer.WORKING}


def test_what_led_nowhere_is_no_procedure() -> None:
    it = Interaction("i-1", "Why red?", NOW, "", "", ("look",), "", None)
    assert len(records_of(it, "a1")) == 1
    assert len(records_of(it._replace(success=False), "a1")) == 2
    assert len(records_of(it._replace(outcome="green"), "a1")) == 2
    assert len(records_of(it._replace(actions=(), outcome="green"), "a1")) == 1
