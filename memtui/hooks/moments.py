"""Memory at the moment of acting: before a file is edited, and after a command failed.

A published trial found recall at the point of action worth far more than at a session's start. So
little is told, and nothing twice: what is known of the file, or the same error with its fix.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memtui.hooks.call import HookCall
from memtui.hooks.event import HookInput
from store.bounds import load_json
from store.search import stems_of
from store.text import tells_failure

if TYPE_CHECKING:
    from store import Memory, Observation
    from store.values import Ranked, RecallRequest

BUDGET = 300
"""Tokens that may be told at a moment."""
_EDITED = ("file_path", "notebook_path", "path", "filePath")
_EXIT_CODES = ("exit_code", "exitCode", "returnCode", "code")
_OUTPUTS = ("error", "stderr", "stdout", "output")
_FIXES = frozenset({"error", "lesson", "procedure", "decision", "key-fact"})
"""Categories in which a fix may stand."""
_MOST_LINES, _MOST_CHARACTERS = 6, 1_200
_FEWEST = 3
"""Words that a memory must share with a line of the error, and half of the line's."""


def recall_before_edit(call: HookCall, memory: Memory) -> str:
    """What is known of the file that is about to be edited: once a session, nothing told before."""
    from store.values import mention_of_file

    path = _edited_file(call)
    told = memory.recall.already_injected(call.given.session_id)
    mark = f"file:{path}"
    if not path or mark in told.about:
        return ""
    name = path.rpartition("/")[2]

    def is_about(observation: Observation) -> bool:
        return name in observation.content and bool(mention_of_file(path, observation.content))

    return _tell(memory, call, _request(call, told.ids, memory, path), is_about, mark)


def recall_after_failure(call: HookCall, memory: Memory) -> str:
    """The fix of the same error, where one is known; nothing for what succeeded."""
    lines = error_lines(call.given)
    if not lines:
        return ""
    wanted = [words for line in lines if len(words := stems_of(line)) >= _FEWEST]

    def is_about(observation: Observation) -> bool:
        return observation.category in _FIXES and any(
            _is_same(words, observation.content) for words in wanted
        )

    told = memory.recall.already_injected(call.given.session_id).ids
    request = _request(call, told, memory, "\n".join(lines))
    return _tell(memory, call, request, is_about, "")


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


def _is_same(words: frozenset[str], content: str) -> bool:
    common = words & stems_of(content)
    return len(common) >= max(_FEWEST, ceil(len(words) / 2))


def _edited_file(call: HookCall) -> str:
    """The file that a tool would edit, as the project names it."""
    arguments = (call.given.fields or {}).get("tool_input")
    named = arguments if isinstance(arguments, dict) else {}
    paths = (named.get(key) for key in _EDITED)
    path = next((path for path in paths if isinstance(path, str) and path), "")
    try:
        return Path(path).relative_to(call.folder).as_posix() if path else ""
    except ValueError:
        return path


def _request(call: HookCall, told: Collection[str], memory: Memory, task: str) -> RecallRequest:
    from store.values import RecallRequest, channel_named

    client = call.client.name
    return RecallRequest(
        agent=call.agent,
        task=task[:_MOST_CHARACTERS],
        budget=min(BUDGET, memory.recall.budget_for(channel_named(client))),
        channel=channel_named(client),
        given=frozenset(told),
        client=client,
        estimated=True,
        told_only=True,
    )


def _tell(
    memory: Memory,
    call: HookCall,
    request: RecallRequest,
    is_about: Callable[[Observation], bool],
    mark: str,
) -> str:
    """Tell what a moment is about, and record it; what the session itself taught it knows."""
    session_id = call.given.session_id

    def choose(ranked: Sequence[Ranked]) -> set[str]:
        found = (it.observation for it in ranked)
        about = {it.id for it in found if is_about(it) and not _is_own(it, session_id)}
        return about if about - request.given else set()

    recall = memory.recall.plan(request, choose=choose)
    marks = (mark,) if mark else ()
    return memory.recall.inject(recall, request.agent, session_id=session_id, about=marks)


def _is_own(observation: Observation, session_id: str) -> bool:
    return bool(session_id) and observation.session_id == session_id
