"""What a session was told already, from the lines of the activity log."""

from __future__ import annotations

from typing import Any

from store.recall.already_injected import Told, told


def line(*ids: str, session: str = "s", **more: object) -> dict[str, Any]:
    return {"type": "recalled", "sessionId": session, "observationIds": list(ids), **more}


def test_all_that_a_session_was_told_counts() -> None:
    lines = [line("a", about=["lock"]), line("b", "c"), line("d", session="other")]
    assert told(lines, "s") == Told(frozenset("abc"), frozenset({"lock"}))


def test_a_context_that_begins_anew_forgets_what_was_before() -> None:
    lines = [line("a", about=["lock"]), line("b", afresh=True), line("c")]
    assert told(lines, "s") == Told(frozenset("bc"), frozenset())


def test_other_lines_and_nameless_sessions_say_nothing() -> None:
    lines = [
        {"type": "stored", "sessionId": "s", "observationIds": ["a"]},
        line(session=""),
        {"type": "recalled", "sessionId": "s", "observationIds": "b", "about": 7},
        line("e"),
    ]
    assert told(lines, "s") == Told(frozenset("e"), frozenset())
    assert told([line("a", session="")], "") == Told()
