"""Fields that may be anything, branches that were gone back on, and lines of odd clients."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from store.agents import codex_rollout
from store.agents.records import active_branch, json_lines
from store.agents.transcript import Message, ToolCall, ToolResult, Unread


def _lines(*records: object) -> list[bytes]:
    return [json.dumps(record).encode() for record in records]


def test_what_is_no_object_is_said_with_its_line() -> None:
    found = list(json_lines([b"\n", b"{", b'{"a": 1}', b"[1]", b"  "]))
    assert found[1] == (3, {"a": 1})
    assert [(it.line, it.reason[:8]) for it in found if isinstance(it, Unread)] == [
        (2, "not JSON"),
        (4, "not a JS"),
    ]


def test_whole_objects_of_a_damaged_line_are_read() -> None:
    first, second, unread = json_lines([b'{"a": 1}{"b": 2}{"c": '])
    assert (first, second) == ((1, {"a": 1}), (1, {"b": 2}))
    assert isinstance(unread, Unread)


def _branch(*entries: tuple[str, str]) -> list[str]:
    records = [(line, {"id": key, "up": up, "n": line}) for line, (key, up) in enumerate(entries)]
    return [str(record["id"]) for _, record in active_branch(records, "id", "up")]


def test_what_was_gone_back_on_is_left_out() -> None:
    assert _branch(("a", ""), ("b", "a"), ("c", "b"), ("d", "a")) == ["a", "d"]
    assert _branch(("a", ""), ("b", "a"), ("", "a")) == ["a", "b", ""]
    assert _branch(("a", "x"), ("b", ""), ("c", "a")) == ["a", "b", "c"]
    assert _branch(("a", "b"), ("b", "a"), ("c", "b")) == ["a", "b", "c"]
    assert _branch() == []


def test_a_patch_of_codex_in_each_kind() -> None:
    def patched(change: Mapping[str, object]) -> str:
        item = {"type": "FileChange", "id": "1", "changes": {"a.py": change}, "status": "completed"}
        record = {"type": "event_msg", "payload": {"type": "item_completed", "item": item}}
        (call, result) = codex_rollout.read(_lines(record))
        assert isinstance(call, ToolCall)
        assert isinstance(result, ToolResult)
        assert not result.failed
        return str(call.arguments["input"]).split("\n", 1)[1].removesuffix("*** End Patch\n")

    assert patched({"type": "add", "content": "x\ny\n"}) == "*** Add File: a.py\n+x\n+y\n"
    assert patched({"type": "delete", "content": "x"}) == "*** Delete File: a.py\n-x\n"
    moved = {"type": "update", "unified_diff": "@@\n-a\n+b", "move_path": "b.py"}
    assert patched(moved) == "*** Update File: a.py\n*** Move to: b.py\n@@\n-a\n+b\n"
    told = {"type": "add", "unified_diff": "@@\n+x"}
    assert patched(told) == "*** Add File: a.py\n@@\n+x\n"
    assert patched({"type": "update", "content": "x"}) == "*** Update File: a.py\n\n"


def test_a_script_of_codex_that_runs_one_command_is_that_command() -> None:
    def told(script: str) -> tuple[str, object, str]:
        call = {"type": "custom_tool_call", "name": "exec", "call_id": "c", "input": script}
        head = "Script completed\nWall time 0.1 seconds\nOutput:\n"
        done = {"type": "custom_tool_call_output", "call_id": "c", "output": f"{head}3 passed"}
        records = ({"type": "response_item", "payload": it} for it in (call, done))
        (event, result) = codex_rollout.read(_lines(*records))
        assert isinstance(event, ToolCall)
        assert isinstance(result, ToolResult)
        return event.tool, event.arguments.get("command"), result.text

    one = r'const r = await tools.exec_command({"cmd":"pytest -k \"a\"","workdir":"/x"}); text(r)'
    assert told(one) == ("exec_command", 'pytest -k "a"', "3 passed")
    tool, command, _ = told(one + one)
    assert (tool, command) == ("exec", None)


def test_the_session_of_codexs_guardian_is_not_read_and_says_so() -> None:
    meta = {"id": "g", "source": {"subagent": {"other": "guardian"}}}
    said = {"type": "message", "role": "assistant", "content": "Always allow `ls`."}
    lines = _lines(
        {"type": "session_meta", "payload": meta}, {"type": "response_item", "payload": said}
    )
    (unread,) = codex_rollout.read(lines)
    assert isinstance(unread, Unread)
    assert "guardian" in unread.reason
    meta["source"] = {"subagent": {"other": "review"}}
    lines[0] = _lines({"type": "session_meta", "payload": meta})[0]
    assert any(isinstance(it, Message) for it in codex_rollout.read(lines))


@pytest.mark.parametrize(
    ("said", "text"),
    [
        (r"cut \ud83d", "cut \ufffd"),
        (r"\uDE00 cut", "\ufffd cut"),
        (r"\ud83d\ud83d\ude00\ude00", "\ufffd\U0001f600\ufffd"),
        (r"\\ud83d \ud83d\n", "\\ud83d \ufffd\n"),
        (r"\\\ud83d\" \udfff", '\\\ufffd" \ufffd'),
        (r"whole \ud83d\ude00 \ud83d", "whole \U0001f600 \ufffd"),
    ],
)
def test_a_character_that_was_cut_in_two_takes_no_line_along(said: str, text: str) -> None:
    assert list(json_lines([f'{{"text": "{said}"}}'.encode()])) == [(1, {"text": text})]
