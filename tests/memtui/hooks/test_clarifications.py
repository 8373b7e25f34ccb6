"""A session is told what its agent was asked and answered; what is late is done by hooks."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memtui.hooks import next_session as module
from memtui.hooks.call import HookInput
from memtui.hooks.next_session import next_session, request_at_start
from memtui.hooks.run import run_hook
from memtui.hooks.surroundings import Surroundings
from store import open_memory
from store.agents.client import Client
from store.agents.registry import clients
from store.backends.location import FOLDER
from store.clarifications.rules import Question

ASKED = Question("engineer", "architect", "API contract", "Which status?", blocking=True)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("MEMTUI_DIR", raising=False)
    monkeypatch.setattr(module, "surroundings_of", lambda root, branch: Surroundings())
    root = tmp_path / "shop"
    (root / ".git").mkdir(parents=True)
    (root / ".git" / "HEAD").write_text("ref: refs/heads/29-api\n")
    return root


def _start(project: Path, agent: str, source: str = "startup") -> str:
    session = HookInput(session_id=agent, folder=str(project), agent_type=agent, source=source)
    return run_hook("session-start", session, "claude-code", {}, project.parent)


@pytest.mark.parametrize("source", ["startup", "resume", "compact"])
def test_a_session_starts_with_what_it_was_asked_and_answered(project: Path, source: str) -> None:
    with open_memory(project / FOLDER) as memory:
        asked = memory.clarifications.ask(29, ASKED)
    told = _start(project, "architect", source=source)
    assert "engineer (blocked until you answer) asks you on #29: Which status?" in told
    assert f"memtui clarify answer {asked.id} --from architect" in told
    assert "You wait for architect on CLR-29-001" in _start(project, "engineer", source=source)
    assert "CLR-29" not in _start(project, "reviewer", source=source)
    with open_memory(project / FOLDER) as memory:
        memory.clarifications.answer(asked.id, "architect", "404 for a missing record.")
    told = _start(project, "engineer", source=source)
    assert "architect answered CLR-29-001 (API contract): 404 for a missing record." in told
    assert "CLR-29" not in _start(project, "architect", source=source)


def test_hooks_ask_late_questions_again_and_the_preview_says_so_before(project: Path) -> None:
    late = datetime.now(UTC) - timedelta(minutes=62)
    with open_memory(project / FOLDER, clock=lambda: late) as memory:
        memory.clarifications.ask(29, ASKED)
    session = next_session("claude-code", project, {}, agent="engineer")
    with open_memory(project / FOLDER, clock=lambda: late + timedelta(minutes=31)) as memory:
        memory.clarifications.watch()
    with open_memory(project / FOLDER) as memory:
        assert memory.clarifications.read(29).clarifications[0].status == "stale"
        preview = memory.recall.plan(request_at_start(memory, session)).text.rstrip()
    assert _start(project, "engineer") == preview
    assert "You wait for a person on CLR-29-001" in preview
    with open_memory(project / FOLDER) as memory:
        assert memory.clarifications.read(29).clarifications[0].status == "escalated"


HOOKED = [client for client in clients() if client.hooks is not None]


@pytest.mark.parametrize(
    ("client", "agent_type", "variable", "is_told"),
    [
        *((client, "", "architect", True) for client in HOOKED),
        (HOOKED[0], "", "", False),
        (HOOKED[0], "architect", "reviewer", True),
        (HOOKED[0], "reviewer", "architect", False),
        (HOOKED[0], "", " architect ", True),
    ],
)
def test_every_client_s_session_is_that_of_the_agent_that_is_named(
    project: Path, client: Client, agent_type: str, variable: str, is_told: bool
) -> None:
    """By the client itself, else by the variable of its shell, else it is the client's own."""
    with open_memory(project / FOLDER) as memory:
        memory.clarifications.ask(29, ASKED)
    assert client.hooks is not None
    hook = "user-prompt" if client.hooks.starts_with_prompt else "session-start"
    assert hook in {event.name for event in client.hooks.events}
    given = HookInput(
        session_id="s1",
        folder=str(project),
        agent_type=agent_type,
        source="startup",
        prompt="Go on with the API",
    )
    environ = {"MEMTUI_AGENT": variable} if variable else {}
    told = run_hook(hook, given, client.name, environ, project.parent)
    assert ("engineer (blocked until you answer) asks you on #29" in told) is is_told
