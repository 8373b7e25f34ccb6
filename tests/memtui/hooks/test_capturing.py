from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.hooks.call import HookCall, HookInput, parse_input
from memtui.hooks.capture import capture_session, record_compaction
from store import Memory
from store.agents.client import Home
from store.agents.registry import client_named
from store.capture.plan import CapturePlan
from store.errors import NotFound, Unreadable
from store.events import ContextCompacted
from store.model import Category
from tests.store.capture.transcripts import ClaudeCode
from tests.store.factories import make_memory


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A project on branch feature/29-locks with a transcript beside it."""
    root = tmp_path / "shop"
    (root / ".git").mkdir(parents=True)
    (root / ".git" / "HEAD").write_text("ref: refs/heads/feature/29-locks\n")
    made = ClaudeCode(cwd=str(root), branch="").user("Always keep the lock short.")
    made.edit("store/lock.py")
    todo = {"content": "Measure `wait` with two writers", "status": "pending"}
    made.call("TodoWrite", {"todos": [todo]})
    (tmp_path / "s-1.jsonl").write_text("\n".join(made.lines))
    return root


@pytest.fixture
def memory(shop: Path) -> Iterator[Memory]:
    with make_memory(shop) as opened:
        yield opened


def run(
    hook: str,
    shop: Path,
    memory: Memory,
    environ: dict[str, str] | None = None,
    client: str = "claude-code",
    **more: object,
) -> CapturePlan:
    given: dict[str, object] = {
        "session_id": "s-1",
        "folder": str(shop),
        "transcript_path": str(shop.parent / "s-1.jsonl"),
        **more,
    }
    input = HookInput(**given)  # type: ignore[arg-type]
    home = Home(shop.parent / "home", {})
    call = HookCall(hook, input, client_named(client), environ or {}, home)
    return capture_session(call, memory)


def test_the_end_of_a_session_is_captured(shop: Path, memory: Memory) -> None:
    run("session-end", shop, memory)
    kept = {each.category: each for each in memory.by_issue(29)}
    assert any("store/lock.py" in each.content for each in kept.values())
    assert "Open: Measure `wait`" in kept[Category.HANDOFF].content
    assert {each.agent for each in kept.values()} == {"claude-code"}
    assert run("session-end", shop, memory).is_empty


def test_the_transcript_is_found_after_a_worktree_was_entered(shop: Path, memory: Memory) -> None:
    began = shop.parent / "projects" / "-shop" / "s-1.jsonl"
    began.parent.mkdir(parents=True)
    (shop.parent / "s-1.jsonl").rename(began)
    named = began.parent.with_name("-shop--claude-worktrees-side") / began.name
    run("session-end", shop, memory, transcript_path=str(named))
    assert any("store/lock.py" in it.content for it in memory.by_issue(29))


def test_it_belongs_to_the_agent_that_the_shell_names(shop: Path, memory: Memory) -> None:
    run("session-end", shop, memory, environ={"MEMTUI_AGENT": "architect"})
    assert {each.agent for each in memory.by_issue(29)} == {"architect"}


@pytest.mark.parametrize("hook", ["stop", "pre-compact"])
def test_before_the_end_there_is_no_handoff(shop: Path, memory: Memory, hook: str) -> None:
    run(hook, shop, memory, last_words="The lock gives up after five seconds now. " * 3)
    kept = memory.by_issue(29)
    assert [each.category for each in kept] == [Category.LESSON, Category.CODE_CHANGE]
    assert "Done: The lock gives up after five seconds now." in kept[1].content


def test_a_summary_is_captured_as_the_event_that_it_is(shop: Path, memory: Memory) -> None:
    summary = "Summary:\n7. Pending Tasks:\n   - Document the new timeout in the manual\n"
    told: list[ContextCompacted] = []
    memory.events.subscribe(ContextCompacted, told.append)
    compacted = HookInput(session_id="s-1", folder=str(shop), summary=summary)
    client, home = client_named("claude-code"), Home(shop.parent / "home", {})
    record_compaction(HookCall("post-compact", compacted, client, {}, home), memory)
    (kept,) = memory.by_issue(29)
    assert (kept.category, kept.agent, kept.session_id) == (Category.TASK, "claude-code", "s-1")
    assert kept.extra["branch"] == "feature/29-locks"
    assert [(it.summary, it.compacted_tokens) for it in told] == [(summary, len(summary) // 4 + 1)]


def test_a_sub_agent_has_a_transcript_of_its_own(shop: Path, memory: Memory) -> None:
    made = ClaudeCode(cwd=str(shop), branch="").user("Mend the other lock of the store")
    made.edit("store/other.py", side=True)
    own = shop.parent / "agent.jsonl"
    own.write_text("\n".join(made.lines))
    run("subagent-stop", shop, memory, agent_transcript_path=str(own), agent_type="tester")
    (kept,) = memory.by_issue(29)
    assert (kept.agent, "Files: store/other.py." in kept.content) == ("tester", True)


def test_a_transcript_in_no_known_format_is_said(shop: Path, memory: Memory) -> None:
    strange = shop / "strange.txt"
    strange.write_text("what is this?")
    with pytest.raises(Unreadable):
        run("session-end", shop, memory, transcript_path=str(strange))


def test_without_a_transcript_the_last_words_are_captured(shop: Path, memory: Memory) -> None:
    words = "Decision: we keep calc.py free of dependencies, because it is vendored."
    plan = run("stop", shop, memory, client="codex", transcript_path="", last_words=words)
    assert plan.agent == "codex"
    assert plan.session is not None
    assert [said.text for said in plan.session.messages] == [words]


def test_a_session_that_keeps_no_transcript_is_no_failure(shop: Path, memory: Memory) -> None:
    ephemeral = {"transcript_path": None}
    plan = run("session-end", shop, memory, client="codex", transcript_path="", fields=ephemeral)
    assert plan.is_empty
    with pytest.raises(NotFound):
        run("session-end", shop, memory, client="codex", transcript_path="", fields={})


def test_a_client_that_names_no_transcript_keeps_one_all_the_same(
    shop: Path, memory: Memory
) -> None:
    kept = shop.parent / "home" / ".kimi-code" / "sessions" / "wd" / "s-1" / "agents" / "main"
    kept.mkdir(parents=True)
    sample = Path(__file__).parents[2] / "store" / "agents" / "samples" / "kimi.jsonl"
    text = sample.read_text(encoding="utf-8").replace("/home/a/shop", str(shop))
    (kept / "wire.jsonl").write_text(text, encoding="utf-8")
    plan = run("stop", shop, memory, client="kimi", transcript_path="")
    assert (plan.agent, plan.session_id) == ("kimi", "s-1")
    assert any("calc.py" in it.observation.content for it in plan.kept)


def test_the_input_is_read_field_by_field() -> None:
    sent = {
        "session_id": "s",
        "transcript_path": "/t",
        "agent_transcript_path": "/a",
        "cwd": "/c",
        "hook_event_name": "Stop",
        "last_assistant_message": "bye",
        "compact_summary": None,
        "prompt": 7,
    }
    read = parse_input(json.dumps(sent))
    assert read is not None
    assert (read.session_id, read.transcript_path, read.folder) == ("s", "/t", "/c")
    assert (read.event, read.last_words, read.summary, read.prompt) == ("Stop", "bye", "", "")
    assert read.agent_transcript_path == "/a"
    assert parse_input("") is parse_input("[1]") is None
    parts = [{"type": "text", "text": "Fix it"}, {"type": "image"}, {"type": "text", "text": "now"}]
    cursor = {"conversation_id": "c", "workspace_roots": ["/w", "/x"], "prompt": parts}
    copilot = {"sessionId": "s-1", "cwd": "/a", "transcriptPath": "/t/events.jsonl"}
    for other, expected in (
        (cursor, ("c", "/w", "", "Fix it\nnow")),
        (copilot, ("s-1", "/a", "/t/events.jsonl", "")),
    ):
        read = parse_input(json.dumps(other))
        assert read is not None
        assert (read.session_id, read.folder, read.transcript_path, read.prompt) == expected


@given(st.text(max_size=60))
def test_any_input_is_read_or_refused(text: str) -> None:
    assert parse_input(text) is None or isinstance(parse_input(text), HookInput)
