"""Gemini CLI's sessions: `~/.gemini/tmp/<project>/chats/session-*.jsonl`.

The first line is the session's. Then a line is a message, in which the last one of an id counts;
`$set` with changed fields, messages among them; or `$rewindTo` with the first message that was
taken back. Sessions of older versions are one JSON object, mostly over many lines: there an event's
line is the number of its message.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
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
    ServerList,
    SessionFile,
    Upward,
    agents_in,
    skills_in,
)
from store.agents.files import (
    context_names,
    files_in,
    first_setting,
    first_string,
    object_in,
)
from store.agents.gemini_parts import function_responses, message_text, response_text
from store.agents.hooks import Answer, Hook, HookEntry, HookState, Trouble
from store.agents.records import Record, instant, json_lines
from store.agents.transcript import Event, Line, Speaker, Unread
from store.platform.bounds import read_regular
from store.platform.json_fields import items, mapping, string

AGENT = "gemini-cli"
_VARIABLE = "GEMINI_CLI_HOME"
_SETTINGS = FilePlace(".gemini/settings.json", variable=_VARIABLE)
_SPEAKERS = {"user": Speaker.USER, "gemini": Speaker.AGENT}
_PROGRAM = frozenset({"info", "error", "warning", "system", ""})


def read(lines: Iterable[bytes]) -> Iterator[Event]:
    """Yield the events of a session's lines, as the conversation was at its end."""
    messages: dict[str, tuple[int, Record]] = {}
    for entry in json_lines(_whole(lines)):
        if isinstance(entry, Unread):
            yield entry
            continue
        number, record = entry
        if "$rewindTo" in record:
            _rewind(messages, string(record["$rewindTo"]))
        elif "$set" in record:
            _add(messages, number, items(mapping(record["$set"]).get("messages")))
        elif "sessionId" in record:
            line = Line(number, instant(record.get("startTime")))
            yield line.info(session_id=string(record.get("sessionId")), agent=AGENT)
            for at, message in enumerate(items(record.get("messages")), number):
                _add(messages, at, [message])
        elif "id" in record:
            _add(messages, number, [record])
    for number, message in messages.values():
        yield from _events(Line(number, instant(message.get("timestamp"))), message)


def _whole(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the lines; an object that is spread over them, as older versions write it, as one."""
    stream = iter(lines)
    first = next(stream, b"")
    if first.strip() == b"{":
        yield first + b"".join(stream)
        return
    yield first
    yield from stream


def _add(messages: dict[str, tuple[int, Record]], line: int, records: list[Record]) -> None:
    for record in map(mapping, records):
        identifier = string(record.get("id")) or f"{line}:{len(messages)}"
        messages[identifier] = (line, record)


def _rewind(messages: dict[str, tuple[int, Record]], first: str) -> None:
    """Take back a message and all that follow; everything where it is not known."""
    keys = list(messages)
    for key in keys[keys.index(first) if first in messages else 0 :]:
        del messages[key]


def _events(line: Line, message: Record) -> Iterator[Event]:
    kind, content = string(message.get("type")), message.get("content")
    if kind not in _SPEAKERS:
        if kind not in _PROGRAM:
            yield line.unknown_role(kind)
        return
    if model := string(message.get("model")):
        yield line.info(model=model)
    yield from line.message(_SPEAKERS[kind], message_text(content))
    for call in map(mapping, items(message.get("toolCalls"))):
        call_id, status = string(call.get("id")), string(call.get("status"))
        called = line._replace(at=instant(call.get("timestamp")) or line.at)
        yield called.call(
            call_id=call_id, tool=string(call.get("name")), arguments=mapping(call.get("args"))
        )
        answers = [
            response_text(response) for _, response in function_responses(call.get("result"))
        ]
        if answers or status:
            yield line.result(
                call_id=call_id,
                text="\n\n".join(text for text, _ in answers),
                failed=status in {"error", "cancelled"} or any(failed for _, failed in answers),
            )


def session_files(home: Home, folders: tuple[Path, ...]) -> Iterator[SessionFile]:
    """Yield the sessions under `~/.gemini/tmp`, whose folders say which project they are of."""
    root = home.folder(_VARIABLE, "") / ".gemini" / "tmp"
    for file in files_in(root, ("*/chats/session-*.json", "*/chats/session-*.jsonl"), AGENT):
        project = file.path.parent.parent
        yield file._replace(folder=_project_root(project), filed_under=project.name)


def sub_agents(path: Path) -> Iterator[Path]:
    """Yield `<session>/*.jsonl` beside a session's file."""
    session_id = first_string(path, "sessionId")
    files = sorted(path.parent.glob("*/*.jsonl"))
    return (file for file in files if file.parent.name == session_id)


def filed_as(folder: Path) -> str:
    """Return the name of a project's folder where no file in it names the project."""
    return sha256(str(folder).encode()).hexdigest()


def _project_root(folder: Path) -> str:
    try:
        return read_regular(folder / ".project_root").decode().strip()
    except (OSError, UnicodeDecodeError):
        return ""


def matches_format(head: Head) -> bool:
    """Return whether a first line, or one object, names a session and the hash of its project."""
    if any("sessionId" in record and "projectHash" in record for record in head.records):
        return True
    return head.start.startswith(b"{") and b'"projectHash"' in head.start[:2_000]


def other_hooks(home: Home, project: Path | None) -> tuple[Path, ...]:
    variable = "GEMINI_CLI_SYSTEM_SETTINGS_PATH"
    return (home.system(variable, "gemini-cli/settings.json", "GeminiCli/settings.json"),)


def trouble(home: Home, path: Path, entry: HookEntry, project: Path | None) -> Trouble | None:
    """Return why Gemini CLI does not run a hook: all are switched off or this one by its command,
    or the project is not trusted: there it runs none, the user's neither (read in 0.61.0).
    """
    shared = (_SETTINGS(home, project),) if project is not None else ()
    own = (*other_hooks(home, project), _SETTINGS(home, None))
    files = tuple(dict.fromkeys((own[0], *shared, path, own[1])))
    switch = first_setting(files, "hooksConfig", "enabled")
    if switch.value is False:
        return Trouble(HookState.DISABLED, f"`hooksConfig.enabled` is false in {switch.path}")
    for settings in files:
        if entry.line in items(mapping(object_in(settings).get("hooksConfig")).get("disabled")):
            return Trouble(HookState.DISABLED, f"listed under `hooksConfig.disabled` in {settings}")
    if project is None or _is_trusted(home, project, own):
        return None
    return Trouble(HookState.UNTRUSTED, f"start gemini in {project} and trust the folder")


def _is_trusted(home: Home, project: Path, settings: tuple[Path, ...]) -> bool:
    chosen = home.environ.get("GEMINI_CLI_TRUST_WORKSPACE", "")
    if chosen == "false" or home.environ.get("GEMINI_RESTRICTED_MODE") == "true":
        return False
    if (
        chosen == "true"
        or first_setting(settings, "security", "folderTrust", "enabled").value is False
    ):
        return True
    place = home.environ.get("GEMINI_CLI_TRUSTED_FOLDERS_PATH", "")
    listed = Path(place) if place else _SETTINGS(home, None).parent / "trustedFolders.json"
    return is_trusted(project, object_in(listed)) is True


def is_trusted(folder: Path, rules: Mapping[str, object]) -> bool | None:
    """Return whether a list of trusted folders trusts this one: by its longest rule that holds it;
    None where none does.
    """
    levels = {"TRUST_FOLDER": True, "TRUST_PARENT": True, "DO_NOT_TRUST": False}
    places = {
        rule: Path(rule).parent if level == "TRUST_PARENT" else Path(rule)
        for rule, level in rules.items()
    }
    real = folder.resolve()
    holding = [rule for rule, place in places.items() if real.is_relative_to(place.resolve())]
    longest = max(holding, key=len, default="")
    return levels.get(str(rules.get(longest)))


def _is_of_project(path: Path, root: Path) -> bool:
    """Return whether a file of a memory lies in the folder of a project."""
    folder = path.parents[1]
    return folder.name == filed_as(root) or _project_root(folder) == str(root)


def _renamed(home: Home, project: Path) -> Mapping[str, tuple[str, ...]]:
    names = context_names((_SETTINGS(home, project), _SETTINGS(home, None)))
    return {"GEMINI.md": tuple(dict.fromkeys((*names, "GEMINI.md")))}


CLIENT = Client(
    name=AGENT,
    title="Gemini CLI",
    session_files=session_files,
    filed_as=filed_as,
    matches_format=matches_format,
    read=read,
    sub_agents=sub_agents,
    hooks=Hooks(
        events=(
            Hook("SessionStart", "session-start", 10),
            Hook("BeforeAgent", "user-prompt", 5),
            Hook("AfterAgent", "stop", 20),
            Hook("SessionEnd", "session-end", 20),
        ),
        style="json-groups",
        file=_SETTINGS,
        answer=Answer.HOOK_OUTPUT,
        unit=0.001,
        trouble=trouble,
        others=other_hooks,
        runs_once=True,
    ),
    resume=("gemini", "--resume", "{id}"),
    asked_by=("gemini", "--skip-trust", "--allowed-mcp-server-names=none"),
    servers=ServerList(_SETTINGS),
    command=CommandFile(FilePlace(".gemini/commands/remember.toml", variable=_VARIABLE)),
    has_comments=True,
    imports=Imports(5, inlined=True),
    renamed=_renamed,
    context=(
        ContextFile("instruction", ".gemini/GEMINI.md", of_user=True),
        ContextFile("instruction", "GEMINI.md", upward=Upward.PROJECT, nested=True),
        ContextFile("memory", ".gemini/tmp/*/memory/MEMORY.md", of_user=True, is_of=_is_of_project),
        ContextFile(
            "memory",
            ".gemini/tmp/*/memory/*.md",
            of_user=True,
            is_of=_is_of_project,
            loading=Loading.ASKED,
        ),
        *skills_in(".gemini/skills", ".agents/skills"),
        *skills_in(".gemini/skills", ".agents/skills", of_user=True),
        *agents_in(".gemini/agents", of_user=True),
    ),
)
