"""A request says one thing, however it is given."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from store import open_memory
from store.errors import InvalidObservation
from store.recall.request import RecallRequest, request_of
from tests.store.factories import NOW
from tests.store.recall.makers import observation


def test_a_request_and_its_fields_come_to_the_same_recall(tmp_path: Path) -> None:
    with open_memory(tmp_path / "memory", cache=tmp_path / "cache") as memory:
        memory.store([observation("The lock waits.", agent="engineer", issue_number=29)])
        asked = RecallRequest("engineer", 29, "lock", 900, channel="codex")
        by_value = memory.recall.plan(asked, now=NOW)
        by_name = memory.recall.plan(
            "engineer", 29, now=NOW, task="lock", budget=900, channel="codex"
        )
    assert by_value.text == by_name.text != ""
    assert (by_value.budget, by_value.channel) == (900, "codex")
    assert replace(by_value, took=by_name.took) == by_name


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
