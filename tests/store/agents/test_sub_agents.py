"""Sub-agents that write files of their own: their work belongs to the session that started them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from store.agents.client import Home
from store.agents.discovery import open_session, session_files, transcripts_in
from store.agents.session import Session
from store.agents.tools import edits_of
from store.sessions.conversation import EntryKind, entries_of
from store.sessions.digest import files_of, passages_of
from store.sessions.session_file import read_file
from tests.store.agents.test_as_it_ended import codex_lines
from tests.store.agents.test_readers import lines
from tests.store.capture.transcripts import ClaudeCode


def _write(path: Path, content: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)
    return path


def _claude(folder: Path) -> Session:
    main = ClaudeCode().user("Mend the search").call("Agent", {"prompt": "mend"}, "Done.")
    helper = ClaudeCode(session="s-1", calls=7)
    helper.line("user", {"content": "mend"}, isSidechain=True, agentId="a1")
    edit: dict[str, object] = {"file_path": f"{helper.cwd}/db/index.sql"}
    helper.call("Edit", edit, isSidechain=True, agentId="a1")
    helper.agent("No index\non it", isSidechain=True, agentId="a1")
    main.lines.append(ClaudeCode(lines=[""] * 90).agent("The helper is done").lines[-1])
    _write(folder / "s-1" / "subagents" / "agent-a1.jsonl", "\n".join(helper.lines))
    return read_file(_write(folder / "s-1.jsonl", "\n".join(main.lines))).session


def test_claude_code(tmp_path: Path) -> None:
    session = _claude(tmp_path)
    assert list(files_of(session, ()).changed) == ["db/index.sql"]
    assert [message.text for message in session.messages] == [
        "Mend the search",
        "The helper is done",
    ]
    assert [message.text for message in session.aside] == ["No index\non it"]
    edit = session.steps[-1]
    assert edit.call.aside
    assert edit.after is not None, "it was done before the last message, though its file comes last"


def test_their_words_are_searched_and_folded(tmp_path: Path) -> None:
    session = _claude(tmp_path)
    assert "No index\non it" in [passage.text for passage in passages_of(session)]
    (folded,) = [entry for entry in entries_of(session) if entry.name == "sub-agent"]
    assert (folded.kind, folded.text, folded.output) == (
        EntryKind.TOOL,
        "No index",
        "No index\non it",
    )


FILES = {
    "gemini-cli": ("chats/session-2026-03-01T12-00-s-1.jsonl", "chats/s-1/h-1.jsonl"),
    "qwen-code": ("chats/s-1.jsonl", "subagents/s-1/agent-h-1.jsonl"),
    "kimi": ("agents/main/wire.jsonl", "agents/agent-1/wire.jsonl"),
    "cursor": ("agent-transcripts/s-1/s-1.jsonl", "agent-transcripts/s-1/subagents/h-1.jsonl"),
    "cline": ("sessions/s-1/s-1.messages.json", "sessions/s-1/helper.messages.json"),
}
"""Where a client has the file of a session, and that of a sub-agent which it started."""


@pytest.mark.parametrize("client", FILES)
def test_other_clients(tmp_path: Path, client: str) -> None:
    (found,) = (Path(__file__).parent / "samples").glob(f"{client}.json*")
    sample = found.read_text()
    own, other = FILES[client]
    path = _write(tmp_path / own, sample)
    alone = read_file(path).session
    helper = sample.replace("calc.py", "tax.py").replace('"t1"', '"h1"').replace('"t2"', '"h2"')
    helper = helper.replace('sessionId": "s-1', 'sessionId": "h-1').replace('"main"', '"agent-1"')
    _write(tmp_path / other, helper.replace("The test passes", "The tax is right"))
    _write(tmp_path / other.replace("s-1", "s-9").replace("agents/", "other/"), helper)
    session = read_file(path).session
    assert (session.id, session.messages) == (alone.id, alone.messages)
    assert [message.text for message in session.aside] == [
        "`add` subtracts its arguments.",
        "The tax is right: `add` adds now.",
    ]
    calls = [step.call for step in session.steps]
    assert sorted((edit.path, call.aside) for call in calls for edit in edits_of(call)) == [
        ("/home/a/shop/calc.py", False),
        ("/home/a/shop/tax.py", True),
    ]
    assert len({call.line for call in calls}) == 4, "their lines count on"
    if found.suffix == ".jsonl":
        assert session.aside[0].line == alone.messages[1].line + len(sample.splitlines())
    assert tmp_path / other not in [file.path for file in transcripts_in(tmp_path)]


def _rollout(name: str, parent: str, *more: object) -> str:
    spawn = {"subagent": {"thread_spawn": {"parent_thread_id": parent}}} if parent else "cli"
    payload = {"id": name, "cwd": "/work", "source": spawn, "parent_thread_id": parent}
    return b"".join(lines({"type": "session_meta", "payload": payload}, *more)).decode()


def _patch(call: str, path: str) -> dict[str, object]:
    patch = f"*** Begin Patch\n*** Update File: {path}\n@@\n-a\n+b\n*** End Patch"
    payload = {"type": "custom_tool_call", "name": "apply_patch", "call_id": call, "input": patch}
    return {"type": "response_item", "payload": payload}


def test_codex(tmp_path: Path) -> None:
    day = tmp_path / ".codex/sessions/2026/11/27"
    said = [json.loads(line) for line in codex_lines("Split the report")[1:]]
    own = _patch("c1", "report.py")
    parent = _write(day / "rollout-1.jsonl", _rollout("p", "", *said, own))
    _write(day / "rollout-2.jsonl", _rollout("c", "p", own, _patch("c2", "csv.py")))
    _write(day.parent / "28/rollout-3.jsonl", _rollout("g", "c", _patch("c3", "bom.py")))
    _write(day / "rollout-4.jsonl", _rollout("x", "other", _patch("c4", "other.py")))
    (found,) = session_files(Home(tmp_path, {}))
    assert found.path == parent
    session = read_file(parent).session
    assert session.id == "p"
    assert [(step.call.call_id, step.call.aside) for step in session.steps] == [
        ("c1", False),
        ("c2", True),
        ("c3", True),
    ]
    nameless = _write(day / "rollout-5.jsonl", _rollout("", "", *said))
    with open_session(nameless) as alone:
        assert len(list(alone)) == len(nameless.read_text().splitlines()), "it started none"
    with open_session(day / "rollout-2.jsonl") as alone:
        assert len(list(alone)) == 6, "its own three lines, a mark, the two of the one it started"
