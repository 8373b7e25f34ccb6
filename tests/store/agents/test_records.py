"""Fields that may be anything, branches that were gone back on, and lines of odd clients."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest

from store.agents import (
    claude_code,
    cline,
    codex,
    conversation,
    cursor,
    kimi,
    opencode,
    pi,
    qwen_code,
    vscode,
)
from store.agents.client import Head, Home, SessionFile
from store.agents.first_message import first_request
from store.agents.formats import CONVERSATION, CONVERSATION_LINES, format_of
from store.agents.records import active_branch, blocks, instant, json_lines, text_of, tool_call
from store.agents.transcript import (
    ContextSummary,
    Event,
    Message,
    SessionInfo,
    Speaker,
    ToolCall,
    ToolResult,
    Unread,
)
from store.errors import Unreadable
from tests.store.capture.transcripts import ClaudeCode
from tests.store.factories import NOW


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


@pytest.mark.parametrize(
    ("value", "is_told"),
    [
        ("2026-03-01T12:00:00Z", True),
        ("2026-03-01T13:00:00+01:00", True),
        ("2026-03-01T12:00:00", True),
        (1_772_366_400_000, True),
        (1_772_366_400_000.0, True),
        (True, False),
        ("", False),
        ("soon", False),
        (1e30, False),
        (None, False),
    ],
)
def test_a_moment_is_in_utc(value: object, is_told: bool) -> None:
    assert instant(value) == (datetime(2026, 3, 1, 12, tzinfo=UTC) if is_told else None)


def test_content_is_text_a_block_or_a_list_of_both() -> None:
    block = {"type": "text", "text": "b"}
    assert [it.get("text") for it in blocks("a")] == ["a"]
    assert list(blocks(block)) == [block]
    assert text_of(["a", block, 5, {"type": "image"}, {"text": 7}]) == "a\n\nb\n\n"
    assert list(blocks(None)) == []
    assert tool_call(1, None, {"id": 5, "name": "x", "args": []}, "args") == ToolCall(1, "", "x")


def _branch(*entries: tuple[str, str]) -> list[str]:
    records = [(line, {"id": key, "up": up, "n": line}) for line, (key, up) in enumerate(entries)]
    return [str(record["id"]) for _, record in active_branch(records, "id", "up")]


def test_what_was_gone_back_on_is_left_out() -> None:
    assert _branch(("a", ""), ("b", "a"), ("c", "b"), ("d", "a")) == ["a", "d"]
    assert _branch(("a", ""), ("b", "a"), ("", "a")) == ["a", "b", ""]
    assert _branch(("a", "x"), ("b", ""), ("c", "a")) == ["a", "b", "c"]
    assert _branch(("a", "b"), ("b", "a"), ("c", "b")) == ["a", "b", "c"]
    assert _branch() == []


def test_what_was_asked_first_opens_a_session(tmp_path: Path) -> None:
    def opens(made: ClaudeCode) -> str:
        path = tmp_path / "s.jsonl"
        path.write_text("\n".join(made.lines))
        return first_request(SessionFile(path, "claude-code", NOW, 1))

    made = ClaudeCode().agent("Hello.").user("<system-reminder>x</system-reminder>")
    assert opens(made.user("\n Mend the lock. \nAnd test it.").user("Other")) == "Mend the lock."
    assert opens(ClaudeCode().agent("Hello.")) == ""
    late = ClaudeCode()
    for _ in range(399):
        late.agent("Hello.")
    assert opens(late.user("In time.")) == "In time."
    late.lines.insert(0, late.lines[0])
    assert opens(late) == ""
    assert first_request(SessionFile(tmp_path / "gone", "claude-code", NOW, 1)) == ""


def test_a_command_that_the_person_ran_in_pi() -> None:
    def ran(**more: object) -> dict[str, object]:
        message = {"role": "bashExecution", "command": "make", "output": "told", **more}
        return {"type": "message", "id": f"m{len(more)}", "message": message}

    told = {"type": "compaction", "summary": "So far."}
    events = list(pi.read(_lines(ran(), {**told, "parentId": ""})))
    call = next(it for it in events if isinstance(it, ToolCall))
    assert (call.tool, call.arguments, call.call_id) == ("bash", {"command": "make"}, "m0")
    assert _results(events) == [("m0", "told", False)]
    assert _summaries(events) == ["So far."]
    assert _results(list(pi.read(_lines(ran(exitCode=2)))))[0][2]
    assert not _results(list(pi.read(_lines(ran(exitCode=0)))))[0][2]
    odd = {"type": "message", "message": {"role": "other", "content": "x"}}
    own = {"type": "message", "message": {"role": "custom", "content": "x"}}
    found = list(pi.read([b"{", *_lines(odd, own)]))
    assert [it.unknown for it in found if isinstance(it, Unread)] == [False, True]


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


def test_what_cursor_says_beside_a_conversation_does_not_end_it() -> None:
    def said(role: str, text: str) -> dict[str, object]:
        return {"role": role, "message": {"content": [{"type": "text", "text": text}]}}

    told = list(
        cursor.read(
            [
                *_lines(said("user", "<user_query>\nGo.\n</user_query>"), said("system", "x")),
                b"{",
                *_lines(said("narrator", "x"), said("assistant", "Done.")),
            ]
        )
    )
    assert [(it.line, it.text) for it in told if isinstance(it, Message)] == [
        (1, "Go."),
        (5, "Done."),
    ]
    assert next(it.line for it in told if isinstance(it, Unread)) == 3


@pytest.mark.parametrize(
    ("record", "is_ours"),
    [
        ({"role": "user", "message": {}}, True),
        ({"role": "user", "message": "Go."}, False),
        ({"message": {}}, False),
        ({"role": "user"}, False),
    ],
)
def test_cursors_lines_have_a_role_and_a_message(record: dict[str, object], is_ours: bool) -> None:
    assert cursor.recognises(Head(b"", (record,))) is is_ours


def test_what_a_claude_code_helper_does_is_aside_and_what_it_is_answered_no_call() -> None:
    use = {"type": "tool_use", "id": "1", "name": "Edit", "input": {"file_path": "a.py"}}
    told = {
        kind: list(
            claude_code.read(
                _lines(
                    {
                        "type": "progress",
                        "timestamp": "2026-03-01T12:00:00Z",
                        "data": {"message": {"type": kind, "message": {"content": [use]}}},
                    }
                )
            )
        )
        for kind in ("assistant", "user")
    }
    calls = {kind: [it for it in said if isinstance(it, ToolCall)] for kind, said in told.items()}
    assert [(it.tool, it.aside, it.at) for it in calls["assistant"]] == [("Edit", True, NOW)]
    assert calls["user"] == []


def test_where_a_qwen_session_runs_is_said_where_it_changes() -> None:
    first = {"type": "user", "sessionId": "s", "cwd": "/a", "gitBranch": "main", "model": "q"}
    other = {**first, "gitBranch": "b"}
    infos = [it for it in qwen_code.read(_lines(first, first, {"type": "user"}, other, first))
             if isinstance(it, SessionInfo)]  # fmt: skip
    (alone,) = (it for it in qwen_code.read(_lines({"type": "user", "cwd": "/b"}))
                if isinstance(it, SessionInfo))  # fmt: skip
    assert alone.folder == "/b"
    assert [(it.line, it.branch) for it in infos] == [(1, "main"), (4, "b"), (5, "main")]
    assert (infos[0].session_id, infos[0].folder, infos[0].model) == ("s", "/a", "q")


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


def test_opencode_tells_no_more_than_was_kept_and_said() -> None:
    def message(number: int, text: str, **more: object) -> dict[str, object]:
        info = {"id": f"m{number}", "role": "assistant", **more}
        return {"info": info, "parts": [{"type": "text", "text": text}]}

    hidden = [{"type": "text", "text": "x", "synthetic": True}]
    hidden += [{"type": "text", "text": "y", "ignored": True}]
    events = _opencode(
        message(1, "One."),
        message(2, "So far.", summary=True),
        {"info": {"id": "m3", "role": "user"}, "parts": hidden},
        message(4, "x", role="odd"),
        message(5, "Five."),
        message(6, "Six."),
    )
    assert [it.text for it in events if isinstance(it, Message)] == ["One.", "Five.", "Six."]
    assert _summaries(events) == ["So far."]
    assert [it.unknown for it in events if isinstance(it, Unread)] == [True]
    info = {"id": "s", "revert": {"messageID": "m2"}}
    kept = _opencode(message(1, "One."), message(2, "Two."), info=info)
    assert [it.text for it in kept if isinstance(it, Message)] == ["One."]


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


def test_what_codex_ran_is_told_without_its_shell() -> None:
    def ran(command: object, **more: object) -> tuple[object, bool]:
        item = {"type": "CommandExecution", "id": "1", "command": command, **more}
        record = {"type": "event_msg", "payload": {"type": "item_completed", "item": item}}
        (call, result) = codex.read(_lines(record))
        assert isinstance(call, ToolCall)
        assert isinstance(result, ToolResult)
        return call.arguments["command"], result.failed

    assert ran(["bash", "-lc", "make"]) == ("make", False)
    assert ran(["sh", "-c", "make"], exit_code=0) == ("make", False)
    assert ran(["sh", "-x", "make"], exit_code=1) == (["sh", "-x", "make"], True)
    assert ran(["bash", "-lc", "make", "x"]) == (["bash", "-lc", "make", "x"], False)


def test_vs_code_has_servers_and_no_sessions(tmp_path: Path) -> None:
    home = Home(tmp_path, {})
    assert list(vscode.session_files(home, ())) == []
    assert list(vscode.read([b"{}"])) == []
    project = vscode.servers_file(home, tmp_path / "p")
    assert project == tmp_path / "p" / ".vscode" / "mcp.json"
    assert vscode.servers_file(home, None).parts[-3:] == ("Code", "User", "mcp.json")


@pytest.mark.parametrize("head", [b'{"a":\n', b'{"a": 1}', b"x\ny", b'{"role": "user"}', b"5"])
def test_what_is_no_transcript_is_none(head: bytes) -> None:
    with pytest.raises(Unreadable, match="Not a transcript"):
        format_of([head])


def test_a_conversation_is_told_by_any_of_its_first_records() -> None:
    assert format_of([b"note\n", b'{"messages": []}\n', b'{"x": 1}\n']) == CONVERSATION
    assert format_of([b'{"x": 1}\n', b'{"role": "user", "text": "x"}\n']) == CONVERSATION_LINES


def test_a_patch_that_codex_only_tells_the_end_of_is_a_change() -> None:
    patched = {"type": "patch_apply_end", "call_id": "exec-1", "success": True, "stdout": "Done."}
    patched["changes"] = {"a.py": {"type": "add", "content": "x"}}
    script = {"type": "custom_tool_call", "name": "exec", "call_id": "c", "input": "patch(p)"}
    done = {"type": "custom_tool_call_output", "call_id": "c", "output": "Script completed"}
    events = list(
        codex.read(
            _lines(
                {"type": "response_item", "payload": script},
                {"type": "event_msg", "payload": patched},
                {"type": "response_item", "payload": done},
            )
        )
    )
    call, result = events
    assert isinstance(call, ToolCall)
    assert (call.tool, call.call_id) == ("apply_patch", "exec-1")
    assert "*** Add File: a.py" in str(call.arguments["input"])
    assert isinstance(result, ToolResult)
    assert (result.text, result.failed) == ("Done.", False)
    patched["success"] = False
    (_, result) = codex.read(_lines({"type": "event_msg", "payload": patched}))
    assert isinstance(result, ToolResult)
    assert result.failed


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


@pytest.mark.parametrize("words", [["sh", [], "ls"], ["sh", {}, "ls"], ["sh", 5, "ls"]])
def test_the_words_of_a_command_may_be_anything(words: list[object]) -> None:
    ran = {"type": "CommandExecution", "id": "c", "command": words}
    line = {"type": "event_msg", "payload": {"type": "item_completed", "item": ran}}
    (call, _) = codex.read(_lines(line))
    assert isinstance(call, ToolCall)
    assert call.arguments == {"command": words}


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


@pytest.mark.parametrize("line", [rb'{"a": "\ud83d', rb'{"a": \ud83d}', rb'{"a": "\ud83"}', rb"\u"])
def test_a_line_that_is_broken_otherwise_is_said(line: bytes) -> None:
    (found,) = json_lines([line])
    assert isinstance(found, Unread)
    assert found.reason.startswith("not JSON: ")


_MESSAGES = [{"role": "user", "content": "Mend it", "parts": [{"type": "text", "text": "Mend it"}]}]


@pytest.mark.parametrize(
    ("read", "whole"),
    [
        (cline.read, {"sessionId": "s", "agent": "a", "messages": _MESSAGES}),
        (cline.read, _MESSAGES),
        (conversation.read_array, _MESSAGES),
        (
            opencode.read,
            {"messages": [{"info": {"role": "user"}, "parts": _MESSAGES[0]["parts"]}]},
        ),
    ],
)
def test_half_of_a_character_in_one_text_leaves_the_others(
    read: Callable[[Iterable[bytes]], Iterator[Event]], whole: object
) -> None:
    written = json.dumps(whole).replace("Mend it", r"Mend it \ud83d").encode()
    told = [it.text for it in read([written]) if isinstance(it, Message)]
    assert told == ["Mend it \ufffd"]


def test_a_summary_is_one_text_from_its_first_line() -> None:
    (found,) = conversation.read_summary([b"# Summary\n", b"- gr\xc3\xb6\xff\n"])
    assert (found.line, found) == (1, ContextSummary(line=1, text="# Summary\n- grö\ufffd\n"))
