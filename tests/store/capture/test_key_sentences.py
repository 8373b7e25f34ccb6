"""The sentences of messages that name most of what was done."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.capture.key_sentences import key_sentences, words_in

WORDS = words_in(["/srv/shop/lock.py", "def wait(self): time.sleep(WAIT_SECONDS)"])


@pytest.mark.parametrize(
    ("parts", "kept"),
    [
        (["I looked around here.", "`WAIT_SECONDS` was 30."], "`WAIT_SECONDS` was 30."),
        # The one with more names comes first, and both stand in their order.
        (
            ["It sleeps in `wait`.", "Set `WAIT_SECONDS` in lock.py:12"],
            "It sleeps in `wait`. Set `WAIT_SECONDS` in lock.py:12",
        ),
        # What follows it is told, too, but not what another message begins with.
        (
            ["`wait()` polls.", "A scanner holds it.", "", "Now the tests run."],
            "`wait()` polls. A scanner holds it.",
        ),
        (["- `wait()`", "a lock"], "- `wait()`; a lock"),
        (["Nothing is named in this.", "PR 3030 is open."], ""),
        (["`Wait` is another word."], ""),
    ],
)
def test_which_are_kept(parts: list[str], kept: str) -> None:
    assert key_sentences(parts, WORDS, 200) == kept


@given(st.lists(st.text(alphabet="ab `._()", max_size=30)), st.integers(0, 80))
def test_never_longer_than_it_may_be(parts: list[str], limit: int) -> None:
    assert len(key_sentences(parts, words_in(["a.b a_b", "ab()"]), limit)) <= limit
