"""Memory at the moment of acting: before a file is edited, and after a command failed.

A published trial found recall at the point of action worth far more than at a session's start. So
little is told, and nothing twice: what is known of the file, or the same error with its fix.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memtui.hooks.call import HookCall
from memtui.hooks.event import HookInput
from store.platform.bounds import load_json
from store.text.failure import tells_failure

if TYPE_CHECKING:
    from store import Memory
    from store.recall.request import RecallRequest

BUDGET = 300
"""Tokens that may be told at a moment."""
_EDITED = ("file_path", "notebook_path", "path", "filePath")
_EXIT_CODES = ("exit_code", "exitCode", "returnCode", "code")
_OUTPUTS = ("error", "stderr", "stdout", "output")
_COMMANDS = ("command", "cmd", "script")
_MOST_LINES, _MOST_CHARACTERS = 6, 1_200


def recall_before_edit(call: HookCall, memory: Memory) -> str:
    """What is known of the file that is about to be edited: once a session, nothing told before."""
    path = _edited_file(call)
    mark = f"file:{path}"
    if not path or mark in memory.recall.already_injected(call.given.session_id).about:
        return ""
    return _tell(memory, call, _request(call, memory)._replace(file=path), mark)


def recall_after_failure(call: HookCall, memory: Memory) -> str:
    """The fix of the same error, where one is known; nothing for what succeeded."""
    lines = error_lines(call.given)
    if not lines:
        return ""
    request = _request(call, memory)._replace(
        task="\n".join(lines)[:_MOST_CHARACTERS], command=_command(call) or lines[0]
    )
    return _tell(memory, call, request)


def error_lines(given: HookInput) -> list[str]:
    """The lines of a failed command's output that say what went wrong; none where it did not."""
    fields = given.fields or {}
    response = fields.get("tool_response", _object_in(fields.get("tool_output")))
    answer: Mapping[str, Any] = response if isinstance(response, dict) else {}
    if not _failed(given, answer):
        return []
    texts = [fields.get("error"), *(answer.get(key) for key in _OUTPUTS)]
    if isinstance(response, str):
        texts.append(response)
    text = "\n".join(text for text in texts if isinstance(text, str))[-20 * _MOST_CHARACTERS :]
    lines = [line.strip()[:300] for line in text.splitlines() if line.strip()]
    telling = list(filter(tells_failure, lines)) or lines
    return list(dict.fromkeys(telling))[-_MOST_LINES:]


def _object_in(text: object) -> object:
    """What a client hands over as the text of an object, as it does not for others."""
    try:
        return load_json(text) if isinstance(text, str) and text.startswith("{") else text
    except ValueError:
        return text


def _failed(given: HookInput, answer: Mapping[str, Any]) -> bool:
    codes = (answer.get(key) for key in _EXIT_CODES)
    return (
        given.event == "PostToolUseFailure"
        or answer.get("is_error") is True
        or any(isinstance(code, int) and code != 0 for code in codes)
    )


def _edited_file(call: HookCall) -> str:
    """The file that a tool would edit, as the project names it."""
    named = _arguments(call)
    paths = (named.get(key) for key in _EDITED)
    path = next((path for path in paths if isinstance(path, str) and path), "")
    try:
        return Path(path).relative_to(call.folder).as_posix() if path else ""
    except ValueError:
        return path


def _command(call: HookCall) -> str:
    """The command that failed; empty where the client does not tell it."""
    named = _arguments(call)
    command = next((named[key] for key in _COMMANDS if named.get(key)), "")
    words = command if isinstance(command, list) else [command]
    return " ".join(word for word in words if isinstance(word, str))[:_MOST_CHARACTERS]


def _arguments(call: HookCall) -> Mapping[str, object]:
    arguments = (call.given.fields or {}).get("tool_input")
    return arguments if isinstance(arguments, dict) else {}


def _request(call: HookCall, memory: Memory) -> RecallRequest:
    from store.recall.request import RecallRequest
    from store.recall.values import channel_named

    client = call.client.name
    return RecallRequest(
        agent=call.agent,
        budget=min(BUDGET, memory.recall.budget_for(channel_named(client))),
        channel=channel_named(client),
        given=frozenset(memory.recall.already_injected(call.given.session_id).ids),
        client=client,
        session_id=call.given.session_id,
        estimated=True,
        told_only=True,
    )


def _tell(memory: Memory, call: HookCall, request: RecallRequest, mark: str = "") -> str:
    """Tell what a moment is about, and record it; what the session itself taught it knows."""
    return memory.recall.inject(
        memory.recall.plan(request),
        request.agent,
        session_id=call.given.session_id,
        about=(mark,) if mark else (),
    )
