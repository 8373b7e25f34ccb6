"""The words that mean the same."""

from __future__ import annotations

from store.text.vocabulary import ABBREVIATIONS


def test_an_abbreviation_is_made_of_letters_of_its_word_in_their_order() -> None:
    for short, word in ABBREVIATIONS.items():
        letters = iter(word)
        assert all(letter in letters for letter in short.removesuffix("s")), short
        assert len(word) > len(short) and word.isalpha(), short
