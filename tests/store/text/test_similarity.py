from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.text.similarity import is_reordered, near_duplicates


def test_near_duplicates_point_at_the_held_twin() -> None:
    held = ["Use tabs for indentation", "Set the timeout to 30 seconds", "Use tabs for indenting"]
    texts = ["set timeout to the 30 s.", "use tabs for indentation!", "Nothing alike at all"]
    assert near_duplicates(texts, held) == [1, 2, None]
    assert near_duplicates(texts, []) == [None, None, None]
    assert near_duplicates([], held) == []


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("Set the timeout to 5 s", "Set the timeout to 30 s"),
        ("Do not use tabs for indentation", "Use tabs for indentation"),
        ("Use tabs for indentation", "Do not use tabs for indentation"),
        ("Wrapped the call in src/a.py by a lock", "Wrapped the call in src/b.py by a lock"),
        ("Write dates as day, month, year", "Write dates as year, month, day"),
    ],
)
def test_what_says_more_or_the_opposite_is_no_twin(text: str, held: str) -> None:
    assert near_duplicates([text], [held], threshold=50) == [None]


# The order of words: what moves without saying anything else, and what does not.

_SENTENCE = st.lists(st.sampled_from("bcdfghjkmnpq"), min_size=2, max_size=6).map(" ".join)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Write dates as year, month, day", "No, write the dates as day, month, year"),
        ("Use Docker, not Podman", "Use Podman, not Docker"),
        ("Run the linter before the tests", "Run the tests before the linter"),
        ("Migrate from the old index to the new index", "Migrate from the new index to the old"),
        ("Prefer speed over size, measured twice", "Prefer size over speed, measured twice"),
    ],
)
def test_words_that_changed_places_say_something_else(one: str, other: str) -> None:
    assert is_reordered(one, other)
    assert is_reordered(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Fix the lock in src/a.py", "in ./src/a.py: repaired the lock"),
        ("The cache is capped at 7, measured", "Measured: the cache is capped at 7"),
        ("Always run the linter first", "run the linter always first, please"),
        ("Use tabs. Keep lines short.", "Keep lines short. Use tabs."),
        ("Use tabs for indentation", "Use tabs for all indentation here"),
        ("Run the linter. Run the tests too.", "Run the linter."),
        ("Requests a minute at which it closes: 41, we heard", "It closes at 41 requests a minute"),
        ("", "Use tabs"),
        ("tabs", "tabs"),
    ],
)
def test_clauses_and_added_words_say_the_same(one: str, other: str) -> None:
    assert not is_reordered(one, other)
    assert not is_reordered(other, one)


@given(
    st.lists(_SENTENCE, max_size=4).flatmap(lambda it: st.tuples(st.just(it), st.permutations(it)))
)
def test_sentences_may_stand_in_any_order(told: tuple[list[str], list[str]]) -> None:
    assert not is_reordered(". ".join(told[0]), ". ".join(told[1]))
