"""At a session's end a program picks the memories, beside the hook."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from memtui.hooks import run as running
from memtui.hooks.call import DUTIES, HookInput
from memtui.hooks.run import run_hook
from store import open_memory
from store.agents.registry import NAMES, client_named
from tests.store.capture.transcripts import ClaudeCode
from tests.store.factories import logged, observation
from tests.store.language_model.programs import answering, failing

SAID = {"category": "decision", "text": "The lock is kept short; writers retry.", "from": [2]}
MEMORY = Path(".agentx") / "memory"


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a transcript beside it, and settings that name a program."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("MEMTUI_CAPTURE_PROGRAM", answering(SAID))
    root = tmp_path / "shop"
    (root / MEMORY).mkdir(parents=True)
    made = ClaudeCode(cwd=str(root)).user("Always keep the lock short.")
    made.agent("Then writers retry.").edit("store/lock.py")
    (tmp_path / "s-1.jsonl").write_text("\n".join(made.lines))
    return root


def call(hook: str, shop: Path, client: str = "claude-code", **more: str) -> None:
    fields = {
        "session_id": "s-1",
        "cwd": str(shop),
        "transcript_path": str(shop.parent / "s-1.jsonl"),
        **more,
    }
    given = HookInput(
        session_id="s-1",
        folder=str(shop),
        transcript_path=fields["transcript_path"],
        agent_transcript_path=fields["transcript_path"],
        summary=more.get("compact_summary", ""),
        fields=fields,
    )
    run_hook(hook, given, client, dict(os.environ), shop.parent / "home")


def contents(shop: Path) -> list[str]:
    with open_memory(shop / MEMORY) as memory:
        return [it.content for it in memory.by_issue(29)]


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    found: list[str] = []
    monkeypatch.setattr(running, "start_asking", lambda call, _: found.append(call.hook))
    return found


def test_it_is_asked_once_when_the_session_ends(shop: Path, started: list[str]) -> None:
    for hook in (name for name in DUTIES if DUTIES[name].captures and name != "subagent-stop"):
        call(hook, shop, compact_summary="## Decisions\n- Locks are short, always and everywhere.")
    assert started == ["session-end"]
    assert contents(shop) == []


@pytest.mark.parametrize(
    ("hook", "client", "program"),
    [
        ("stop", "opencode", answering(SAID)),
        ("subagent-stop", "claude-code", answering(SAID)),
        ("session-end", "claude-code", ""),
    ],
)
def test_rules_pick_where_no_end_is_told_of_a_helper_s_work_and_without_a_program(
    shop: Path,
    started: list[str],
    monkeypatch: pytest.MonkeyPatch,
    hook: str,
    client: str,
    program: str,
) -> None:
    monkeypatch.setenv("MEMTUI_CAPTURE_PROGRAM", program)
    call(hook, shop, client)
    assert started == []
    assert any(it.startswith("Always keep the lock short.") for it in contents(shop))


def end_of(pid: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    found: list[int] = []
    spawn = os.posix_spawn

    def started(*args: object, **more: object) -> int:
        found.append(spawn(*args, **more))  # type: ignore[arg-type]
        return found[-1]

    monkeypatch.setattr(os, "posix_spawn", started)
    return found


def test_the_process_captures_what_the_program_picks(shop: Path, processes: list[int]) -> None:
    call("session-end", shop)
    assert [end_of(pid) for pid in processes] == [0]
    assert contents(shop) == [SAID["text"]]


def test_where_the_program_fails_rules_pick_and_it_is_logged(
    shop: Path, processes: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMTUI_CAPTURE_PROGRAM", failing("Log in first."))
    call("session-end", shop)
    assert [end_of(pid) for pid in processes] == [0]
    assert any(it.startswith("Always keep the lock short.") for it in contents(shop))
    assert "Log in first." in json.dumps(logged(shop / MEMORY))


@pytest.mark.parametrize("client", [name for name in NAMES if client_named(name).asked_by])
def test_hooks_are_silent_in_a_client_that_is_asked(
    shop: Path, tmp_path: Path, started: list[str], monkeypatch: pytest.MonkeyPatch, client: str
) -> None:
    with open_memory(shop / MEMORY) as memory:
        memory.store([observation(content="Locks are short.", pinned=True)])
    before = {path: path.read_bytes() for path in (shop / MEMORY).rglob("*") if path.is_file()}
    monkeypatch.setenv("MEMTUI_DIR", str(shop / MEMORY))
    monkeypatch.setenv("MEMTUI_ENABLED", "false")
    elsewhere = tmp_path / "empty"
    elsewhere.mkdir()
    transcript = str(shop.parent / "s-1.jsonl")
    for hook in ("session-start", "user-prompt", "stop", "session-end"):
        given = HookInput(
            session_id="s-9",
            folder=str(elsewhere),
            transcript_path=transcript,
            prompt="Locks?",
            fields={},
        )
        assert run_hook(hook, given, client, dict(os.environ), shop.parent / "home") == ""
    after = {path: path.read_bytes() for path in (shop / MEMORY).rglob("*") if path.is_file()}
    assert (started, list(elsewhere.iterdir()), after) == ([], [], before)
