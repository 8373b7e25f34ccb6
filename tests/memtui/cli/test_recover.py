"""`memtui sessions last`, earlier `memtui recover`: the last messages of the last session."""

from __future__ import annotations

import json
from pathlib import Path

from store import open_memory
from store.backends.location import FOLDER
from tests.memtui.cli.conftest import ESCAPES, Run

SAID = [
    {"role": "user", "text": f"Make the lock wait. {ESCAPES}"},
    {"role": "agent", "text": "I look."},
]


def keep(project: Path) -> None:
    with open_memory(project / FOLDER) as memory:
        memory.continuation.checkpoint(
            "claude-code", SAID, "chat-1", "opus", branch="main", left_open=("Test it.",)
        )


def test_it_shows_what_was_said_last_and_how_to_go_on(memtui: Run, project: Path) -> None:
    keep(project)
    shown = memtui("sessions", "last", "claude-code")
    assert shown.code == 0
    assert "[user]: Make the lock wait." in shown.out
    assert "open: Test it." in shown.out
    assert "\x1b[31m" not in shown.out
    assert "claude --resume chat-1" in shown.err


def test_programs_get_the_fields_of_a_checkpoint(memtui: Run, project: Path) -> None:
    keep(project)
    found = json.loads(memtui("recover", "--json").out)
    assert list(found) == [
        *("agentId", "savedAt", "messages", "chatId", "modelId", "branch", "open", "ended")
    ]
    assert found["messages"][1] == {"role": "agent", "text": "I look."}
