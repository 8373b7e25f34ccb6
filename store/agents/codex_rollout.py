"""The format of Codex's rollouts: a line is `{timestamp, type, payload}`.

What a person wrote is there twice, as a response item and as an event: the response items are read.
Reasoning is encrypted and left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from store.agents.client import Head
from store.agents.noise import without_noise
from store.agents.records import Record, instant, json_lines, load, text_of
from store.agents.transcript import Event, Line, Message, SessionInfo, Speaker, ToolCall, Unread
from store.platform.json_fields import mapping, string

AGENT = "codex"
_TYPES = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})
_EXIT_CODE = re.compile(r"(?:Exit code|exited with code):? (\d+)")
_CALLS = frozenset({"function_call", "custom_tool_call", "local_shell_call"})
_OUTPUTS = frozenset({"function_call_output", "custom_tool_call_output", "local_shell_call_output"})
_OF_THE_GUARDIAN = "it is of Codex's guardian, which judges what another session wants to run"
_SCRIPT = "exec"
"""The tool that takes a script, in code mode."""
_RUNS = re.compile(r'\bexec_command\(\{\s*"?cmd"?\s*:\s*("(?:[^"\\]|\\.)*+")')
_SCRIPT_HEAD = re.compile(r"\AScript completed\s+(?:Wall time [^\n]{1,40}\n)?(?:Output:\s*)?")
_REFUSED = ("apply_patch verification failed", "failed to parse", "error:")
"""How the answer to a call begins that was not carried out, and has no exit code."""
_SPEAKERS = {"user": Speaker.USER, "assistant": Speaker.AGENT}
_PROGRAM = frozenset({"developer", "system", "tool", ""})


def matches_format(head: Head) -> bool:
    return any(
        string(record.get("type")) in _TYPES and "payload" in record for record in head.records
    )


def read(lines: Iterable[bytes]) -> Iterator[Event]:
    """Yield the events of a rollout's lines, without the turns that were taken back."""
    rollout = _Rollout()
    events: list[Event] = []
    for entry in json_lines(lines):
        if isinstance(entry, Unread):
            events.append(entry)
            continue
        number, record = entry
        payload = mapping(record.get("payload"))
        if record.get("type") == "session_meta" and _is_guardian(payload):
            yield Unread(line=number, reason=_OF_THE_GUARDIAN, unknown=True)
            return
        if payload.get("type") == "thread_rolled_back":
            _take_back(events, payload.get("num_turns"))
        else:
            events.extend(_events(rollout, number, record))
    yield from events


def _take_back(events: list[Event], turns: object) -> None:
    """Leave out the last turns, each from what the person asked; the session's place stays."""
    prompts = [
        index
        for index, event in enumerate(events)
        if isinstance(event, Message)
        and event.speaker is Speaker.USER
        and without_noise(event.text)
    ]
    if isinstance(turns, int) and turns > 0 and prompts:
        start = prompts[max(len(prompts) - turns, 0)]
        events[start:] = [event for event in events[start:] if isinstance(event, SessionInfo)]


def _events(rollout: _Rollout, number: int, record: Record) -> Iterator[Event]:
    kind, payload = string(record.get("type")), mapping(record.get("payload"))
    line = Line(number, instant(record.get("timestamp")))
    if kind in {"session_meta", "turn_context"}:
        yield line.info(
            session_id=string(payload.get("id")) or string(payload.get("session_id")),
            folder=string(payload.get("cwd")),
            branch=string(mapping(payload.get("git")).get("branch")),
            agent=AGENT,
            model=string(payload.get("model")),
        )
    elif kind == "compacted":
        yield from line.summary(string(payload.get("message")))
    elif kind == "response_item":
        yield from rollout.response(line, payload)
    elif kind == "event_msg" and payload.get("type") == "item_completed":
        yield from rollout.completed(line, mapping(payload.get("item")))
    elif kind == "event_msg" and payload.get("type") == "patch_apply_end":
        yield from rollout.completed(line, _patched(payload))


def _is_guardian(meta: Record) -> bool:
    sub_agent = mapping(mapping(meta.get("source")).get("subagent"))
    return string(sub_agent.get("other")) == "guardian"


class _Rollout:
    """What was called and answered so far.

    With plain tools a call is a response item, and its outcome a completed item of
    the same id. In code mode the response item is a script, and only the completed items tell what
    it ran and changed.
    """

    def __init__(self) -> None:
        self._called: set[str] = set()
        self._answered: set[str] = set()
        self._scripts: set[str] = set()
        self._script: ToolCall | None = None

    def response(self, line: Line, payload: Record) -> Iterator[Event]:
        kind = string(payload.get("type")) or "message"
        call_id = string(payload.get("call_id"))
        if kind == "message":
            yield from _message(line, payload)
        elif kind in _CALLS:
            if call_id and call_id in self._called:
                return  # a sub-agent's file begins with a copy of its parent's
            tool = string(payload.get("name")) or "shell"
            call = line.call(call_id=call_id, tool=tool, arguments=_arguments(payload))
            self._called.add(call_id)
            if kind == "custom_tool_call" and tool == _SCRIPT:
                self._script = call
                self._scripts.add(call_id)
            else:
                yield call
        elif kind in _OUTPUTS:
            text, failed = _output(payload.get("output"))
            script = self._script if self._script and self._script.call_id == call_id else None
            if script is not None:
                self._script = None
                yield _single_command(script)
                text = _SCRIPT_HEAD.sub("", text)
            elif call_id in self._answered | self._scripts or call_id not in self._called:
                return
            yield line.result(call_id=call_id, text=text, failed=failed)

    def completed(self, line: Line, item: Record) -> Iterator[Event]:
        """Yield the events of a completed item: a command that ran, or files that were changed."""
        kind, call_id = item.get("type"), string(item.get("id"))
        if call_id in self._answered:
            return
        if kind == "CommandExecution":
            tool, arguments = "exec_command", {"command": _command(item.get("command"))}
            text = string(item.get("aggregated_output"))
            failed = item.get("exit_code") not in (0, None)
        elif kind == "FileChange":
            tool, arguments = "apply_patch", {"input": _patch(mapping(item.get("changes")))}
            text = string(item.get("stdout")) + string(item.get("stderr"))
            failed = item.get("status") != "completed"
        else:
            return
        if call_id not in self._called:
            # What a script did is read in place of the script.
            self._script = None
            yield line.call(call_id=call_id, tool=tool, arguments=arguments)
        self._answered.add(call_id)
        yield line.result(call_id=call_id, text=text, failed=failed)


def _message(line: Line, payload: Record) -> Iterator[Event]:
    role = string(payload.get("role"))
    if role in _SPEAKERS:
        yield from line.message(_SPEAKERS[role], text_of(payload.get("content")))
    elif role not in _PROGRAM:
        yield line.unknown_role(role)


def _patched(payload: Record) -> Record:
    status = "completed" if payload.get("success") else "failed"
    return {**payload, "type": "FileChange", "id": payload.get("call_id"), "status": status}


def _single_command(script: ToolCall) -> ToolCall:
    """Return a script that runs a single command as that command: no other line may tell of it."""
    runs = _RUNS.findall(string(script.arguments.get("input")))
    command = _object(f'{{"command":{runs[0]}}}') if len(runs) == 1 else None
    return script._replace(tool="exec_command", arguments=command) if command else script


def _command(words: object) -> object:
    if isinstance(words, list) and len(words) == 3 and words[1] in ("-lc", "-c"):
        return words[2]
    return words


def _patch(changes: Record) -> str:
    """Return the files of a change as the patch that `apply_patch` takes."""
    parts = []
    for path, change in changes.items():
        change = mapping(change)
        kind = string(change.get("type"))
        heading = {"add": "Add", "delete": "Delete"}.get(kind, "Update")
        body = string(change.get("unified_diff"))
        if not body and kind in {"add", "delete"}:
            sign = "+" if kind == "add" else "-"
            body = "\n".join(sign + row for row in string(change.get("content")).splitlines())
        moved = string(change.get("move_path"))
        move = f"*** Move to: {moved}\n" if moved else ""
        parts.append(f"*** {heading} File: {path}\n{move}{body}\n")
    return "*** Begin Patch\n" + "".join(parts) + "*** End Patch\n"


def _arguments(payload: Record) -> Record:
    for key in ("arguments", "input", "action"):
        value = payload.get(key)
        if isinstance(value, dict):
            return value
        if isinstance(value, str):
            found = _object(value)
            return {"input": value} if found is None else found
    return {}


def _object(text: str) -> dict[str, Any] | None:
    try:
        value = load(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _output(output: object) -> tuple[str, bool]:
    text = text_of(output)
    wrapped = _object(text) if text.startswith("{") else None
    if wrapped is not None and "output" in wrapped:
        code = mapping(wrapped.get("metadata")).get("exit_code", 0)
        return string(wrapped.get("output")), code not in (0, None)
    code_line = _EXIT_CODE.search(text[:200])
    failed = bool(code_line and code_line.group(1) != "0")
    return text, failed or text.startswith(_REFUSED)
