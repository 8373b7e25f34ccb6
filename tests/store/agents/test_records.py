"""Fields that may be anything, branches that were gone back on, and lines of odd clients."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from store.agents import (
    codex,
    kimi,
    opencode,
    qwen_code,
)
from store.agents.records import active_branch, json_lines
from store.agents.transcript import (
    ContextSummary,
    Event,
    Message,
    Speaker,
    ToolCall,
    ToolResult,
    Unread,
)


def _lines(*records: object) -> list[bytes]:
    return [json.dumps(record).encode() for record in records]


def _results(events: list[Event]) -> list[tuple[str, str, bool]]:
    return [(it.call_id, it.text, it.failed) for it in events if isinstance(it, ToolResult)]


def _summaries(events: list[Event]) -> list[str]:
    return [it.text for it in events if isinstance(it, ContextSummary)]


def test_what_is_no_object_is_said_with_its_line() -> None:
    found = list(json_lines([b"\n", b"{", b'{"a": 1}', b"[1]", b"  "]))
    assert found[1] == (3, {"a": 1})
    assert [(it.line, it.reason[:8]) for it in found if isinstance(it, Unread)] == [
        (2, "not JSON"),
        (4, "not a JS"),
    ]


def _branch(*entries: tuple[str, str]) -> list[str]:
    records = [(line, {"id": key, "up": up, "n": line}) for line, (key, up) in enumerate(entries)]
    return [str(record["id"]) for _, record in active_branch(records, "id", "up")]


def test_what_was_gone_back_on_is_left_out() -> None:
    assert _branch(("a", ""), ("b", "a"), ("c", "b"), ("d", "a")) == ["a", "d"]
    assert _branch(("a", ""), ("b", "a"), ("", "a")) == ["a", "b", ""]
    assert _branch(("a", "x"), ("b", ""), ("c", "a")) == ["a", "b", "c"]
    assert _branch(("a", "b"), ("b", "a"), ("c", "b")) == ["a", "b", "c"]
    assert _branch() == []


def test_what_qwen_compressed_and_cancelled() -> None:
    history = [{"parts": []}, {"parts": [{"text": "So far."}]}, {"parts": [{"text": "Later."}]}]
    compressed = {
        "type": "system",
        "subtype": "chat_compression",
        "systemPayload": {"compressedHistory": history},
    }
    assert _summaries(list(qwen_code.read(_lines(compressed)))) == ["So far."]
    assert not _summaries(list(qwen_code.read(_lines({**compressed, "subtype": "other"}))))
    response = {"functionResponse": {"id": "1", "response": {"output": "told"}}}
    for status, failed in (("success", False), ("error", True), ("cancelled", True)):
        result = {
            "type": "tool_result",
            "toolCallResult": {"status": status},
            "message": {"parts": [response]},
        }
        assert [it[2] for it in _results(list(qwen_code.read(_lines(result))))] == [failed]
    wrong = {"functionResponse": {"id": "1", "response": {"error": "no such file"}}}
    result = {
        "type": "tool_result",
        "toolCallResult": {"status": "success"},
        "message": {"parts": [wrong]},
    }
    assert [it[2] for it in _results(list(qwen_code.read(_lines(result))))] == [True]
    said = {"type": "user", "message": {"parts": [{"text": "Go."}]}}
    unsaid = {**said, "subtype": "cron"}
    events = list(qwen_code.read([b"{", *_lines(said, unsaid, {"type": "odd"})]))
    assert [type(it) for it in events] == [Unread, Message, Unread]


def test_what_kimi_summed_up_and_what_helpers_said() -> None:
    def appended(kind: str, text: str, role: str = "user", **more: object) -> dict[str, object]:
        message = {"role": role, "origin": {"kind": kind}, "content": text}
        return {"type": "context.append_message", "message": message, **more}

    events = list(
        kimi.read(
            [
                b"{",
                *_lines(
                    appended("compaction_summary", "So far."),
                    {"type": "context.apply_compaction", "summary": "Then."},
                    {"type": "context.apply_compaction", "summary": ""},
                    appended("user", "Go."),
                    appended("user", "Not said.", "assistant"),
                    appended("system", "Not said."),
                    appended("user", "Not said.", agentId="helper"),
                    appended("user", "And on.", agentId="main"),
                ),
            ]
        )
    )
    assert _summaries(events) == ["So far.", "Then."]
    said = [(it.speaker, it.text) for it in events if isinstance(it, Message)]
    assert said == [(Speaker.USER, "Go."), (Speaker.USER, "And on.")]
    assert isinstance(events[0], Unread)


def _opencode(*messages: object, **more: object) -> list[Event]:
    whole = {"info": {"id": "s", "directory": "/a"}, "messages": messages, **more}
    return list(opencode.read([json.dumps(whole).encode()]))


def test_how_a_tool_of_opencode_ended_and_what_a_helper_did() -> None:
    def tool(name: str, status: str, output: str = "", **more: object) -> dict[str, object]:
        state = {"status": status, "output": output, "input": {"n": name}, "metadata": more}
        return {"type": "tool", "tool": "bash", "callID": name, "state": state}

    parts: list[dict[str, object]] = [
        tool("a", "completed", "told"),
        {**tool("b", "error"), "state": {"status": "error", "error": "denied"}},
        tool("c", "running"),
        tool("d", "completed", "told", exit=1),
        tool("e", "completed", "told", exit=0, sessionId="h"),
    ]
    helper: dict[str, object] = {"id": "h"}
    helper["parts"] = [tool("f", "completed", "x"), {"type": "text", "text": "Hm."}]
    events = _opencode({"info": {"role": "assistant"}, "parts": parts}, helpers=[helper])
    assert _results(events) == [
        ("a", "told", False),
        ("b", "denied", True),
        ("d", "told", True),
        ("e", "told", False),
        ("f", "x", False),
    ]
    calls = [(it.call_id, it.aside) for it in events if isinstance(it, ToolCall)]
    assert calls == [(name, False) for name in "abcde"] + [("f", True)]
    assert not [it for it in events if isinstance(it, Message)]


def test_a_patch_of_codex_in_each_kind() -> None:
    def patched(change: Mapping[str, object]) -> str:
        item = {"type": "FileChange", "id": "1", "changes": {"a.py": change}, "status": "completed"}
        record = {"type": "event_msg", "payload": {"type": "item_completed", "item": item}}
        (call, result) = codex.read(_lines(record))
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
        (event, result) = codex.read(_lines(*records))
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
    (unread,) = codex.read(lines)
    assert isinstance(unread, Unread)
    assert "guardian" in unread.reason
    meta["source"] = {"subagent": {"other": "review"}}
    lines[0] = _lines({"type": "session_meta", "payload": meta})[0]
    assert any(isinstance(it, Message) for it in codex.read(lines))


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
