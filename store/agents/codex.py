"""Codex rollouts: `~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl`.

A line is `{timestamp, type, payload}`. What a person wrote stands twice, as a response item and as
an event: the response items are read. Reasoning is encrypted and left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from store.agents.client import (
    ChannelLimits,
    Client,
    CommandFile,
    ContextFile,
    FilePlace,
    Head,
    Home,
    Hooks,
    ServerList,
    SessionFile,
)
from store.agents.files import files_in, first_string, head_of, toml_in, with_folder
from store.agents.hooks import Answer, Hook, HookEntry, HookState, Trouble
from store.agents.noise import without_noise
from store.agents.records import Record, instant, json_lines, load, text_of
from store.agents.transcript import (
    Event,
    Line,
    Message,
    SessionInfo,
    Speaker,
    ToolCall,
    ToolResult,
    Unread,
)
from store.platform.json_fields import mapping, string


def other_hooks(home: Home, project: Path | None) -> tuple[Path, ...]:
    """Return the `[hooks]` of the user's configuration and the project's."""
    return tuple(_CONFIG(home, item) for item in dict.fromkeys((None, project)))


def trouble(home: Home, path: Path, entry: HookEntry, project: Path | None) -> Trouble | None:
    """Hooks that are switched off, that stand in a project which Codex does not trust, or that the
    user has not trusted as they are now.

    Codex keeps what was trusted in its `config.toml`, by the file and the hook's place in it, with
    a hash of the hook.
    """
    rules = home.system("", "codex/requirements.toml", "Codex/requirements.toml")
    if toml_in(rules).get("allow_managed_hooks_only") is True:
        return Trouble(HookState.DISABLED, f"`allow_managed_hooks_only` in {rules}")
    own = _CONFIG(home, None)
    config = toml_in(own)
    trusted = project is not None and _is_trusted(config, project)
    for layer in (rules, *((_CONFIG(home, project),) if trusted else ()), own):
        features = mapping(toml_in(layer).get("features"))
        if features.get("hooks", features.get("codex_hooks")) is False:
            return Trouble(HookState.DISABLED, f"`features.hooks` is false in {layer}")
    if project is not None and path == _HOOKS(home, project) and not trusted:
        return Trouble(HookState.UNTRUSTED, f"start codex in {project} and trust the folder")
    states = mapping(mapping(config.get("hooks")).get("state"))
    state = mapping(states.get(trust_key(path, entry)))
    if state.get("enabled") is False:
        return Trouble(HookState.DISABLED, "switched off in config.toml")
    if state.get("trusted_hash") != trust_hash(entry):
        changed = "it was changed since" if state.get("trusted_hash") else "not yet"
        return Trouble(HookState.UNTRUSTED, f"start codex and trust it ({changed})")
    return None


def _is_trusted(config: Record, project: Path) -> bool:
    projects = mapping(config.get("projects"))
    return any(
        mapping(projects.get(str(folder))).get("trust_level") == "trusted"
        for folder in (project, *project.parents)
    )


def trust_key(path: Path, entry: HookEntry) -> str:
    """Return the name under which Codex keeps whether a hook is trusted."""
    return f"{path}:{_snake(entry.event)}:{entry.group}:{entry.at}"


def _snake(event: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", event).lower()


def trust_hash(entry: HookEntry) -> str:
    """Return the hash by which Codex knows a hook again (seen with 0.169.0)."""
    hook = {"async": False, **entry.settings}
    identity: dict[str, object] = {"event_name": _snake(entry.event), "hooks": [hook]}
    if entry.matcher is not None:
        identity["matcher"] = entry.matcher
    text = json.dumps(identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"sha256:{sha256(text.encode()).hexdigest()}"


AGENT = "codex"
_TYPES = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})
_EXIT_CODE = re.compile(r"(?:Exit code|exited with code):? (\d+)")
_CALLS = frozenset({"function_call", "custom_tool_call", "local_shell_call"})
_OUTPUTS = frozenset({"function_call_output", "custom_tool_call_output", "local_shell_call_output"})
_SUB_AGENT = re.compile(rb'"source"\s*:\s*\{\s*"sub_?agent"')
_OF_THE_GUARDIAN = "it is of Codex's guardian, which judges what another session wants to run"
_SCRIPT = "exec"
"""The tool that takes a script, in code mode."""
_RUNS = re.compile(r'\bexec_command\(\{\s*"?cmd"?\s*:\s*("(?:[^"\\]|\\.)*+")')
_SCRIPT_HEAD = re.compile(r"\AScript completed\s+(?:Wall time [^\n]{1,40}\n)?(?:Output:\s*)?")
_REFUSED = ("apply_patch verification failed", "failed to parse", "error:")
"""How the answer to a call begins that was not carried out, and has no exit code."""
_NAMES = ("rollout-*.jsonl", "rollout-*.jsonl.zst")
_PLACES = ("sessions/*/*/*", "archived_sessions")
_HOOKS = FilePlace("hooks.json", variable="CODEX_HOME", folder=".codex")
_CONFIG = FilePlace("config.toml", variable="CODEX_HOME", folder=".codex")
"""A project's is read where the project is trusted."""
_SPEAKERS = {"user": Speaker.USER, "assistant": Speaker.AGENT}
_PROGRAM = frozenset({"developer", "system", "tool", ""})


def read(lines: Iterable[bytes]) -> Iterator[Event]:
    """Yield the events of a rollout's lines, without the turns that were taken back."""
    rollout = _Rollout()
    events: list[Event] = []
    aside = False
    for entry in json_lines(lines):
        if isinstance(entry, Unread):
            events.append(entry)
            continue
        number, record = entry
        payload = mapping(record.get("payload"))
        if record.get("type") == "session_meta" and _is_guardian(payload):
            yield Unread(line=number, reason=_OF_THE_GUARDIAN, unknown=True)
            return
        if record.get("type") == "session_meta":
            aside = bool(events) and _is_started(payload)
        if payload.get("type") == "thread_rolled_back":
            _take_back(events, payload.get("num_turns"))
        elif aside:
            events.extend(filter(None, map(_by_sub_agent, _events(rollout, number, record))))
        else:
            events.extend(_events(rollout, number, record))
    yield from events


def _is_started(meta: Record) -> bool:
    """Return whether a session's first line says that another session started it."""
    return "thread_spawn" in mapping(mapping(meta.get("source")).get("subagent"))


def _by_sub_agent(event: Event) -> Event | None:
    """Return an event of a session that this one started; None for what is no work of its own."""
    if isinstance(event, ToolCall):
        return event._replace(aside=True)
    if isinstance(event, Message) and event.speaker is Speaker.AGENT:
        return event._replace(speaker=Speaker.SUB_AGENT)
    return event if isinstance(event, ToolResult) else None


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

    With plain tools a call stands as a response item, and its outcome again as a completed item of
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
            # What a script did stands for the script.
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


def session_files(home: Home, folders: tuple[Path, ...]) -> Iterator[SessionFile]:
    """`<config>/sessions/YYYY/MM/DD/rollout-*.jsonl`; the first line says where it ran.

    Those of sub-agents are read with the session that started them.
    """
    root = home.folder("CODEX_HOME", ".codex")
    patterns = [f"{place}/{name}" for place in _PLACES for name in _NAMES]
    return with_folder(files_in(root, patterns, AGENT), "cwd", _SUB_AGENT)


def sub_agents(path: Path) -> Iterator[Path]:
    """The rollouts that a rollout's session started, and these in turn, on its day or the next."""
    if not path.name.startswith("rollout-"):
        return
    started = {first_string(path, "id")}
    day = path.parent
    days = day.parent.glob("[0-9][0-9]") if day.name.isdecimal() else (day,)
    for folder in sorted(folder for folder in days if folder.name >= day.name)[:2]:
        for file in sorted(files_in(folder, _NAMES, AGENT)):
            parent_id = _started_by(file)
            if parent_id and parent_id in started and file.path != path:
                started.add(first_string(file.path, "id"))
                yield file.path


@lru_cache(maxsize=20_000)
def _started_by(file: SessionFile) -> str:
    """Return the session that started a rollout's, empty where a person did."""
    head = head_of(file.path)
    return first_string(file.path, "parent_thread_id") if _SUB_AGENT.search(head) else ""


def parent(path: Path) -> str:
    """Return the session that a rollout's was forked from, empty where it was not."""
    return first_string(path, "forked_from_id")


def matches_format(head: Head) -> bool:
    return any(
        string(record.get("type")) in _TYPES and "payload" in record for record in head.records
    )


CLIENT = Client(
    name=AGENT,
    title="Codex",
    session_files=session_files,
    matches_format=matches_format,
    read=read,
    limits=ChannelLimits(bytes=10_000, tokenizer="gpt"),
    hooks=Hooks(
        events=(
            Hook("SessionStart", "session-start", 10),
            Hook("UserPromptSubmit", "user-prompt", 5),
            Hook("PreCompact", "pre-compact", 20),
            Hook("Stop", "stop", 20),
            Hook("SessionEnd", "session-end", 3),
        ),
        style="json-groups",
        file=_HOOKS,
        answer=Answer.HOOK_OUTPUT,
        trouble=trouble,
        others=other_hooks,
        stale_environment=True,
        after_install="Start codex and trust the hooks when it asks; they don't run before.",
    ),
    parent=parent,
    sub_agents=sub_agents,
    resume=("codex", "resume", "{id}"),
    asked_by=(
        "codex",
        "exec",
        "--skip-git-repo-check",
        "--ephemeral",
        "--sandbox=read-only",
        "--disable=shell_tool",
        "--config=web_search=disabled",
        "-",
    ),
    servers=ServerList(_CONFIG, key="mcp_servers", form="table"),
    command=CommandFile(FilePlace(".agents/skills/remember/SKILL.md"), "$remember"),
    context=(
        ContextFile("instruction", "AGENTS.md"),
        ContextFile("instruction", ".codex/AGENTS.md", of_user=True),
        ContextFile("memory", ".codex/memories/memory_summary.md", of_user=True),
    ),
)
