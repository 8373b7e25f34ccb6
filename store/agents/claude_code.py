"""Claude Code's transcripts: `~/.claude/projects/<folder>/<session>.jsonl`.

A line is a message (`user`, `assistant`), a snapshot of changed files, or the program's own notes.
The program's notes and its meta messages are left out. A message names the
one that it follows: what a person took back stays in the file as a branch that leads nowhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from store.agents.client import (
    ChannelLimits,
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
)
from store.agents.files import (
    dashed,
    filed_by_folder,
    first_setting,
    first_string,
    forked_from,
    object_in,
)
from store.agents.hooks import Hook, HookEntry, HookState, Trouble
from store.agents.records import Record, blocks, instant, json_lines, text_of, tool_call
from store.agents.transcript import Event, Line, Message, SessionInfo, Snapshot, Speaker, Unread
from store.platform.json_fields import mapping, string, strings

AGENT = "claude-code"
_VARIABLE = "CLAUDE_CONFIG_DIR"
_SETTINGS = FilePlace("settings.json", variable=_VARIABLE, folder=".claude")
_STATE = FilePlace(".claude.json", in_project=".mcp.json", variable=_VARIABLE)
_MEMORY = ".claude/projects/{project}/memory"
_RULE = RuleFields("paths")
_OWN = ("CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md")
_of_user = partial(ContextFile, of_user=True, variable=_VARIABLE)
_TYPES = frozenset(
    {
        "user",
        "assistant",
        "summary",
        "file-history-snapshot",
        "system",
        "progress",
        "queue-operation",
        "attachment",
    }
)
_NO_MODEL = "<synthetic>"
"""Stands for the model in messages that the program wrote itself: `No response requested.`"""
_NO_PROMPT = ("isMeta", "isSidechain", "isCompactSummary")
"""Marks of a user's message that no person typed."""
_FOREIGN = frozenset({"provenance", "projectHash", "systemPayload"})
"""Fields of other clients' lines that have the same types."""
_NOTES = ('{"task_id":', "<task-notification>")
"""How the program's own notes begin, which wait in the queue as well, and are never taken out."""


class _Node(NamedTuple):
    """A line in the tree of messages: its own key, that of the message it follows, its events."""

    events: tuple[Event, ...]
    key: str = ""
    parent: str = ""
    is_prompt: bool = False
    is_aside: bool = False


def read(lines: Iterable[bytes]) -> Iterator[Event]:
    """Yield the events of a transcript's lines, as the conversation was at its end."""
    transcript = _Transcript()
    for entry in json_lines(lines):
        if isinstance(entry, Unread):
            transcript.nodes.append(_Node((entry,)))
        else:
            transcript.add(*entry)
    yield from transcript.events()


class _Transcript:
    """The lines read so far: a tree of messages, and the prompts that wait to be read."""

    def __init__(self) -> None:
        self.nodes: list[_Node] = []
        self._queue: list[Message] = []
        self._messages: dict[str, object] = {}
        self._session_id = self._model = ""
        self._place: tuple[str, ...] = ()

    def add(self, number: int, record: Record) -> None:
        key, message = string(record.get("uuid")), record.get("message")
        if key and message and self._messages.get(key) == message:
            return  # a branch wrote it twice
        self._messages[key] = message
        line = Line(number, instant(record.get("timestamp")))
        info = self._changed_place(line, record)
        if record.get("type") == "queue-operation":
            _follow_queue(self._queue, line, record)
        self.nodes.append(
            _Node(
                (*info, *_events(line, record)),
                key=key,
                parent=string(record.get("parentUuid")) or string(record.get("logicalParentUuid")),
                is_prompt=_is_prompt(record),
                is_aside=bool(record.get("isSidechain")),
            )
        )

    def _changed_place(self, line: Line, record: Record) -> Iterable[SessionInfo]:
        """Return where the session ran from this line on, if that changed."""
        session_id, folder = string(record.get("sessionId")), string(record.get("cwd"))
        self._session_id = session_id or self._session_id
        model = string(mapping(record.get("message")).get("model"))
        if model and model != _NO_MODEL:
            self._model = model
        place = (session_id, folder, _branch(record), self._model)
        if not any(place) or place == self._place:
            return ()
        self._place = place
        return (
            Line(line.number).info(
                session_id=session_id,
                folder=folder,
                branch=_branch(record),
                agent=AGENT,
                model=self._model,
            ),
        )

    def events(self) -> Iterator[Event]:
        if self._session_id:  # of the last line: a copy may begin with lines of the other's
            yield Line(1).info(session_id=self._session_id)
        taken_back = _taken_back(self.nodes)
        for node in self.nodes:
            for event in node.events:
                if node.key not in taken_back or isinstance(event, SessionInfo):
                    yield event
        yield from self._queue


def _taken_back(nodes: Iterable[_Node]) -> set[str]:
    """Return the keys of messages that a person went back on: side branches that a prompt begins.

    Other side branches are calls that ran at the same time, and their results. Lines that follow
    none on the way to the last message are kept: their beginning is missing.
    """
    by_key = {node.key: node for node in nodes if node.key}
    last = next((key for key in reversed(by_key) if not by_key[key].is_aside), "")
    active: set[str] = set()
    while last in by_key and last not in active:
        active.add(last)
        last = by_key[last].parent
    gone: set[str] = set()
    for key, node in by_key.items():
        if key not in active and (
            node.parent in gone or (node.is_prompt and node.parent in active)
        ):
            gone.add(key)
    return gone


def _is_prompt(record: Record) -> bool:
    if record.get("type") != "user" or any(map(record.get, _NO_PROMPT)):
        return False
    found = blocks(mapping(record.get("message")).get("content"))
    kinds = {string(block.get("type")) for block in found}
    return "text" in kinds and "tool_result" not in kinds


def _follow_queue(queue: list[Message], line: Line, record: Record) -> None:
    """Keep the prompts that were typed while the agent worked and wait to be read by it."""
    operation = record.get("operation")
    if operation == "enqueue":
        text = text_of(record.get("content"))
        if not text.startswith(_NOTES):
            queue.extend(line.message(Speaker.USER, text))
    elif operation == "popAll":
        queue.clear()
    else:
        del queue[:1]


def _branch(record: Record) -> str:
    branch = string(record.get("gitBranch"))
    return "" if branch == "HEAD" else branch


def _events(line: Line, record: Record) -> Iterator[Event]:
    kind, is_aside = record.get("type"), bool(record.get("isSidechain"))
    message = mapping(record.get("message"))
    content = message.get("content")
    is_answer = message.get("model") != _NO_MODEL and not record.get("isApiErrorMessage")
    if kind == "file-history-snapshot":
        snapshot = mapping(record.get("snapshot"))
        if tracked := mapping(snapshot.get("trackedFileBackups")):
            paths = tuple(map(str, tracked))
            yield Snapshot(line.number, paths, instant(snapshot.get("timestamp")))
    elif kind == "progress":
        inner = mapping(mapping(record.get("data")).get("message"))
        if inner.get("type") == "assistant":
            yield from _calls(line, mapping(inner.get("message")).get("content"), aside=True)
    elif kind == "assistant" and is_answer:
        yield from _words(line, content, Speaker.SUB_AGENT if is_aside else Speaker.AGENT)
        yield from _calls(line, content, aside=is_aside)
    elif kind == "user" and record.get("isCompactSummary"):
        yield from line.summary(text_of(content))
    elif kind == "user":
        yield from _results(line, content)
        if not record.get("isMeta") and not is_aside:
            yield from _words(line, content, Speaker.USER)
    elif kind == "attachment":
        # A prompt that was typed while the agent worked, where the agent read it.
        attached = mapping(record.get("attachment"))
        is_prompt = attached.get("commandMode") in (None, "prompt")
        if attached.get("type") == "queued_command" and is_prompt:
            yield from line.message(Speaker.USER, text_of(attached.get("prompt")))


def _words(line: Line, content: object, speaker: Speaker) -> Iterator[Event]:
    for block in blocks(content):
        if block.get("type") == "text":
            yield from line.message(speaker, string(block.get("text")))


def _calls(line: Line, content: object, *, aside: bool) -> Iterator[Event]:
    for block in blocks(content):
        if block.get("type") == "tool_use":
            yield tool_call(line, block, aside=aside)


def _results(line: Line, content: object) -> Iterator[Event]:
    for block in blocks(content):
        if block.get("type") == "tool_result":
            yield line.result(
                call_id=string(block.get("tool_use_id")),
                text=text_of(block.get("content")),
                failed=block.get("is_error") is True,
            )


def session_files(home: Home, folders: tuple[Path, ...]) -> Iterator[SessionFile]:
    """`<config>/projects/<folder>/<session>.jsonl`; sub-agents' own files are read with them."""
    root = home.folder(_VARIABLE, ".claude") / "projects"
    return filed_by_folder(root, "*.jsonl", AGENT)


def sub_agents(path: Path) -> Iterable[Path]:
    """`<session>/subagents/*.jsonl` next to a session's file."""
    return sorted((path.with_suffix("") / "subagents").glob("*.jsonl"))


def parent(path: Path) -> str:
    """Return the session that a file's began as a copy of; its own id where it is none.

    Lines of a branch name it; a session resumed under a new id begins with lines of the old one.
    """
    return forked_from(path) or first_string(path, "sessionId")


def file_of(path: Path, session_id: str) -> Path | None:
    """Return the file of another session, in the folder of any project."""
    return next(path.parent.parent.glob(f"*/{session_id}.jsonl"), None)


def matches_format(head: Head) -> bool:
    """Lines of a known type, whose messages have `content`."""
    return any(map(_is_line, head.records))


def _is_line(record: Record) -> bool:
    kind = string(record.get("type"))
    if not kind or _FOREIGN & record.keys() or "parts" in mapping(record.get("message")):
        return False
    if kind in {"user", "assistant"}:
        return isinstance(record.get("message"), dict)
    return kind in _TYPES or "sessionId" in record


def other_hooks(home: Home, project: Path | None) -> tuple[Path, ...]:
    """Return the project's settings that are not shared, and the administrator's."""
    managed = _managed(home) / "managed-settings.json"
    local = (project / ".claude" / "settings.local.json",) if project is not None else ()
    return (*local, managed)


def trouble(home: Home, path: Path, entry: HookEntry, project: Path | None) -> Trouble | None:
    """Hooks that are switched off, by the administrator or in the nearest settings that say it."""
    *local, managed = other_hooks(home, project)
    for key in ("disableAllHooks", "allowManagedHooksOnly"):
        if object_in(managed).get(key) is True:
            return Trouble(HookState.DISABLED, f"`{key}` in {managed}")
    shared = (_SETTINGS(home, project),) if project is not None else ()
    switch = first_setting((*local, *shared, path, _SETTINGS(home, None)), "disableAllHooks")
    if switch.value is True:
        return Trouble(HookState.DISABLED, f"`disableAllHooks` in {switch.path}")
    return None


def _managed(home: Home) -> Path:
    return home.system("", "claude-code", "ClaudeCode")


def _excluded(home: Home, project: Path) -> Iterator[str]:
    places = (_SETTINGS(home, None), _SETTINGS(home, project), *other_hooks(home, project))
    for place in places:
        yield from strings(object_in(place).get("claudeMdExcludes"))


def _may_import(home: Home, folders: Iterable[Path]) -> bool:
    projects = mapping(object_in(_STATE(home, None)).get("projects"))
    found = (mapping(projects.get(str(folder))) for folder in folders)
    return any(project.get("hasClaudeMdExternalIncludesApproved") is True for project in found)


def _has_memory(home: Home) -> bool:
    return object_in(_SETTINGS(home, None)).get("autoMemoryEnabled") is not False


CLIENT = Client(
    name=AGENT,
    title="Claude Code",
    session_files=session_files,
    filed_as=dashed,
    matches_format=matches_format,
    read=read,
    sub_agents=sub_agents,
    parent=parent,
    file_of=file_of,
    limits=ChannelLimits(characters=10_000, tokenizer="claude"),
    hooks=Hooks(
        events=(
            Hook("SessionStart", "session-start", 10),
            Hook("UserPromptSubmit", "user-prompt", 5),
            Hook("PreToolUse", "pre-tool-use", 5, matcher="Edit|MultiEdit|Write|NotebookEdit"),
            Hook("PostToolUseFailure", "post-tool-use", 5, matcher="Bash"),
            Hook("PreCompact", "pre-compact", 20),
            Hook("PostCompact", "post-compact", 20),
            Hook("Stop", "stop", 20),
            Hook("SessionEnd", "session-end", 20),
        ),
        style="json-groups",
        file=_SETTINGS,
        trouble=trouble,
        others=other_hooks,
        runs_once=True,
    ),
    resume=("claude", "--resume", "{id}"),
    asked_by=("claude", "-p", "--tools", "", "--strict-mcp-config", "--no-session-persistence"),
    session_variable="CLAUDECODE",
    servers=ServerList(
        _STATE,
        form="typed",
        after_install="Claude Code asks once before it starts a project's server.",
    ),
    command=CommandFile(
        FilePlace("skills/remember/SKILL.md", variable=_VARIABLE, folder=".claude")
    ),
    imports=Imports(5, is_allowed=_may_import),
    excluded=_excluded,
    context=(
        ContextFile("instruction", "CLAUDE.md", of_user=True, place=_managed),
        ContextFile(
            "instruction", ".claude/rules/**/*.md", of_user=True, place=_managed, rule=_RULE
        ),
        _of_user("instruction", ".claude/CLAUDE.md"),
        _of_user("instruction", ".claude/rules/**/*.md", rule=_RULE),
        ContextFile("instruction", "CLAUDE.md", upward=Upward.DISK, nested=True),
        ContextFile("instruction", ".claude/CLAUDE.md", upward=Upward.DISK),
        ContextFile("instruction", ".claude/rules/**/*.md", upward=Upward.DISK, rule=_RULE),
        ContextFile("instruction", "CLAUDE.local.md", upward=Upward.DISK, nested=True),
        ContextFile("instruction", "AGENTS.md", upward=Upward.DISK, unless=_OWN),
        ContextFile("instruction", ".claude/AGENTS.md", upward=Upward.DISK, unless=_OWN),
        ContextFile("skill", ".claude/skills/*/SKILL.md"),
        ContextFile("agent-def", ".claude/agents/*.md"),
        ContextFile("template", ".claude/commands/*.md"),
        _of_user("skill", ".claude/skills/*/SKILL.md"),
        _of_user("agent-def", ".claude/agents/*.md"),
        _of_user("template", ".claude/commands/*.md"),
        _of_user(
            "memory", f"{_MEMORY}/MEMORY.md", most_lines=200, most_bytes=25_000, is_on=_has_memory
        ),
        _of_user("memory", f"{_MEMORY}/*.md", loading=Loading.ASKED, is_on=_has_memory),
    ),
)
