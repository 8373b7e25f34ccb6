"""What the text of a hook is built of, with what was asked meanwhile."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memtui.hooks import background
from memtui.hooks import next_session as module
from memtui.hooks import run as running
from memtui.hooks.background import index, start_indexing
from memtui.hooks.call import HookInput
from memtui.hooks.next_session import next_session, request_at_start
from memtui.hooks.run import run_hook
from memtui.hooks.surroundings import Surroundings
from store import open_memory
from store.agents.client import Client
from store.agents.registry import clients
from store.backends.location import FOLDER
from store.clarifications.rules import Question
from store.model import Observation

MEMORY = Path(".agentx") / "memory"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project whose memory holds a fact in each of three issues, the newest in the last."""
    root = tmp_path / "project"
    with open_memory(root / MEMORY, cache=tmp_path / "elsewhere") as memory:
        for issue in (1, 2, 3):
            fact = Observation(
                agent="engineer",
                issue_number=issue,
                category="decision",
                content=f"Never drop lock {issue}",
            )
            memory.store([fact])
            os.utime(memory.path / f"issue-{issue}.json", ns=(issue * 10**18, issue * 10**18))
    return root


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The memories for which a build would have been started."""
    asked: list[Path] = []
    monkeypatch.setattr("memtui.hooks.run.start_indexing", asked.append)
    return asked


def _told(root: Path) -> str:
    given = HookInput(session_id="s", folder=str(root), source="startup")
    return run_hook("session-start", given, "claude-code", {}, root.parent / "home")


def test_a_small_change_is_indexed_by_the_hook_itself(project: Path, started: list[Path]) -> None:
    assert "lock 1" in _told(project)
    assert started == []


def test_without_an_index_the_newest_files_answer_and_a_build_starts(
    project: Path, started: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    size = (project / MEMORY / "issue-3.json").stat().st_size
    monkeypatch.setattr(running, "_AT_ONCE", size + 10)
    text = _told(project)
    assert "lock 3" in text
    assert "lock 1" not in text
    assert started == [project / MEMORY]


def test_an_index_answers_as_it_was_left_where_too_much_changed(
    project: Path, started: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_memory(project / MEMORY) as memory:
        memory.index.refresh()
    path = project / MEMORY / "issue-1.json"
    path.write_bytes(path.read_bytes().replace(b"lock 1", b"gate 1"))
    monkeypatch.setattr(running, "_AT_ONCE", 10)
    text = _told(project)
    assert "lock 1" in text
    assert "gate 1" not in text
    assert started == [project / MEMORY]


def test_a_build_brings_index_and_manifest_in_step(project: Path) -> None:
    memory = project / MEMORY
    (memory / "manifest.json").unlink()
    index(memory)
    assert (memory / "manifest.json").exists()
    with open_memory(memory) as opened:
        assert opened.index.refresh_quickly(0)


def test_what_is_written_after_a_quick_look_is_found(project: Path) -> None:
    memory = project / MEMORY
    index(memory)
    with open_memory(memory) as opened:
        assert opened.index.refresh_quickly(0)
        opened.store([Observation("engineer", 4, "decision", "The journal is kept thirty days.")])
        assert opened.search("journal").total == 1


def test_one_build_at_a_time_ends_by_itself(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    children: list[int] = []
    spawn = os.posix_spawn

    def watched(*given: Any, **named: Any) -> int:  # noqa: ANN401
        children.append(spawn(*given, **named))
        return children[-1]

    monkeypatch.setattr(os, "posix_spawn", watched)
    assert start_indexing(project / MEMORY)
    assert not start_indexing(project / MEMORY)
    (child,) = children
    _, status = os.waitpid(child, 0)
    assert status == 0
    with open_memory(project / MEMORY) as opened:
        assert opened.index.refresh_quickly(0)
    monkeypatch.setattr(background, "_PAUSE", 0.0)
    assert start_indexing(project / MEMORY)
    os.waitpid(children[1], 0)


# A session is told what its agent was asked and answered; what is late is done by hooks.


ASKED = Question("engineer", "architect", "API contract", "Which status?", blocking=True)


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("MEMTUI_DIR", raising=False)
    monkeypatch.setattr(module, "surroundings_of", lambda root, branch: Surroundings())
    root = tmp_path / "shop"
    (root / ".git").mkdir(parents=True)
    (root / ".git" / "HEAD").write_text("ref: refs/heads/29-api\n")
    return root


def _start(shop: Path, agent: str, source: str = "startup") -> str:
    session = HookInput(session_id=agent, folder=str(shop), agent_type=agent, source=source)
    return run_hook("session-start", session, "claude-code", {}, shop.parent)


@pytest.mark.parametrize("source", ["startup", "resume", "compact"])
def test_a_session_starts_with_what_it_was_asked_and_answered(shop: Path, source: str) -> None:
    with open_memory(shop / FOLDER) as memory:
        asked = memory.clarifications.ask(29, ASKED)
    told = _start(shop, "architect", source=source)
    assert "engineer (blocked until you answer) asks you on #29: Which status?" in told
    assert f"memtui clarify answer {asked.id} --from architect" in told
    assert "You wait for architect on CLR-29-001" in _start(shop, "engineer", source=source)
    assert "CLR-29" not in _start(shop, "reviewer", source=source)
    with open_memory(shop / FOLDER) as memory:
        memory.clarifications.answer(asked.id, "architect", "404 for a missing record.")
    told = _start(shop, "engineer", source=source)
    assert "architect answered CLR-29-001 (API contract): 404 for a missing record." in told
    assert "CLR-29" not in _start(shop, "architect", source=source)


def test_hooks_ask_late_questions_again_and_the_preview_says_so_before(shop: Path) -> None:
    late = datetime.now(UTC) - timedelta(minutes=62)
    with open_memory(shop / FOLDER, clock=lambda: late) as memory:
        memory.clarifications.ask(29, ASKED)
    session = next_session("claude-code", shop, {}, agent="engineer")
    with open_memory(shop / FOLDER, clock=lambda: late + timedelta(minutes=31)) as memory:
        memory.clarifications.watch()
    with open_memory(shop / FOLDER) as memory:
        assert memory.clarifications.read(29).clarifications[0].status == "stale"
        preview = memory.recall.plan(request_at_start(memory, session)).text.rstrip()
    assert _start(shop, "engineer") == preview
    assert "You wait for a person on CLR-29-001" in preview
    with open_memory(shop / FOLDER) as memory:
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
    shop: Path, client: Client, agent_type: str, variable: str, is_told: bool
) -> None:
    """By the client itself, else by the variable of its shell, else it is the client's own."""
    with open_memory(shop / FOLDER) as memory:
        memory.clarifications.ask(29, ASKED)
    assert client.hooks is not None
    hook = "user-prompt" if client.hooks.starts_with_prompt else "session-start"
    assert hook in {event.name for event in client.hooks.events}
    given = HookInput(
        session_id="s1",
        folder=str(shop),
        agent_type=agent_type,
        source="startup",
        prompt="Go on with the API",
    )
    environ = {"MEMTUI_AGENT": variable} if variable else {}
    told = run_hook(hook, given, client.name, environ, shop.parent)
    assert ("engineer (blocked until you answer) asks you on #29" in told) is is_told
