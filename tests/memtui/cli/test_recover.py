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


def test_where_there_is_none_it_says_so_and_nothing_is_wrong(memtui: Run, project: Path) -> None:
    keep(project)
    shown = memtui("recover", "codex")
    assert (shown.code, shown.out) == (0, "")
    assert "No session of codex ran in the last seven days that could be recovered." in shown.err


def test_programs_get_an_empty_value_where_there_is_none(memtui: Run, project: Path) -> None:
    (project / FOLDER).mkdir(parents=True, exist_ok=True)
    shown = memtui("recover", "--json")
    assert shown.code == 0
    assert json.loads(shown.out) is None


def test_a_name_that_no_agent_has_is_a_mistake(memtui: Run, project: Path) -> None:
    keep(project)
    shown = memtui("recover", "claude-cod")
    assert shown.code == 2
    assert "No session is saved of an agent claude-cod" in shown.err
    assert "Did you mean claude-code?" in shown.err
