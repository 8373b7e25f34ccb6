"""What a hook's input has of a tool's use: the file it edits, the command that failed, and why."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memtui.hooks.call import HookCall, HookInput
from store.platform.bounds import load_json

_EDITED_KEYS = ("file_path", "notebook_path", "path", "filePath")
_EXIT_CODE_KEYS = ("exit_code", "exitCode", "returnCode", "code")
_OUTPUT_KEYS = ("error", "stderr", "stdout", "output")
_COMMAND_KEYS = ("command", "cmd", "script")
MOST_CHARACTERS = 1_200
"""Characters of a failure that are searched for."""
_MOST_LINES = 6


def edited_file(call: HookCall) -> str:
    """Return the file that a tool edits, as in the project; empty where it edits none."""
    arguments = _arguments(call)
    paths = (arguments.get(key) for key in _EDITED_KEYS)
    path = next((path for path in paths if isinstance(path, str) and path), "")
    try:
        return Path(path).relative_to(call.folder).as_posix() if path else ""
    except ValueError:
        return path


def error_lines(given: HookInput) -> list[str]:
    """Return the lines of a command's output that explain its failure; none where it succeeded."""
    fields = given.fields or {}
    response = fields.get("tool_response", _object_in(fields.get("tool_output")))
    answer: Mapping[str, Any] = response if isinstance(response, dict) else {}
    if not _has_failed(given, answer):
        return []
    from store.text.failure import has_failure_words  # few commands fail

    texts = [fields.get("error"), *(answer.get(key) for key in _OUTPUT_KEYS)]
    if isinstance(response, str):
        texts.append(response)
    text = "\n".join(text for text in texts if isinstance(text, str))[-20 * MOST_CHARACTERS :]
    lines = [line.strip()[:300] for line in text.splitlines() if line.strip()]
    telling = list(filter(has_failure_words, lines)) or lines
    return list(dict.fromkeys(telling))[-_MOST_LINES:]


def failed_command(call: HookCall) -> str:
    """Return the command that failed; empty where the client does not name it."""
    arguments = _arguments(call)
    command = next((arguments[key] for key in _COMMAND_KEYS if arguments.get(key)), "")
    words = command if isinstance(command, list) else [command]
    return " ".join(word for word in words if isinstance(word, str))[:MOST_CHARACTERS]


def _arguments(call: HookCall) -> Mapping[str, object]:
    arguments = (call.given.fields or {}).get("tool_input")
    return arguments if isinstance(arguments, dict) else {}


def _has_failed(given: HookInput, answer: Mapping[str, Any]) -> bool:
    codes = (answer.get(key) for key in _EXIT_CODE_KEYS)
    return (
        given.event == "PostToolUseFailure"
        or answer.get("is_error") is True
        or any(isinstance(code, int) and code != 0 for code in codes)
    )


def _object_in(text: object) -> object:
    """Return the object that a text holds as JSON; anything else as it is."""
    try:
        return load_json(text) if isinstance(text, str) and text.startswith("{") else text
    except ValueError:
        return text
