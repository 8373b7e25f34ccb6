from __future__ import annotations

from store.model import Category
from tests.store.capture.transcripts import ClaudeCode, contents

_FOUND = (
    "The root cause: `lease.take` in `queue.py:31` was introduced in `dfba5083`, which writes the"
    " lease after it is told. Two workers read the old one in between, so that a job runs twice."
)


def _looked() -> ClaudeCode:
    made = ClaudeCode().user("Why does the queue run a job twice?")
    return (
        made.bash("git log -3", "dfba5083").bash("git show dfba5083", "+ x").bash("ls", "queue.py")
    )


def test_what_was_found_out_without_changing_anything_is_a_fact() -> None:
    assert contents(_looked().agent(_FOUND).plan(), Category.KEY_FACT) == [
        f"{_FOUND}\nAsked: Why does the queue run a job twice?"
    ]


def test_neither_a_thought_nor_what_led_to_a_change_is_a_finding() -> None:
    thought = _looked().agent(f"Wait, that is not it. {_FOUND}")
    assert not contents(thought.plan(), Category.KEY_FACT)
    changed = _looked().edit("queue.py").agent(_FOUND)
    assert not contents(changed.plan(), Category.KEY_FACT)


def test_a_request_that_gives_its_reasons_settles_them() -> None:
    asked = "write into the manual that the warning is only switched off by a flag because:\n"
    reasons = "1. the first setup stays short\n2. a flag can be counted"
    made = (
        ClaudeCode().user(asked + reasons).agent("Here is the text for the manual, as you asked.")
    )
    (decision,) = contents(made.plan(), Category.DECISION)
    assert "only switched off by a flag because" in decision and "can be counted" in decision
