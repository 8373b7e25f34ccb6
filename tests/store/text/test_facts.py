from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.text.facts import facts_of, has_fact, statements


@pytest.mark.parametrize(
    ("fact", "text"),
    [
        ("The lock waits 30 s.", "Locks wait 30 seconds, then give up."),
        ("Fixed src/lock.py", "fixed /home/ann/src/lock.py by jitter"),
        ("Fixed lock.py", "fixed src/lock.py"),
        ("Calls open_memory", "it calls store.open_memory"),
        ("Use Textual for the app", "for this app we use textual widgets"),
        ("alpha beta gamma delta epsilon", "alpha beta gamma delta"),
        ("", "anything"),
        ("Let's keep orders in SQLite.", "We keep orders in SQLite."),
    ],
)
def test_kept(fact: str, text: str) -> None:
    assert has_fact(facts_of(text), facts_of(fact))


@pytest.mark.parametrize(
    ("fact", "text"),
    [
        ("The lock waits 30 s.", "The lock waits 5 s."),
        ("The lock waits 30 s.", "The lock waits 30 ms."),
        ("Fixed src/lock.py", "fixed lock.py"),
        ("Calls open_memory", "calls it"),
        ("We asked Caroline", "we asked"),
        ("Do not use tabs", "use tabs"),
        ("alpha beta gamma delta", "alpha beta gamma"),
    ],
)
def test_not_kept(fact: str, text: str) -> None:
    assert not has_fact(facts_of(text), facts_of(fact))


def test_statements_are_sentences_bullets_and_blocks() -> None:
    text = (
        "# Head\n- One, e.g. This. Two!\n1. Three\n```\ncode. More\n\n```\ntail v1.2 is. `x` ends"
    )
    assert statements(text) == (
        "# Head",
        "One, e.g. This.",
        "Two!",
        "Three",
        "```\ncode. More\n\n```",
        "tail v1.2 is.",
        "`x` ends",
    )
    assert statements("```\nnever closed") == ("```\nnever closed",)


@given(st.text(max_size=200), st.text(max_size=100))
def test_a_text_keeps_itself_whatever_follows(text: str, more: str) -> None:
    assert has_fact(facts_of(text), facts_of(text))
    assert has_fact(facts_of(f"{text}\n{more}"), facts_of(text))


@given(st.text(alphabet="ab C1./`\n-", max_size=120))
def test_statements_lose_no_word(text: str) -> None:
    assert facts_of(text).words == facts_of("\n".join(statements(text))).words
