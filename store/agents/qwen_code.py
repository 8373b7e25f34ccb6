"""Qwen Code's sessions: `~/.qwen/projects/<folder>/chats/<session>.jsonl`.

A line is a record that names the one before it, so that what was gone back on is a branch that
ends; messages are lists of parts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from store.agents.client import (
    Client,
    CommandFile,
    ContextFile,
    FilePlace,
    Head,
    Home,
    Hooks,
    Imports,
    Loading,
    RuleFields,
    ServerList,
    SessionFile,
    Upward,
    agents_in,
    skills_in,
)
from store.agents.files import (
    context_names,
    dashed,
    filed_by_folder,
    first_setting,
    forked_from,
)
from store.agents.gemini_parts import function_responses, message_text, response_text
from store.agents.hooks import Hook, HookEntry, HookState, Trouble
from store.agents.records import Record, active_branch, all_records, blocks, instant, tool_call
from store.agents.transcript import Event, Line, Speaker
from store.platform.json_fields import mapping, string

AGENT = "qwen-code"
_VARIABLE = "QWEN_HOME"
_RULE = RuleFields("paths")
_SETTINGS = FilePlace("settings.json", variable=_VARIABLE, folder=".qwen")
_NOT_SAID = frozenset({"notification", "cron", "goal_runtime"})
"""Subtypes of user records that no person wrote."""


def read(lines: Iterable[bytes]) -> Iterator[Event]:
    """Yield the events of a session's lines, as far as they were not gone back on."""
    records, unread = all_records(lines)
    yield from unread
    place: tuple[str, ...] = ()
    for number, record in active_branch(records, "uuid", "parentUuid"):
        here = tuple(string(record.get(key)) for key in ("sessionId", "cwd", "gitBranch", "model"))
        if any(here) and here != place:
            session_id, folder, branch, model = place = here
            yield Line(number).info(
                session_id=session_id, folder=folder, branch=branch, agent=AGENT, model=model
            )
        yield from _events(Line(number, instant(record.get("timestamp"))), record)


def _events(line: Line, record: Record) -> Iterator[Event]:
    kind, parts = string(record.get("type")), mapping(record.get("message")).get("parts")
    if kind == "user":
        if string(record.get("subtype")) not in _NOT_SAID:
            yield from line.message(Speaker.USER, message_text(parts))
    elif kind == "assistant":
        yield from line.message(Speaker.AGENT, message_text(parts))
        for call in (mapping(part.get("functionCall")) for part in blocks(parts)):
            if call:
                yield tool_call(line, call, "args")
    elif kind == "tool_result":
        status = string(mapping(record.get("toolCallResult")).get("status"))
        for call_id, response in function_responses(parts):
            text, failed = response_text(response)
            failed = failed or status in {"error", "cancelled"}
            yield line.result(call_id=call_id, text=text, failed=failed)
    elif kind == "system":
        if record.get("subtype") == "chat_compression":
            yield from line.summary(_summary(record))
    else:
        yield line.unknown_role(kind)


def _summary(record: Record) -> str:
    """Return the summary: the first message of the history that replaced what was compressed."""
    history = mapping(record.get("systemPayload")).get("compressedHistory")
    texts = (message_text(entry.get("parts")).strip() for entry in blocks(history))
    return next(filter(None, texts), "")


def session_files(home: Home, folders: tuple[Path, ...]) -> Iterator[SessionFile]:
    """`<home>/projects/<folder>/chats/<session>.jsonl`."""
    root = home.folder(_VARIABLE, ".qwen") / "projects"
    return filed_by_folder(root, "chats/*.jsonl", AGENT)


def sub_agents(path: Path) -> Iterable[Path]:
    """`subagents/<session>/*.jsonl` beside the folder of a session's file."""
    return sorted((path.parents[1] / "subagents" / path.stem).glob("*.jsonl"))


def file_of(path: Path, session_id: str) -> Path | None:
    """Return the file of another session, in the folder of any project."""
    return next(path.parents[2].glob(f"*/chats/{session_id}.jsonl"), None)


def matches_format(head: Head) -> bool:
    """Records with a `uuid`, whose messages have `parts`, or that say who wrote them."""
    return any(
        "uuid" in record and ("parts" in mapping(record.get("message")) or "provenance" in record)
        for record in head.records
    )


def other_hooks(home: Home, project: Path | None) -> tuple[Path, ...]:
    variable = "QWEN_CODE_SYSTEM_SETTINGS_PATH"
    return (home.system(variable, "qwen-code/settings.json", "QwenCode/settings.json"),)


def trouble(home: Home, path: Path, entry: HookEntry, project: Path | None) -> Trouble | None:
    """Hooks that are switched off: the administrator's word counts before the project's."""
    shared = (_SETTINGS(home, project),) if project is not None else ()
    files = (*other_hooks(home, project), *shared, path, _SETTINGS(home, None))
    switch = first_setting(files, "disableAllHooks")
    if switch.value is True:
        return Trouble(HookState.DISABLED, f"`disableAllHooks` in {switch.path}")
    return None


def _of_user(category: str, pattern: str) -> ContextFile:
    return ContextFile(category, f".qwen/{pattern}", of_user=True, variable=_VARIABLE)


def _memory_in(folder: str) -> tuple[ContextFile, ContextFile]:
    index, topics = _of_user("memory", f"{folder}/MEMORY.md"), _of_user("memory", f"{folder}/*.md")
    return (
        index._replace(most_lines=200, most_bytes=25_000),
        topics._replace(loading=Loading.ASKED),
    )


def _renamed(home: Home, project: Path) -> Mapping[str, tuple[str, ...]]:
    names = context_names((_SETTINGS(home, project), _SETTINGS(home, None)))
    return {"QWEN.md": names, "AGENTS.md": ()} if names else {}


CLIENT = Client(
    name=AGENT,
    title="Qwen Code",
    session_files=session_files,
    filed_as=dashed,
    matches_format=matches_format,
    read=read,
    parent=forked_from,
    file_of=file_of,
    sub_agents=sub_agents,
    hooks=Hooks(
        events=(
            Hook("SessionStart", "session-start", 10),
            Hook("UserPromptSubmit", "user-prompt", 5),
            Hook("PreCompact", "pre-compact", 20),
            Hook("Stop", "stop", 20),
            Hook("SessionEnd", "session-end", 20),
        ),
        style="json-groups",
        file=_SETTINGS,
        trouble=trouble,
        others=other_hooks,
        runs_once=True,
        fire_since="0.24.0",  # 0.23 took the limits for milliseconds
    ),
    resume=("qwen", "--resume", "{id}"),
    asked_by=("qwen", "--safe-mode", "--chat-recording=false"),
    servers=ServerList(_SETTINGS),
    command=CommandFile(FilePlace("commands/remember.md", variable=_VARIABLE, folder=".qwen")),
    has_comments=True,
    imports=Imports(5, inlined=True),
    renamed=_renamed,
    context=(
        _of_user("instruction", "QWEN.md"),
        ContextFile("instruction", "QWEN.md", upward=Upward.PROJECT),
        _of_user("instruction", "AGENTS.md"),
        ContextFile("instruction", "AGENTS.md", upward=Upward.PROJECT),
        ContextFile("instruction", ".qwen/QWEN.local.md"),
        _of_user("instruction", "rules/**/*.md")._replace(rule=_RULE),
        ContextFile("instruction", ".qwen/rules/**/*.md", rule=_RULE),
        *_memory_in("memories"),
        *_memory_in("projects/{project}/memory"),
        *skills_in(".qwen/skills", ".agents/skills"),
        *skills_in(".qwen/skills", of_user=True, variable=_VARIABLE),
        *skills_in(".agents/skills", of_user=True),
        *agents_in(".qwen/agents"),
        *agents_in(".qwen/agents", of_user=True, variable=_VARIABLE),
    ),
)
