"""What a session was told already, from the lines of the activity log."""

from __future__ import annotations

from typing import Any

from store.recall.already_injected import AlreadyInjected, already_injected


def line(*ids: str, session: str = "s", **more: object) -> dict[str, Any]:
    return {"type": "recalled", "sessionId": session, "observationIds": list(ids), **more}


def test_all_that_a_session_was_told_counts() -> None:
    lines = [line("a", about=["lock"]), line("b", "c"), line("d", session="other")]
    assert already_injected(lines, "s") == AlreadyInjected(frozenset("abc"), frozenset({"lock"}))


def test_a_context_that_begins_anew_forgets_what_was_before() -> None:
    lines = [line("a", about=["lock"]), line("b", afresh=True), line("c")]
    assert already_injected(lines, "s") == AlreadyInjected(frozenset("bc"), frozenset())


def test_other_lines_and_nameless_sessions_say_nothing() -> None:
    lines = [
        {"type": "stored", "sessionId": "s", "observationIds": ["a"]},
        line(session=""),
        {"type": "recalled", "sessionId": "s", "observationIds": "b", "about": 7},
        line("e", 7, ["f"]),  # type: ignore[arg-type]
    ]
    assert already_injected(lines, "s") == AlreadyInjected(frozenset("e"), frozenset())
    assert already_injected([line("a", session="")], "") == AlreadyInjected()
