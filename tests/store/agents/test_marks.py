"""What memory knows a tool call by: the same whenever it is read, and never that of another."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from store.agents.reading import read_session
from store.agents.session import Session
from store.capture.plan import plan_capture
from store.settings.schema import Settings
from tests.store.factories import observation


def _chat_of_aider(day: int, path: str) -> bytes:
    return (
        f"# aider chat started at 2026-04-0{day} 08:00:00\n\n#### Mend {path}  \n\n{path}\n```\n"
        "<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n```\n"
        f"> Applied edit to {path}  \n#### !make  \n> done  \n"
    ).encode()


def _task_of_cline(day: int, path: str) -> bytes:
    asked = f"<task>Mend {path}</task>\n# Current Time\n4/{day}/2026"
    edit = f"I do.\n<write_to_file><path>{path}</path><content>y</content></write_to_file>"
    told = (("user", asked), ("assistant", edit), ("user", "[write_to_file] Result: saved"))
    messages = [{"role": role, "content": [{"type": "text", "text": it}]} for role, it in told]
    return json.dumps(messages).encode()


def _read(text: bytes) -> Session:
    return read_session(text.splitlines(keepends=True), session_id=f"s-{len(text)}")


@pytest.mark.parametrize("made", [_chat_of_aider, _task_of_cline])
def test_marks_of_changes_in_two_sessions(made: Callable[[int, str], bytes]) -> None:
    first, second = _read(made(1, "tax.py")), _read(made(2, "tip.py"))
    now = datetime(2026, 4, 5, tzinfo=UTC)

    def plan(session: Session, *marks: str) -> list[str]:
        held = [observation("The tax is rounded once.", sources=marks)]
        found = plan_capture(session, issue=0, held=held, now=now, settings=Settings())
        return [it.reason.kind for it in found.skipped]

    marks = first.marks(first.steps)
    assert "captured-before" in plan(first, *marks)
    assert "captured-before" not in plan(second, *marks)
