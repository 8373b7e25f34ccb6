from __future__ import annotations

import pytest

from store.text.similarity import Blocks, near_duplicates, similarity


def test_similarity_ignores_order_and_spelling() -> None:
    assert similarity("Fix the lock in src/a.py", "in ./src/a.py: repaired the lock") > 90
    assert similarity("Fix the lock", "Paint the fence green") < 60
    assert similarity("same", "same") == 100


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


def test_blocks_find_the_texts_that_share_rare_words() -> None:
    bags = [frozenset(words.split()) for words in ("a b rare", "a b c", "a d rare", "a b lone")]
    blocks = Blocks(bags)
    assert [blocks.meet(index, bag) for index, bag in enumerate(bags)] == [
        [],
        [0],
        [0, 1],
        [1, 0, 2],
    ]
