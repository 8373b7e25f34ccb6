"""Fields of a record as a person writes them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memtui.words.fields import field_in_words, field_name

NOW = datetime(2026, 3, 2, 15, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("main", "main"),
        ("5a6d12f" + "0" * 33, "5a6d12f"),
        ("2026-03-02T14:02:00.000Z", "today 14:02"),
        ("2026-03-01T14:02:00+01:00", "2026-03-01 13:02"),
        ("2026-99-99T14:02:00Z", "2026-99-99T14:02:00Z"),
        ("2026-03-02", "2026-03-02"),
        (True, "yes"),
        (False, "no"),
        (3, "3"),
        (["auth", "löck"], "auth, löck"),
        ([{"a": 1}], '[{"a": 1}]'),
        ({"calm": True}, '{"calm": true}'),
        ({1}, "{1}"),
    ],
)
def test_values(value: object, words: str) -> None:
    assert field_in_words(value, NOW) == words


def test_names() -> None:
    assert [field_name(key) for key in ("editedAt", "branch")] == ["edited", "branch"]
