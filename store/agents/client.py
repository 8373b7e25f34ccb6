"""An agent's program (a client): one frozen value, made by its module.

A client's module holds `CLIENT`, and nothing is known of that client anywhere else. The registry
(`store.agents.registry`) finds it by name and imports no other.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import KW_ONLY, dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeAlias

from store.agents.hooks import Answer, Hook, HookEntry, Trouble
from store.agents.transcript import Event
from store.platform.home import expanded, home_folder


class Home(NamedTuple):
    """The folders of a user's clients: the home folder and the environment's variables.

    Under `root` lies what the machine's administrator sets.
    """

    path: Path
    environ: Mapping[str, str]
    root: Path = Path("/")

    @property
    def data(self) -> Path:
        """The user's folder for data that memtui keeps."""
        usual = "Library/Application Support" if sys.platform == "darwin" else ".local/share"
        return self.folder("XDG_DATA_HOME", usual) / "memtui"

    @classmethod
    def of_user(cls) -> Home:
        """Return the home of whoever runs this process, with the variables that it was given."""
        return cls(home_folder(), os.environ)

    def folder(self, variable: str, default: str) -> Path:
        """Return the folder that a variable names, else `default` under the home folder."""
        chosen = self.environ.get(variable, "")
        return expanded(chosen) if chosen else self.path / default

    def system(self, variable: str, linux: str, mac: str) -> Path:
        """A file of the administrator: where a variable points, else where the system has it."""
        chosen = self.environ.get(variable, "")
        usual = f"Library/Application Support/{mac}" if sys.platform == "darwin" else f"etc/{linux}"
        return expanded(chosen) if chosen else self.root / usual


class Head(NamedTuple):
    """The first lines of a file, for recognising it: as bytes, and those that are JSON objects."""

    start: bytes
    records: tuple[Mapping[str, Any], ...]


class SessionFile(NamedTuple):
    """A session on disk. `size` in bytes; `modified` in UTC.

    A session in a database has the path `FILE#ID`. `session_id` is empty where reading tells it;
    `folder` is where the session ran, as far as it is known without reading all of it;
    `filed_under` is the name that the client made of a folder, where it files sessions by such.
    `repository` is the first commit of the repository it ran in, where the client keeps it so.
    """

    path: Path
    client: str
    modified: datetime
    size: int
    session_id: str = ""
    folder: str = ""
    filed_under: str = ""
    repository: str = ""


class ChannelLimits(NamedTuple):
    """Limits of a client for a hook's text; None where no limit is known.

    It counts tokens, characters or bytes of UTF-8. `tokenizer` is the family that its models count
    with: `claude` or `gpt`.
    """

    tokens: int | None = None
    characters: int | None = None
    bytes: int | None = None
    tokenizer: str = "claude"


UNLIMITED = ChannelLimits()


class Loading(StrEnum):
    """When a client has a file in a session's context."""

    START = "start"
    MATCHING = "matching"
    """Once a file that it is for is worked on."""
    DESCRIPTION = "description"
    """Its description at the start; the agent asks for the rest."""
    ASKED = "asked"
    """Once the agent, or its user, asks for it."""
    ALLOWED = "allowed"
    """Once its user allows files from outside the session's folder."""
    OFF = "off"
    """Never: a setting of the client switches it off."""


class RuleFields(NamedTuple):
    """The properties of a rule's file by which it is loaded: those that name the files it is
    for, whether it always is, and what it is about.

    Without a property for `always`, a rule that names no files is loaded at the start.
    """

    files: str
    always: str = ""
    description: str = "description"


class Upward(StrEnum):
    """From where down to a session's folder a client looks for a file in each folder."""

    PROJECT = "project"
    DISK = "disk"


class ContextFile(NamedTuple):
    """A kind of file that a client loads at a session's start: its category, and where it lies.

    `pattern` is for `Path.glob`, under the project, or under the user's home where `of_user`; with
    `upward`, under each folder on the way to the session's. Of several, apart by `|`, the first
    that a folder has is loaded. `{project}` is replaced by the project's path with dashes. The
    first folder of a user's pattern is elsewhere where `variable` is set; `place` is the folder
    where it lies outside of both. It is loaded `unless`
    one of these is there. Of a file with `most_lines` or `most_bytes` only the first so many are
    loaded; where it `keeps_end`, half of the bytes are the last. `nested`: those in folders below
    are loaded as files there are worked on. `is_of` is whether a file is of a project, `is_on`
    whether the user's settings have it loaded.
    """

    category: str
    pattern: str
    of_user: bool = False
    most_lines: int | None = None
    most_bytes: int | None = None
    keeps_end: bool = False
    upward: Upward | None = None
    variable: str = ""
    unless: tuple[str, ...] = ()
    nested: bool = False
    rule: RuleFields | None = None
    loading: Loading = Loading.START
    is_of: Callable[[Path, Path], bool] | None = None
    is_on: Callable[[Home], bool] | None = None
    place: Callable[[Home], Path] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The patterns, the first choice first."""
        return tuple(self.pattern.split("|"))


def skills_in(*folders: str, of_user: bool = False, variable: str = "") -> tuple[ContextFile, ...]:
    """Return the kinds of the skills in some folders: their names and descriptions are loaded."""
    return tuple(
        ContextFile("skill", f"{folder}/*/SKILL.md", of_user=of_user, variable=variable)
        for folder in folders
    )


def agents_in(*folders: str, of_user: bool = False, variable: str = "") -> tuple[ContextFile, ...]:
    """Return the kinds of the sub-agents in some folders, likewise."""
    return tuple(
        ContextFile("agent-def", f"{folder}/*.md", of_user=of_user, variable=variable)
        for folder in folders
    )


class Imports(NamedTuple):
    """How a client takes in files that others name as `@path`: through so many of them.

    `inlined`: each takes the place where it is named, again and again, and only files of the
    project do; otherwise each is loaded once, from anywhere. With `is_allowed` a project's files
    import those from outside a session's folder only where its user allowed it for one of these.
    """

    most: int
    inlined: bool = False
    is_allowed: Callable[[Home, Iterable[Path]], bool] | None = None


@dataclass(frozen=True)
class FilePlace:
    """Where a client has a file: its `path` in the user's folder for the client, which `variable`
    names or else lies at `folder` in the home.

    In a project it lies at `in_project`; by default where it would in a home, None for nowhere.
    """

    path: str
    _: KW_ONLY
    folder: str = ""
    variable: str = ""
    in_project: str | None = ""

    def __call__(self, home: Home, project: Path | None) -> Path:
        if project is not None and self.in_project is not None:
            return project / (self.in_project or Path(self.folder, self.path))
        return home.folder(self.variable, self.folder) / self.path


SessionFinder = Callable[[Home, tuple[Path, ...]], Iterable[SessionFile]]
"""All sessions a client keeps, wherever they ran. Those of a client that keeps them in projects are
looked for in the folders.
"""
Reader: TypeAlias = "Callable[[Iterable[bytes]], Iterator[Event]]"
"""The events of a session file's lines."""


class Hooks(NamedTuple):
    """The hooks that a client offers, and the files that hold them.

    `style` is how they are written (`hook_styles`); `file` gives the user's file, or a project's;
    `others` are further files whose hooks the client runs in a project. `runs_once`: a line that
    several of them have runs once. `unit` is that of the time limits, in seconds. `trouble` is why
    an entry in a file would not run in a project. `starts_with_prompt`: what a session starts with
    can only be injected with the first prompt. `stale_environment`: hooks may run with the
    variables of another shell. `plugin_of` is the client whose plugin it takes, if it has none of
    its own: its name there is used as this one's. `keys` are those of an entry's command line and
    of its time limit, in JSON; an entry of others than the usual ones names its type. `under` is
    the key that has them all: in some clients' files the name of the program that added them.
    `after_install` is what the user has to do. `fire_since` is the oldest version in which they
    were seen to run to their end, where they were seen not to in an older one.
    """

    events: tuple[Hook, ...]
    style: Literal["json-groups", "json-lists", "toml-tables", "plugin"]
    file: Callable[[Home, Path | None], Path]
    answer: Answer = Answer.TEXT
    unit: float = 1
    trouble: Callable[[Home, Path, HookEntry, Path | None], Trouble | None] | None = None
    others: Callable[[Home, Path | None], tuple[Path, ...]] | None = None
    runs_once: bool = False
    starts_with_prompt: bool = False
    stale_environment: bool = False
    plugin_of: str = ""
    keys: tuple[str, str] = ("command", "timeout")
    under: str = "hooks"
    after_install: str = ""
    fire_since: str = ""


class ServerList(NamedTuple):
    """The place of the MCP servers that a client starts: the user's file, or a project's.

    They are under `key`; `form` is how one is written: `plain` or `typed` (with its type) in
    JSON, `line` (one list of words) in JSON, `table` in TOML. `fields` are what else one needs.
    `folder` is the client's variable for the project's folder, for clients that start servers
    elsewhere.
    """

    file: Callable[[Home, Path | None], Path]
    key: str = "mcpServers"
    form: str = "plain"
    fields: Mapping[str, Any] = MappingProxyType({})
    folder: str = ""
    after_install: str = ""


class CommandFile(NamedTuple):
    """Where a client reads a command of its user's: the user's file, or a project's; a skill, a
    prompt or a custom command. `typed` is how it is called.
    """

    file: Callable[[Home, Path | None], Path]
    typed: str = "/remember"


class Client(NamedTuple):
    """One client: how its sessions are found, recognised, read and resumed, and what it loads.

    `resume` is the command that goes on with a session, its id for `{id}`; empty where there is
    none. `lines` opens a session that shares its file with others, by the path `FILE#ID`; None for
    a path that is not of this client. `parent` is the id of the session that a file's began as a
    copy of, empty or its own where it is none; `file_of` finds the file of another session, by its
    id, from the file of one. `sub_agents` are the files of those that a file's session started.
    `servers` is where its MCP servers are named. `asked_by` is the command that answers a prompt on
    standard input, with as few tools as it can, and keeps no session where it need not; empty where
    none is known. `session_variable` is the one by which it refuses to start in a session of its
    own. `filed_as` gives the name under which it files the sessions of a folder, where it does so.
    `command` is where it reads the command by which an agent stores what its session taught.
    `has_comments`: its JSON files may have comments, and commas at the end of lists. `context` are
    the files that it loads, in its order; of a project's instructions at most `most_instructions`
    bytes. `renamed` are the names that its settings give files in a project instead, `excluded` the
    patterns of the paths of those that they switch off.
    """

    name: str
    title: str
    session_files: SessionFinder = lambda home, folders: ()
    matches_format: Callable[[Head], bool] = lambda head: False
    read: Reader = lambda lines: iter(())
    limits: ChannelLimits = UNLIMITED
    hooks: Hooks | None = None
    resume: tuple[str, ...] = ()
    context: tuple[ContextFile, ...] = ()
    imports: Imports | None = None
    most_instructions: Callable[[Home], int] | None = None
    renamed: Callable[[Home, Path], Mapping[str, tuple[str, ...]]] | None = None
    excluded: Callable[[Home, Path], Iterable[str]] | None = None
    lines: Callable[[Path], AbstractContextManager[Iterable[bytes]] | None] | None = None
    parent: Callable[[Path], str] | None = None
    file_of: Callable[[Path, str], Path | None] | None = None
    sub_agents: Callable[[Path], Iterable[Path]] | None = None
    servers: ServerList | None = None
    asked_by: tuple[str, ...] = ()
    session_variable: str = ""
    filed_as: Callable[[Path], str] | None = None
    command: CommandFile | None = None
    has_comments: bool = False

    @property
    def program(self) -> str:
        """The name of its program; empty where it has none to be started by a command."""
        return self.resume[0] if self.resume else ""

    @property
    def asking(self) -> str:
        """The command that answers a prompt, as it is typed; empty where none is known."""
        return shlex.join(self.asked_by)

    def resume_command(self, session_id: str) -> tuple[str, ...]:
        """Return the words of the command that goes on with a session; none where there is none."""
        return tuple(word.replace("{id}", session_id) for word in self.resume)
