from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.agents.formats import CONVERSATION, CONVERSATION_LINES, FORMATS, SUMMARY, format_of
from store.agents.reading import read_transcript
from store.agents.session import Session, collect
from store.agents.transcript import Speaker
from tests.store.capture.transcripts import ClaudeCode


def lines(*records: object) -> list[bytes]:
    return [json.dumps(record).encode() + b"\n" for record in records]


def session(*records: object) -> Session:
    return collect(read_transcript(lines(*records)))


CODEX = (
    {
        "type": "session_meta",
        "payload": {"id": "c-1", "cwd": "/work", "git": {"branch": "issue-7"}},
    },
    {"type": "event_msg", "payload": {"type": "user_message", "message": "Add a limit"}},
    {
        "timestamp": "2026-03-01T12:00:00Z",
        "type": "response_item",
        "payload": {"role": "user", "content": [{"type": "input_text", "text": "Add a limit"}]},
    },
    {"type": "response_item", "payload": {"type": "reasoning", "encrypted_content": "gAAAA"}},
    {
        "type": "response_item",
        "payload": {
            "type": "function_call",
            "name": "shell",
            "call_id": "call_1",
            "arguments": '{"command": ["bash", "-lc", "make test"]}',
        },
    },
    {
        "type": "response_item",
        "payload": {
            "type": "function_call_output",
            "call_id": "call_1",
            "output": '{"output": "boom", "metadata": {"exit_code": 2}}',
        },
    },
    {
        "type": "response_item",
        "payload": {
            "type": "custom_tool_call",
            "name": "apply_patch",
            "call_id": "call_2",
            "input": "*** Begin Patch\n*** Add File: a.py\n+x = 1\n*** End Patch",
        },
    },
    {
        "type": "response_item",
        "payload": {
            "type": "custom_tool_call_output",
            "call_id": "call_2",
            "output": "Exit code: 0\nOutput:\nSuccess",
        },
    },
    {"type": "compacted", "payload": {"message": "## Decisions\n- keep it simple and plain"}},
    {
        "type": "response_item",
        "payload": {"role": "assistant", "content": [{"type": "output_text", "text": "Added it."}]},
    },
)


def test_codex_takes_the_words_once_and_leaves_the_reasoning() -> None:
    read = session(*CODEX)
    assert (read.id, read.folder, read.branch, read.agent) == ("c-1", "/work", "issue-7", "codex")
    assert [said.text for said in read.messages] == ["Add a limit", "Added it."]
    assert [step.has_failed for step in read.steps] == [True, False]
    assert read.steps[0].result is not None
    assert read.steps[0].result.text == "boom"
    assert read.summaries[0].text.startswith("## Decisions")


def test_claude_code_keeps_the_parties_apart() -> None:
    made = (
        ClaudeCode()
        .line("file-history-snapshot", snapshot={"trackedFileBackups": {"a.py": {"version": 1}}})
        .user("Fix the lock")
        .user("a note of the program", isMeta=True)
        .agent("A sub-agent speaks", isSidechain=True)
        .agent("Let me fix it.")
        .edit("lock.py")
        .edit("side.py", side=True)
        .line("system", subtype="compact_boundary")
        .user("Summary: all is well", isCompactSummary=True)
        .agent("You've hit your limit", isApiErrorMessage=True)
    )
    read = collect(read_transcript(f"{line}\n".encode() for line in made.lines))
    assert [(said.speaker, said.text) for said in read.messages] == [
        (Speaker.USER, "Fix the lock"),
        (Speaker.AGENT, "Let me fix it."),
    ]
    assert [step.call.aside for step in read.steps] == [False, True]
    assert read.steps[0].before is not None
    assert read.steps[0].asked is not None
    assert read.summaries[0].text == "Summary: all is well"
    assert read.snapshots[0].paths == ("a.py",)
    assert read.branch == "feature/29-locks"


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
                    | st.dictionaries(
                        st.sampled_from(_KEYS),
                        inner,
                        max_size=3,
                    )
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
