"""The hooks that put memory in front of a session: at its start, for a prompt, before a file is
edited, and after a command failed.

A published trial found recall at the point of action worth far more than at a session's start. So
little is recalled there, and nothing twice: what is known of the file, or the same error's fix.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from memtui.hooks.call import HookCall, HookInput
from memtui.hooks.next_session import next_session, request_at_start, with_hint, with_questions
from store.agents.noise import without_noise
from store.memory import Memory
from store.platform.bounds import load_json
from store.recall.request import RecallRequest
from store.recall.values import channel_named
from store.text.failure import has_failure_words

PROMPT_BUDGET = 1_500
"""Tokens that what a prompt recalls may take."""
BUDGET = 300
"""Most tokens at the use of a tool."""
_EDITED = ("file_path", "notebook_path", "path", "filePath")
_EXIT_CODES = ("exit_code", "exitCode", "returnCode", "code")
_OUTPUTS = ("error", "stderr", "stdout", "output")
_COMMANDS = ("command", "cmd", "script")
_MOST_LINES, _MOST_CHARACTERS = 6, 1_200
_CONTINUED = frozenset({"resume", "fork"})
"""Starts after which the session still has what it got before."""
_SAME = _CONTINUED | {"compact", "clear"}
"""Starts that begin no other conversation, or whose user ended the last one."""


def recall_at_start(call: HookCall, memory: Memory) -> str:
    """Recall for the start of a session, by its branch, changed files and last commits.

    After the agent's own compaction it gets all of it again; a resumed or forked session gets only
    what is new, and nothing that it taught memory itself. A new one learns how the session before
    it was interrupted, if it was.
    """
    given = call.given
    goes_on = given.source in _CONTINUED
    session = next_session(
        call.client.name,
        call.folder,
        call.environ,
        hook=given.fields,
        agent=given.agent_type,
        given=_injected_before(call, memory) if goes_on else (),
        session_id=given.session_id if goes_on else "",
    )
    if given.source not in _SAME:
        request = request_at_start(memory, session, given.session_id)
    else:
        asked = session.request if goes_on else with_hint(memory, session.request)
        request = with_questions(memory, asked)
    return memory.recall.inject(
        memory.recall.plan(request._replace(told_only=True)),
        request.agent,
        request.issue,
        session_id=given.session_id,
        afresh=not goes_on,
    )


def _injected_before(call: HookCall, memory: Memory) -> Collection[str]:
    """Return the ids that a resumed session got, and those of the one that it was forked from."""
    given, parent = call.given, call.client.parent
    ids = set(memory.recall.already_injected(given.session_id).ids)
    if given.source == "fork" and parent is not None and given.transcript_path:
        before = parent(Path(given.transcript_path))
        ids |= memory.recall.already_injected(before).ids
        ids |= {item.id for item in memory.sessions.captured_from(before, None)}
    return ids


def recall_for_prompt(call: HookCall, memory: Memory) -> str:
    """Recall for a prompt, without what the session got before; mostly nothing."""
    prompt = without_noise(call.given.prompt)
    if not prompt.strip():
        return ""
    request = _request(call, memory, PROMPT_BUDGET)
    return _recalled(
        memory, call, request._replace(task=prompt, issue=call.issue or None, branch=call.branch)
    )


def recall_before_edit(call: HookCall, memory: Memory) -> str:
    """Recall for the file that is about to be edited: once a session, and nothing it got before."""
    path = _edited_file(call)
    mark = f"file:{path}"
    if not path or mark in memory.recall.already_injected(call.given.session_id).about:
        return ""
    return _recalled(memory, call, _request(call, memory, BUDGET)._replace(file=path), mark)


def recall_after_failure(call: HookCall, memory: Memory) -> str:
    """Return the fix of the same error, where one is known; nothing for what succeeded."""
    lines = error_lines(call.given)
    if not lines:
        return ""
    request = _request(call, memory, BUDGET)._replace(
        task="\n".join(lines)[:_MOST_CHARACTERS], command=_command(call) or lines[0]
    )
    return _recalled(memory, call, request)


def error_lines(given: HookInput) -> list[str]:
    """Return the lines of a command's output that explain its failure; none where it succeeded."""
    fields = given.fields or {}
    response = fields.get("tool_response", _object_in(fields.get("tool_output")))
    answer: Mapping[str, Any] = response if isinstance(response, dict) else {}
    if not _has_failed(given, answer):
        return []
    texts = [fields.get("error"), *(answer.get(key) for key in _OUTPUTS)]
    if isinstance(response, str):
        texts.append(response)
    text = "\n".join(text for text in texts if isinstance(text, str))[-20 * _MOST_CHARACTERS :]
    lines = [line.strip()[:300] for line in text.splitlines() if line.strip()]
    telling = list(filter(has_failure_words, lines)) or lines
    return list(dict.fromkeys(telling))[-_MOST_LINES:]


def _object_in(text: object) -> object:
    """Return what a client hands over as the text of an object, as it does not for others."""
    try:
        return load_json(text) if isinstance(text, str) and text.startswith("{") else text
    except ValueError:
        return text


def _has_failed(given: HookInput, answer: Mapping[str, Any]) -> bool:
    codes = (answer.get(key) for key in _EXIT_CODES)
    return (
        given.event == "PostToolUseFailure"
        or answer.get("is_error") is True
        or any(isinstance(code, int) and code != 0 for code in codes)
    )


def _edited_file(call: HookCall) -> str:
    named = _arguments(call)
    paths = (named.get(key) for key in _EDITED)
    path = next((path for path in paths if isinstance(path, str) and path), "")
    try:
        return Path(path).relative_to(call.folder).as_posix() if path else ""
    except ValueError:
        return path


def _command(call: HookCall) -> str:
    """Return the command that failed; empty where the client does not name it."""
    named = _arguments(call)
    command = next((named[key] for key in _COMMANDS if named.get(key)), "")
    words = command if isinstance(command, list) else [command]
    return " ".join(word for word in words if isinstance(word, str))[:_MOST_CHARACTERS]


def _arguments(call: HookCall) -> Mapping[str, object]:
    arguments = (call.given.fields or {}).get("tool_input")
    return arguments if isinstance(arguments, dict) else {}


def _request(call: HookCall, memory: Memory, budget: int) -> RecallRequest:
    client = call.client.name
    return RecallRequest(
        agent=call.agent,
        budget=min(budget, memory.recall.budget_for(channel_named(client))),
        channel=channel_named(client),
        given=frozenset(memory.recall.already_injected(call.given.session_id).ids),
        client=client,
        session_id=call.given.session_id,
        estimated=True,
        told_only=True,
    )


def _recalled(memory: Memory, call: HookCall, request: RecallRequest, mark: str = "") -> str:
    """Carry out a request and record it; without memories that the session itself taught."""
    return memory.recall.inject(
        memory.recall.plan(request),
        request.agent,
        request.issue,
        session_id=call.given.session_id,
        about=(mark,) if mark else (),
    )
