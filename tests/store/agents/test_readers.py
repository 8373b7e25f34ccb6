from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.agents import codex_rollout
from store.agents.formats import CONVERSATION, CONVERSATION_LINES, FORMATS, SUMMARY, format_of
from store.agents.reading import read_transcript
from store.agents.records import active_branch, json_lines
from store.agents.session import Session, collect
from store.agents.transcript import Message, ToolCall, ToolResult, Unread


def lines(*records: object) -> list[bytes]:
    return [json.dumps(record).encode() + b"\n" for record in records]


def session(*records: object) -> Session:
    return collect(read_transcript(lines(*records)))


CODEX = (
    {"type": "session_meta", "payload": {"id": "c-1", "cwd": "/work"}},
    {
        "type": "response_item",
        "payload": {"role": "assistant", "content": [{"type": "output_text", "text": "Added it."}]},
    },
)


def test_the_exit_code_of_a_codex_call() -> None:
    output = {"output": "boom", "metadata": {"exit_code": 2}}
    call = {"type": "function_call", "name": "shell", "call_id": "c", "arguments": "{}"}
    done = {"type": "function_call_output", "call_id": "c", "output": json.dumps(output)}
    (step,) = session(
        *CODEX, *({"type": "response_item", "payload": it} for it in (call, done))
    ).steps
    assert step.has_failed
    assert step.result is not None
    assert step.result.text == "boom"


def test_whole_objects_of_a_damaged_line_are_read() -> None:
    first, second, unread = json_lines([b'{"a": 1}{"b": 2}{"c": '])
    assert (first, second) == ((1, {"a": 1}), (1, {"b": 2}))
    assert isinstance(unread, Unread)


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (lines(*CODEX), "codex"),
        ([b'{"type":"summary","summary":"x","leafUuid":"y"}\n'], "claude-code"),
        ([b"not json\n", b'{"type":"user","message":{}}\n'], "claude-code"),
        ([b'{"role":"user","message":{"content":[]}}\n'], "cursor"),
        ([b'{"role":"user","content":"x"}\n'], CONVERSATION_LINES),
        ([b'  [{"role":"user","content":"x"}]'], CONVERSATION),
        ([b'{\n "messages": [\n', b" ]}"], CONVERSATION),
        ([b'{"messages": []}'], CONVERSATION),
        ([b"## Decisions\n", b"- one\n"], SUMMARY),
        ([b'\xef\xbb\xbf{"messages": []}'], CONVERSATION),
        ([b'\xef\xbb\xbf{"role":"user","content":"x"}\n'], CONVERSATION_LINES),
        ([b"\n"], CONVERSATION_LINES),
        ([], CONVERSATION_LINES),
    ],
)
def test_auto_finds_the_format(head: list[bytes], expected: str) -> None:
    assert format_of(head) == expected


def test_bad_lines_are_passed_and_counted() -> None:
    broken = [
        *lines({"type": "user", "sessionId": "s", "message": {"role": "user", "content": "hi"}}),
        b'{"type": "user", "message": \n',
        b'"a scalar"\n',
        b"17\n",
        *lines(
            {"type": "user", "message": "not an object"},
            {"type": "assistant", "message": {"content": {"type": "text", "text": "alone"}}},
            {"type": "assistant", "message": {"content": [3, None, {"type": "tool_use"}]}},
            {"type": "user", "timestamp": "yesterday", "message": {"content": "later"}},
            {"type": "of-the-future", "content": "?"},
        ),
    ]
    read = collect(read_transcript(broken))
    assert [said.text for said in read.messages] == ["hi", "alone", "later"]
    assert len(read.unread) == 3
    assert read.steps[0].call.tool == ""


_KEYS = (
    *("role", "content", "type", "text", "id", "name", "input", "message", "parts", "status"),
    *("payload", "item", "subtype", "event", "$set", "messages", "toolCalls", "result", "info"),
)


@given(
    st.lists(
        st.dictionaries(
            st.sampled_from(["type", "message", "role", "content", "payload", "snapshot", "data"]),
            st.recursive(
                st.none() | st.integers() | st.sampled_from(["user", "assistant", "progress", "x"]),
                lambda inner: (
                    st.lists(inner, max_size=2)
                    | st.dictionaries(st.sampled_from(_KEYS), inner, max_size=3)
                ),
                max_leaves=6,
            ),
            max_size=4,
        ),
        max_size=5,
    ),
    st.sampled_from(FORMATS),
)
def test_readers_take_any_records(records: list[dict[str, object]], chosen: str) -> None:
    read = collect(read_transcript(lines(*records), chosen))
    assert isinstance(read, Session)


def test_the_last_words_are_added_where_the_transcript_lags_behind() -> None:
    read = session(*CODEX)
    assert read.ending_with("Added it.") is read
    assert read.ending_with("  ") is read
    later = read.ending_with("All done.<system-reminder>x</system-reminder>")
    assert later.messages[-1].text == "All done."
    assert later.messages[-1].line > read.messages[-1].line


# Fields that may be anything, branches that were gone back on, and lines of odd clients.


def _lines(*records: object) -> list[bytes]:
    return [json.dumps(record).encode() for record in records]


def _branch(*entries: tuple[str, str]) -> list[str]:
    records = [(line, {"id": key, "up": up, "n": line}) for line, (key, up) in enumerate(entries)]
    return [str(record["id"]) for _, record in active_branch(records, "id", "up")]


def test_what_was_gone_back_on_is_left_out() -> None:
    assert _branch(("a", ""), ("b", "a"), ("c", "b"), ("d", "a")) == ["a", "d"]
    assert _branch(("a", ""), ("b", "a"), ("", "a")) == ["a", "b", ""]
    assert _branch(("a", "x"), ("b", ""), ("c", "a")) == ["a", "b", "c"]
    assert _branch(("a", "b"), ("b", "a"), ("c", "b")) == ["a", "b", "c"]
    assert _branch() == []


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
