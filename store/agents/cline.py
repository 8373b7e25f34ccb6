"""Cline's sessions: `~/.cline/data/sessions/<id>/<id>.messages.json`, its version 1.

`<id>.json` beside it says where the session ran. Messages are blocks of text, `tool_use` and
`tool_result`; a result is text, or a list of what each query gave. In an editor it keeps task
folders (`cline_tasks`).
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

from store.agents.client import Client, ContextFile, Head, Home, SessionFile
from store.agents.files import files_in, head_of, object_in
from store.agents.records import Record, blocks, instant, load, tool_call, whole_json
from store.agents.transcript import Event, Line, Speaker, ToolResult, Unread
from store.platform.json_fields import items, mapping, string

NAME = "api_conversation_history.json"
_EDITORS = ("Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf")
_TASKS = "User/globalStorage/saoudrizwan.claude-dev/tasks"
_OPENS = re.compile(rb'"text"\s*:\s*"<task>')
_FOLDER = re.compile(r"^# Current Working Directory \((.+?)\) Files", re.M)
_FOLDER_IN_JSON = re.compile(r"# Current Working Directory \((.+?)\) Files")
_SAID = re.compile(r"<(task|feedback|user_message|answer)>\s*(.*?)\s*</\1>", re.S)
_RESULT = re.compile(r"\[(\w+)(?: for .*?)?\] Result:\s*", re.S)
_PROGRAM = re.compile(
    r"\s*(?:<environment_details>|# task_progress|\[TASK RESUMPTION\]|\[ERROR\]|<file_content"
    r"|Files attached by the user:|<explicit_instructions|# TODO LIST)"
)
_NOTHING = re.compile(r"\(The user did not provide a new message\b")
_FAILED = re.compile(
    r"The tool execution failed|The user denied|exited with (?:code |status )?[1-9]|<error>"
)
_CALL = re.compile(r"<([a-z]+(?:_[a-z]+)+)>\s*((?:<\w+>.*?</\w+>\s*)*)</\1>", re.S)
_ARGUMENT = re.compile(r"<(\w+)>\s*(.*?)\s*</\1>", re.S)
_THOUGHT = re.compile(r"<thinking>.*?</thinking>\s*", re.S)
_SPOKEN = {
    "plan_mode_respond": "response",
    "attempt_completion": "result",
    "ask_followup_question": "question",
}
"""Calls that only say something to the person."""
_HEAD = 65_536
"""Bytes of a task's beginning that are looked at to recognise it."""


def read_task(whole: object, agent: str) -> Iterator[Event]:
    """Yield the events of one task. An event's line is the number of its message."""
    waiting: list[tuple[str, str]] = []
    begun = sha256(repr(items(whole)[:1]).encode()).hexdigest()[:8]
    for number, message in enumerate(map(mapping, items(whole)), 1):
        line, role = Line(number, instant(message.get("ts"))), string(message.get("role"))
        model = string(mapping(message.get("modelInfo")).get("modelId"))
        if model or number == 1:
            yield line.info(agent=agent, model=model)
        if role == "assistant":
            yield from _by_agent(line, message, waiting, begun)
        elif role == "user":
            yield from _by_person(line, message, waiting)
        else:
            yield line.unknown_role(role)


def _by_agent(
    line: Line, message: Record, waiting: list[tuple[str, str]], begun: str
) -> Iterator[Event]:
    """Yield what an agent said and called. A call without an id gets one that is no other task's:
    by it memory knows what it holds already.
    """
    waiting.clear()
    calls: list[Record] = []
    for block in blocks(message.get("content")):
        if block.get("type") == "text":
            text = _THOUGHT.sub("", string(block.get("text")))
            calls += [
                {"name": name, "input": dict(_ARGUMENT.findall(given))}
                for name, given in _CALL.findall(text)
            ]
            yield from line.message(Speaker.AGENT, _CALL.sub("", text))
        elif block.get("type") == "tool_use":
            calls.append(block)
    for number, call in enumerate(calls):
        name = string(call.get("name"))
        identifier = string(call.get("id")) or f"{begun}.{line.number}.{number}"
        waiting.append((name, identifier))
        spoken = string(mapping(call.get("input")).get(_SPOKEN.get(name, "")))
        yield from line.message(Speaker.AGENT, spoken)
        yield tool_call(line, {**call, "id": identifier})


def _by_person(line: Line, message: Record, waiting: list[tuple[str, str]]) -> Iterator[Event]:
    for block in blocks(message.get("content")):
        text = string(block.get("text"))
        if block.get("type") == "tool_result":
            text = "\n".join(string(item.get("text")) for item in blocks(block.get("content")))
            yield _result(line, string(block.get("tool_use_id")), text)
        elif result := _RESULT.match(text):
            call = next((call for call in waiting if call[0] == result[1]), ("", ""))
            waiting[:] = [other for other in waiting if other[1] != call[1]]
            yield _result(line, call[1], text[result.end() :])
        if place := _FOLDER.search(text):
            yield line.info(folder=place[1])
        said = [words for _, words in _SAID.findall(text)]
        if not said and block.get("type") == "text" and not _is_programs(text):
            said = [text]
        for words in said:
            if not _NOTHING.match(words):
                yield from line.message(Speaker.USER, words)


def _result(line: Line, call_id: str, text: str) -> ToolResult:
    return line.result(call_id=call_id, text=text, failed=bool(_FAILED.search(text)))


def _is_programs(text: str) -> bool:
    return bool(_PROGRAM.match(text) or _RESULT.match(text))


def task_files(home: Home, agent: str) -> Iterator[SessionFile]:
    for editor in _EDITORS:
        for file in files_in(_settings(home) / editor / _TASKS, (f"*/{NAME}",), agent):
            yield file._replace(session_id=file.path.parent.name, folder=_began_in(file.path))


def _settings(home: Home) -> Path:
    if sys.platform == "darwin":
        return home.path / "Library" / "Application Support"
    return home.folder("XDG_CONFIG_HOME", ".config")


def _began_in(path: Path) -> str:
    """Folder in which a task began; empty where the beginning of its file does not say."""
    place = _FOLDER_IN_JSON.search(head_of(path).decode("utf-8", "replace"))
    return place[1].replace("\\\\", "\\") if place else ""


def is_task(head: Head) -> bool:
    return head.start.startswith(b"[") and bool(_OPENS.search(head.start, 0, _HEAD))


AGENT = "cline"
_ENDING = ".messages.json"
_SPEAKERS = {"user": Speaker.USER, "assistant": Speaker.AGENT}
_INPUT = re.compile(r"</?user_input\b[^>]*>")
_EXITED = re.compile(r"\A\[Command exited with code \d+\]\s*(?:\[std(?:out|err)\]\s*)?")
_KEYS = (b'"sessionId"', b'"messages"', b'"agent"')


def read(lines: Iterable[bytes]) -> Iterator[Event]:
    """Yield the events of one session. An event's line is the number of its message."""
    content = whole_json(lines)
    if isinstance(content, Unread):
        yield content
        return
    if isinstance(content, list):
        yield from read_task(content, AGENT)
        return
    whole = mapping(content)
    yield Line(1).info(session_id=string(whole.get("sessionId")), agent=AGENT)
    for number, message in enumerate(map(mapping, items(whole.get("messages"))), 1):
        line = Line(number, instant(message.get("ts")))
        speaker = _SPEAKERS.get(string(message.get("role")))
        if speaker is None:
            yield line.unknown_role(string(message.get("role")))
            continue
        if model := string(mapping(message.get("modelInfo")).get("id")):
            yield line.info(model=model)
        yield from _message(line, speaker, message)


def _message(line: Line, speaker: Speaker, message: Record) -> Iterator[Event]:
    for block in blocks(message.get("content")):
        kind = block.get("type")
        if kind == "text":
            yield from line.message(speaker, _INPUT.sub("", string(block.get("text"))))
        elif kind == "tool_use":
            yield tool_call(line, block)
        elif kind == "tool_result":
            answers = list(_answers(block.get("content")))
            yield line.result(
                call_id=string(block.get("tool_use_id")),
                text="\n".join(_EXITED.sub("", text) for text, _ in answers),
                failed=block.get("is_error") is True or any(failed for _, failed in answers),
            )


def _answers(content: object) -> Iterator[tuple[str, bool]]:
    if isinstance(content, str):
        try:
            answer: Any = load(content)
        except ValueError:
            answer = {"result": content}
        content = [answer if isinstance(answer, dict) else {"result": content}]
    for item in map(mapping, items(content)):
        answer = item.get("result") or item.get("text") or item.get("error")
        yield string(answer), item.get("success") is False


def session_files(home: Home, folders: tuple[Path, ...]) -> Iterator[SessionFile]:
    """Yield the messages of each session; those of agents that it spawned are left out."""
    root = home.folder("CLINE_DATA_DIR", ".cline/data") / "sessions"
    root = home.folder("CLINE_SESSION_DATA_DIR", str(root))
    for file in files_in(root, (f"*/*{_ENDING}",), AGENT):
        name = file.path.parent.name
        if file.path.name != name + _ENDING:
            continue
        folder = string(object_in(file.path.with_name(f"{name}.json")).get("cwd"))
        yield file._replace(session_id=name, folder=folder)
    yield from task_files(home, AGENT)


def matches_format(head: Head) -> bool:
    """One object with the session's id, whose agent it is, and its messages; or a task's array."""
    if is_task(head):
        return True
    return head.start.startswith(b"{") and all(key in head.start for key in _KEYS)


CLIENT = Client(
    name=AGENT,
    title="Cline",
    session_files=session_files,
    matches_format=matches_format,
    read=read,
    resume=("cline", "--id", "{id}"),
    context=(
        ContextFile("instruction", "AGENTS.md"),
        ContextFile("instruction", ".clinerules"),
        ContextFile("instruction", ".clinerules/*.md"),
    ),
)
