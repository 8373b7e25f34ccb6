"""What a memory is from, in words."""

from __future__ import annotations

from memtui.words.origins import finder_of, messages_of
from store.model import FINDER


def test_the_messages_that_a_memory_rests_on_are_named_by_session() -> None:
    sources = ("session:s-1#12", "tool:t1", "session:s-1#15", "session:a#b#3", "obs-1", "session:")
    assert messages_of(sources) == ("messages 12, 15 of s-1", "message 3 of a#b")


def test_a_finder_is_named_and_an_unknown_one_by_its_own_name() -> None:
    assert finder_of({FINDER: "model"}) == "language model"
    assert finder_of({FINDER: "oracle"}) == "oracle"
    assert finder_of({}) == finder_of({FINDER: 3}) == ""
