from __future__ import annotations

import random

import pytest

from store.text import similarity as similarity_module
from store.text.facts import Facts, facts_of
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


def test_the_threshold_decides() -> None:
    text, held = "Lock files are removed on exit", "Lock files get removed when we exit"
    ratio = similarity(text, held)
    assert near_duplicates([text], [held], threshold=ratio - 1) == [0]
    assert near_duplicates([text], [held], threshold=ratio + 1) == [None]


def test_a_text_is_put_in_order_once_however_many_it_meets(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read: list[str] = []

    def normalise(text: str) -> str:
        read.append(text)
        return text

    monkeypatch.setattr(similarity_module, "normalise", normalise)
    texts = [f"Said for the first time, {number} of 9" for number in range(10)]
    for count, text in enumerate(texts):
        near_duplicates([text], texts[:count])
    assert sorted(read) == texts


def test_blocks_find_the_texts_that_share_rare_words() -> None:
    bags = [frozenset(words.split()) for words in ("a b rare", "a b c", "a d rare", "a b lone")]
    blocks = Blocks(bags)
    for index, bag in enumerate(bags):
        blocks.add(index, bag)
    assert blocks.candidates(frozenset({"rare", "d"}))[0] in (0, 2)
    assert blocks.candidates(frozenset({"lone", "unknown"})) == []
    assert len(blocks.candidates(bags[0], limit=2)) == 2


def test_of_texts_that_share_as_many_rare_words_the_last_filed_come_first() -> None:
    bags = [frozenset(words.split()) for words in ("a b", "a", "b", "a b", "a")]
    blocks = Blocks(bags)
    for index, bag in enumerate(bags):
        blocks.add(index, bag)
    assert blocks.candidates(frozenset({"a", "b"})) == [3, 0, 4, 2, 1]


def test_only_those_that_are_alike_by_their_letters_are_read_closely(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read: list[str] = []

    def reading(text: str) -> Facts:
        read.append(text)
        return facts_of(text)

    chance = random.Random(5)
    words = [f"{chance.choice('bdfglmprst')}o{number}w" for number in range(400)]
    held = [" ".join(chance.sample(words, k=9)) for _ in range(1_000)]
    monkeypatch.setattr(similarity_module, "facts_of", reading)
    assert near_duplicates([held[7], "Nothing of the kind was ever said."], held) == [7, None]
    assert set(read) == {held[7]}
