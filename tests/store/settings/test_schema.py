"""The settings: every field has a meaning and a default, and none changes under way."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from store.settings.schema import check_backend, known_settings
from store.settings.values import WrongValue, check_value, value_of


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://joe:secret@host/x",
        "postgresql://joe@host/x?password=secret",
        "postgresql://joe@host/x?sslmode=require&password=secret",
    ],
)
def test_no_password_is_taken_into_settings(url: str) -> None:
    with pytest.raises(ValueError, match="passwords"):
        check_backend(url)
    check_backend(url.replace("password", "passfile").replace(":secret", ""))


# What is told at a glance of a value is what the whole check says of it.

_NAMES = sorted(known_settings())
_PLAIN = st.one_of(
    st.booleans(),
    st.integers(-2, 40_000),
    st.sampled_from([10**7, 10**7 + 1, 10**9, 10**9 + 1, 36_500, 36_501, 10**30]),
    st.floats(),
    st.sampled_from(["", "nord", "vi", "f8,ctrl+d", "true", "7", "semantic", "postgresql://a/b"]),
    st.none(),
)
_KEYS = ["semantic", "episodic", "recency", "fresh", "gemini-cli", "archive", "nothing", ""]
_VALUES = _PLAIN | st.lists(_PLAIN, max_size=2) | st.dictionaries(st.sampled_from(_KEYS), _PLAIN)


@given(st.sampled_from(_NAMES), _VALUES)
def test_pydantic_takes_what_is_taken_without_it(name: str, value: object) -> None:
    info = known_settings()[name]
    if info.is_table or not info.accepts.matches(value):
        return
    assert TypeAdapter(info.accepts.annotation).validate_python(value, strict=True) == value


@pytest.mark.parametrize("name", _NAMES)
def test_defaults_and_examples_are_right(name: str) -> None:
    info = known_settings()[name]
    value = info.example if info.is_table else info.default
    assert check_value(name, value) == value


def test_a_number_of_more_digits_than_are_read_is_not_right() -> None:
    with pytest.raises(WrongValue):
        value_of("stale_archive_after_days", "9" * 5_000)
