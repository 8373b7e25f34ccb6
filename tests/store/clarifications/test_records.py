"""A clarification as it stands in a ledger, which anybody may have written."""

from __future__ import annotations

from typing import Any

import pytest

from store.clarifications.records import clarification_of, clarification_record
from store.platform.bounds import MAX_DEPTH
from store.records import format_time
from tests.store.clarifications.stage import NOW, asked

RECORD = clarification_record(asked())


@pytest.mark.parametrize("key", ["id", "from", "to", "status"])
@pytest.mark.parametrize("value", [None, "", 7, ["a"], {"a": 1}, True])
def test_without_its_texts_it_is_none_and_the_text_is_named(key: str, value: object) -> None:
    with pytest.raises(ValueError, match=f"^its `{key}` is missing or not a string$"):
        clarification_of({**RECORD, key: value}, 29)


@pytest.mark.parametrize("value", [None, "", 7, "yesterday", ["2026-02-27T10:00:00Z"]])
def test_without_its_date_it_is_none(value: object) -> None:
    with pytest.raises(ValueError, match=r"^its `created` is missing or not a date$"):
        clarification_of({**RECORD, "created": value}, 29)


@pytest.mark.parametrize("value", [None, [], "a", 7])
def test_what_is_no_object_is_none(value: object) -> None:
    with pytest.raises(ValueError, match=r"^not a JSON object$"):
        clarification_of(value, 29)


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({}, (False, 1, 2, 1)),
        ({"blocking": True}, (True, 1, 2, 1)),
        ({"blocking": "yes"}, (False, 1, 2, 1)),
        ({"round": 999, "maxRounds": 1}, (False, 999, 1, 1)),
        ({"round": 1_000, "maxRounds": "5"}, (False, 1, 1, 1)),
        ({"round": 0}, (False, 1, 2, 1)),
        ({"round": True}, (False, 1, 2, 1)),
        ({"thread": "none"}, (False, 1, 2, 0)),
        ({"thread": [{"body": "And?"}, {"body": 7}, "x"]}, (False, 1, 2, 1)),
    ],
)
def test_of_what_else_it_says_what_is_wrong_counts_as_not_said(
    fields: dict[str, Any], told: tuple[bool, int, int, int]
) -> None:
    record = {**RECORD, "maxRounds": 2, **fields}
    it = clarification_of(record, 29)
    assert (it.blocking, it.round, it.max_rounds, len(it.thread)) == told


def test_a_time_that_is_none_is_when_it_was_asked() -> None:
    it = clarification_of({**RECORD, "staleAfter": "soon", "thread": [{"body": "And?"}]}, 29)
    assert (it.stale_after, it.thread[0].timestamp, it.resolved_at) == (NOW, NOW, None)
    assert clarification_of({**RECORD, "resolvedAt": format_time(NOW)}, 29).resolved_at == NOW


def test_one_that_is_a_bomb_is_none() -> None:
    deep: list[Any] = []
    for _ in range(MAX_DEPTH + 1):
        deep = [deep]
    with pytest.raises(ValueError, match="deep"):
        clarification_of({**RECORD, "more": deep}, 29)


@pytest.mark.parametrize(
    ("given", "rounds"),
    [
        ({}, (1, 1)),
        ({"round": 3}, (3, 3)),
        ({"round": 3, "maxRounds": 5}, (3, 5)),
        ({"maxRounds": 5}, (1, 5)),
        ({"round": 0, "maxRounds": "5"}, (1, 1)),
        ({"round": 2, "maxRounds": 1_000}, (2, 2)),
        ({"round": True, "maxRounds": 999}, (1, 999)),
    ],
)
def test_without_a_limit_the_round_that_it_is_in_is_the_last(
    given: dict[str, object], rounds: tuple[int, int]
) -> None:
    record = {"id": "c", "from": "a", "to": "b", "status": "pending", "created": "2026-03-01"}
    it = clarification_of({**record, **given}, 29)
    assert (it.round, it.max_rounds) == rounds
    assert it.stale_after == it.created
