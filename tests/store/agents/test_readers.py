from __future__ import annotations

import json

import pytest

from store.agents import codex_rollout
from store.agents.formats import CONVERSATION, CONVERSATION_LINES, SUMMARY, format_of
from store.agents.reading import read_transcript
from store.agents.records import active_branch, json_lines
from store.agents.session import Session, collect
from store.agents.transcript import Message, Unread


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
