"""Interactions as memories, and memories as one text within a budget."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from store.evolving.interaction import Interaction, expiry, is_working, records_of, task_of
from store.model import Layer, layer_of

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


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


def test_what_led_nowhere_is_no_procedure() -> None:
    it = Interaction("i-1", "Why red?", NOW, "", "", ("look",), "", None)
    assert len(records_of(it, "a1")) == 1
    assert len(records_of(it._replace(success=False), "a1")) == 2
    assert len(records_of(it._replace(outcome="green"), "a1")) == 2
    assert len(records_of(it._replace(actions=(), outcome="green"), "a1")) == 1
