"""What a further account of a change says beyond those before it."""

from __future__ import annotations

from store.capture.changes.before import Before
from store.text.content_words import content_words

TOLD = "Writers starved behind readers of the lock"


def _news(account: str, *said: str) -> str:
    return Before({}, [content_words(it) for it in said]).news(account)


def test_an_account_that_says_the_same_again_says_nothing() -> None:
    assert _news(f"{TOLD}.", TOLD) == ""
    assert _news(f"{TOLD}.") == f"{TOLD}."


def test_a_clause_of_three_words_that_were_told_is_no_news_and_one_of_two_is() -> None:
    three, two = "Writers starved readers", "Writers starved"
    assert len(content_words(three)) == 3
    assert _news(f"{three}.", TOLD) == ""
    assert _news(f"{two}.", TOLD) == f"{two}."


def test_what_was_new_is_told_once() -> None:
    before = Before({}, [])
    assert before.news(f"{TOLD}.") == f"{TOLD}."
    assert before.news(f"{TOLD}.") == ""
