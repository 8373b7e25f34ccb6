"""A request says one thing, however it is given."""

from __future__ import annotations

import pytest

from store.errors import InvalidObservation
from store.recall.request import RecallRequest, request_of


def test_fields_are_taken_as_callers_have_them() -> None:
    asked = request_of(task=None, pinned=["a"], channel=None, changed_files=["x.py"])
    assert asked == RecallRequest(pinned=frozenset("a"), changed_files=("x.py",))
    with pytest.raises(InvalidObservation, match="pigeon"):
        request_of(channel="pigeon")


def test_a_session_is_looked_for_by_all_that_says_what_it_is_about() -> None:
    asked = RecallRequest(
        task="Fix it", branch_words=("lock", "wait"), changed_files=("a.py",), commits=("Wait",)
    )
    assert asked.text == "Fix it\nlock wait\na.py\nWait"
    assert RecallRequest().text == ""
