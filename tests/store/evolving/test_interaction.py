"""Interactions as memories, and memories as one text within a budget."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.evolving.context import (
    EPISODIC,
    SEMANTIC,
    WORKING,
    Recalled,
    format_context,
    importance,
)
from store.evolving.interaction import (
    _EXPIRES,
    Interaction,
    expiry,
    is_working,
    records_of,
    task_of,
    task_tag,
)
from store.model import MAX_CONTENT, MAX_SUMMARY, Layer, layer_of
from store.text.tokens import Family, counter_for
from tests.store.factories import observation

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


@pytest.mark.parametrize(
    ("it", "summary"),
    [
        (
            Interaction("i", "Mend login\nsoon", NOW, response="Done:\nthe clock."),
            "Mend login: Done: the clock.",
        ),
        (Interaction("i", "Mend it.", NOW, response=" \n", outcome="green"), "Mend it. green"),
        (Interaction("i", "Mend login", NOW), "Mend login"),
        (Interaction("i", "q" * 300, NOW), "q" * (MAX_SUMMARY - 1) + "…"),
        (
            Interaction("i", "q" * 300, NOW, response="a" * 300),
            "q" * (MAX_SUMMARY // 2 - 1) + "… " + "a" * (MAX_SUMMARY // 2 - 2) + "…",
        ),
    ],
)
def test_an_episode_is_summed_up_by_what_was_asked_and_what_came_of_it(
    it: Interaction, summary: str
) -> None:
    assert records_of(it, "a1")[0].summary == summary


def test_without_a_task_or_actions_it_is_an_episode_alone() -> None:
    (episode,) = records_of(Interaction("i-1", "Why red?", NOW), "a1")
    did = records_of(Interaction("i-1", "Why red?", NOW, actions=("look",), success=True), "a1")
    assert [it.tags for it in (episode, *did)] == [()] * 3
    assert not is_working(episode, NOW)
    assert episode.extra == {"interactionId": "i-1"}


_TEXTS = st.text(st.characters(exclude_categories=["C", "Z"]), max_size=5_000)


@given(_TEXTS.filter(bool), _TEXTS, st.lists(_TEXTS, max_size=3), _TEXTS)
def test_however_long_it_fits_and_begins_with_what_was_asked(
    query: str, response: str, actions: list[str], outcome: str
) -> None:
    it = Interaction("i", query, NOW, "", response, tuple(actions), outcome, True)
    for record in records_of(it, "a1"):
        assert len(record.content) <= MAX_CONTENT
        assert query[:100].rstrip("…") in record.content


@given(st.integers(MAX_CONTENT, 9_000), st.integers(1, 300), st.integers(1, 300))
def test_of_what_is_too_long_the_longest_part_alone_is_cut_and_no_more_than_it_has_to(
    long: int, short: int, shorter: int
) -> None:
    response, did, outcome = "r" * long, "d" * short, "o" * shorter
    episode, _ = records_of(Interaction("i", "Why?", NOW, "", response, (did,), outcome), "a1")
    query, answer, *rest = episode.content.split("\n")
    assert (query, rest) == ("Why?", [f"Did: {did}", f"Outcome: {outcome}"])
    assert answer.endswith("r…")
    assert len(episode.content) == MAX_CONTENT


def test_importance_is_the_blueprints() -> None:
    assert importance(1.0, NOW, 10, NOW) == 1.0
    assert round(importance(0.0, NOW - timedelta(hours=24), 0, NOW), 4) == 0.1104
    assert importance(0.0, NOW + timedelta(days=1), 5, NOW) == 0.3 + 0.15


_FOUND = st.lists(
    st.builds(
        Recalled,
        st.uuids().map(str),
        st.text(st.characters(exclude_categories=["C"]), min_size=1, max_size=200),
        st.just(NOW),
        st.sampled_from([WORKING, EPISODIC, SEMANTIC]),
        st.floats(0, 1),
    ),
    max_size=12,
)


@given(_FOUND, st.integers(1, 400))
def test_the_budget_holds_and_the_task_comes_first(found: list[Recalled], budget: int) -> None:
    context = format_context(found, budget, ESTIMATE)
    assert context.tokens <= budget
    assert context.tokens == ESTIMATE.count(context.text)
    assert context.truncated == (len(context.ids) < len(found))
    told, out = set(context.ids), [it for it in found if it.id not in context.ids]
    if any(it.section == WORKING for it in out):
        assert all(it.section == WORKING for it in found if it.id in told)


def test_whatever_the_budget_the_least_important_of_what_is_not_the_tasks_is_left_out_first() -> (
    None
):
    made = [(WORKING, 0.3), (WORKING, 0.1), (WORKING, 0.1), (EPISODIC, 0.9), (SEMANTIC, 0.5),
            (EPISODIC, 0.5), (SEMANTIC, 0.2)]  # fmt: skip
    found = [
        Recalled(f"{number}", f"Said of {number} in words", NOW, *kind)
        for number, kind in enumerate(made)
    ]
    numbers = set()
    for budget in range(120):
        context = format_context(found[::-1], budget, ESTIMATE)
        numbers.add(len(context.ids))
        assert context.ids == tuple(it.id for it in found[: len(context.ids)])
        assert context.truncated is (len(context.ids) < len(found))
        assert all((f"Said of {it.id} " in context.text) is (it.id in context.ids) for it in found)
    assert numbers == set(range(len(found) + 1))


def test_the_text_has_the_blueprints_headings() -> None:
    found = [
        Recalled("1", "Use httpx", NOW, SEMANTIC, 0.5),
        Recalled("2", "Login was red", NOW, EPISODIC, 0.9),
        Recalled("3", "Mend login", NOW, WORKING, 0.1),
    ]
    whole = format_context(found, 1_000, ESTIMATE)
    assert whole.text == (
        "## Current Task Context\n- Mend login\n\n"
        "## Relevant Past Interactions\n- [2026-03-01] Login was red\n\n"
        "## Relevant Knowledge\n- Use httpx"
    )
    assert format_context(found, whole.tokens, ESTIMATE) == whole


def test_what_led_nowhere_is_no_procedure() -> None:
    it = Interaction("i-1", "Why red?", NOW, "", "", ("look",), "", None)
    assert len(records_of(it, "a1")) == 1
    assert len(records_of(it._replace(success=False), "a1")) == 2
    assert len(records_of(it._replace(outcome="green"), "a1")) == 2
    assert len(records_of(it._replace(actions=(), outcome="green"), "a1")) == 1


@pytest.mark.parametrize(
    ("outcome", "success", "result"),
    [
        ("", True, "Result: it worked"),
        ("", False, "Result: it failed"),
        (" red ", False, "Result (failed): red"),
        ("green", None, "Result: green"),
    ],
)
def test_a_procedure_says_how_it_ended(outcome: str, success: bool | None, result: str) -> None:
    it = Interaction("i-1", "Why?", NOW, "", "", ("look",), outcome, success)
    told = records_of(it, "a1")[-1]
    assert told.content.splitlines()[-1] == result
    assert told.tags == ()


@pytest.mark.parametrize(
    ("task", "tag"),
    [
        ("T/1", "task-t-1"),
        ("!!", "task-none"),
        ("", "task-none"),
        ("-a-", "task-a"),
        ("a" * 41, f"task-{'a' * 40}"),
    ],
)
def test_a_task_is_found_by_its_tag(task: str, tag: str) -> None:
    assert task_tag(task) == tag


def test_what_ends_at_no_known_time_is_no_working_memory() -> None:
    (episode,) = records_of(Interaction("i-1", "Why red?", NOW, "T/1"), "a1")
    ends = [(expires, expires is not None) for expires in [expiry(episode)]]
    assert ends == [(NOW + timedelta(hours=1), True)]
    for odd in ("2026-03-01T13:00:00", "soon", 7, None):
        one = episode._replace(extra={**episode.extra, _EXPIRES: odd})
        assert expiry(one) is None
        assert not is_working(one, NOW)


def test_a_task_that_is_done_is_no_working_memory() -> None:
    task = observation("Mend the gate", category="task")
    assert is_working(task, NOW)
    assert not is_working(task._replace(tags=("done",)), NOW)
    assert not is_working(task._replace(category="decision"), NOW)
