"""Cline's and Roo's tasks in an editor: a folder each, with `api_conversation_history.json`.

It is an array of messages. Calls are `tool_use` blocks, or XML in the agent's text; the result of
the latter is text that begins with the tool's name in brackets.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from store.agents.client import Head, Home, SessionFile
from store.agents.files import files_in, head_of
from store.agents.records import Record, blocks, instant, tool_call
from store.agents.transcript import Event, Line, Speaker, ToolResult
from store.platform.json_fields import items, mapping, string

_FILE_NAME = "api_conversation_history.json"
_EDITORS = ("Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf")
_STORAGE = "User/globalStorage"
_OPENS = re.compile(rb'"text"\s*:\s*"<(?:task|user_message|explicit_instructions)\b')
_OF_ROO = b"# Current Workspace Directory ("
_FOLDER = re.compile(r"^# Current (?:Working|Workspace) Directory \((.+?)\) Files", re.M)
_FOLDER_IN_JSON = re.compile(r"# Current (?:Working|Workspace) Directory \((.+?)\) Files")
_PERSONS_WORDS = re.compile(r"<(task|feedback|user_message|answer)>\s*(.*?)\s*</\1>", re.S)
_COMMAND = re.compile(r"Command '([^'\n]+)' \(see below for command content\)")
"""What Roo writes in place of a slash command; what it stands for is below the person's words."""
_RESULT = re.compile(r"\[(\w+)(?: for .*?)?\] Result:\s*", re.S)
_PROGRAM = re.compile(
    r"\s*(?:<environment_details>|# task_progress|\[TASK RESUMPTION\]|\[ERROR\]|<file_content"
    r"|Files attached by the user:|<explicit_instructions|# TODO LIST)"
)
_NOTHING = re.compile(r"\(The user did not provide a new message\b")
_FAILED = re.compile(
    r"The tool execution failed|The user denied|Command execution was not successful"
    r"|exited with (?:code |status )?[1-9]|<error>"
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
            text = "\n".join(string(part.get("text")) for part in blocks(block.get("content")))
            yield _result(line, string(block.get("tool_use_id")), text)
        elif result := _RESULT.match(text):
            call = next((call for call in waiting if call[0] == result[1]), ("", ""))
            waiting[:] = [other for other in waiting if other[1] != call[1]]
            yield _result(line, call[1], text[result.end() :])
        if place := _FOLDER.search(text):
            yield line.info(folder=place[1])
        spoken = [words for _, words in _PERSONS_WORDS.findall(text)]
        if not spoken and block.get("type") == "text" and not _is_programs(text):
            spoken = [text]
        for words in spoken:
            if not _NOTHING.match(words):
                yield from line.message(Speaker.USER, _COMMAND.sub(r"/\1", words))


def _result(line: Line, call_id: str, text: str) -> ToolResult:
    return line.result(call_id=call_id, text=text, failed=bool(_FAILED.search(text)))


def _is_programs(text: str) -> bool:
    return bool(_PROGRAM.match(text) or _RESULT.match(text))


def task_files(home: Home, extension: str, agent: str) -> Iterator[SessionFile]:
    """Yield the tasks that an extension keeps, in all editors that it runs in."""
    for editor in _EDITORS:
        root = editors_folder(home) / editor / _STORAGE / extension / "tasks"
        for file in files_in(root, (f"*/{_FILE_NAME}",), agent):
            yield file._replace(session_id=file.path.parent.name, folder=_began_in(file.path))


def editors_folder(home: Home) -> Path:
    """Return the folder in which VS Code and editors made from it keep theirs."""
    if sys.platform == "darwin":
        return home.path / "Library" / "Application Support"
    return home.folder("XDG_CONFIG_HOME", ".config")


def _began_in(path: Path) -> str:
    """Folder in which a task began; empty where the beginning of its file does not say."""
    place = _FOLDER_IN_JSON.search(head_of(path).decode("utf-8", "replace"))
    return place[1].replace("\\\\", "\\") if place else ""


def is_task(head: Head) -> bool:
    return head.start.startswith(b"[") and bool(_OPENS.search(head.start, 0, _HEAD))


def is_roos_task(head: Head) -> bool:
    """Return whether a task is Roo's, by its word for the folder that it began in."""
    return is_task(head) and _OF_ROO in head.start[:_HEAD]
