"""A call of a hook: which it is, and what memory needs to know of the session that made it."""

from __future__ import annotations

from collections.abc import Mapping
from glob import escape
from pathlib import Path
from typing import Any, NamedTuple

from store.agents.client import Client, Home
from store.agents.files import session_folder
from store.backends import Location
from store.backends.location import levels_at, named_by_environment, place_to_start, project_store
from store.backends.placement import MemoryPlace, chosen_place, prepare_place
from store.backends.user_data import mine_memory
from store.platform.bounds import load_json
from store.platform.home import expanded
from store.platform.links import is_folder
from store.platform.project import project_of
from store.redaction.labels import agent_name, clean_label
from store.sessions.place import agent_from, issue_for


class HookInput(NamedTuple):
    """The fields of a hook's input that memory uses; empty where the agent does not send them."""

    session_id: str = ""
    transcript_path: str = ""
    agent_transcript_path: str = ""
    folder: str = ""
    event: str = ""
    agent_type: str = ""
    source: str = ""
    reason: str = ""
    prompt: str = ""
    last_words: str = ""
    summary: str = ""
    fields: Mapping[str, Any] | None = None


def is_in_cursor(given: HookInput, environ: Mapping[str, str]) -> bool:
    """Return whether Cursor runs the hook: it runs those of Claude Code, too."""
    return "CURSOR_VERSION" in environ or "cursor_version" in (given.fields or {})


def parse_input(text: str) -> HookInput | None:
    """Return the input that a text holds; None where it is no JSON object."""
    try:
        fields = load_json(text)
    except ValueError:
        return None
    if not isinstance(fields, dict):
        return None

    def first_text(*keys: str) -> str:
        values = (fields.get(key) for key in keys)
        return next((value for value in values if isinstance(value, str) and value), "")

    roots = fields.get("workspace_roots") or fields.get("workspacePaths")
    root = roots[0] if isinstance(roots, list) and roots else ""

    return HookInput(
        session_id=clean_label(
            first_text("session_id", "conversation_id", "sessionId", "conversationId")
        ),
        transcript_path=first_text("transcript_path", "transcriptPath"),
        agent_transcript_path=first_text("agent_transcript_path"),
        folder=first_text("cwd") or str(root),
        event=first_text("hook_event_name"),
        agent_type=agent_name(first_text("agent_type")),
        source=first_text("source"),
        reason=first_text("reason"),
        prompt=first_text("prompt") or _text_of(fields.get("prompt")),
        last_words=first_text("last_assistant_message"),
        summary=first_text("compact_summary"),
        fields=fields,
    )


def _text_of(parts: object) -> str:
    listed = parts if isinstance(parts, list) else []
    texts = [part.get("text") for part in listed if isinstance(part, dict)]
    return "\n".join(text for text in texts if isinstance(text, str))


class Duties(NamedTuple):
    """Duties of a hook, and its time limit in seconds, well inside the one that is installed."""

    seconds: float = 15.0
    recalls: bool = False
    captures: bool = False
    checkpoints: bool = False
    watches_questions: bool = False
    ends_session: bool = False
    """The session's last hook: it leaves a handoff."""


DUTIES: Mapping[str, Duties] = {
    "session-start": Duties(6, recalls=True, watches_questions=True),
    "user-prompt": Duties(3, recalls=True, checkpoints=True),
    "pre-compact": Duties(captures=True, checkpoints=True),
    "post-compact": Duties(captures=True),
    "stop": Duties(captures=True, checkpoints=True, watches_questions=True),
    "subagent-stop": Duties(captures=True),
    "session-end": Duties(
        captures=True, checkpoints=True, watches_questions=True, ends_session=True
    ),
    "pre-tool-use": Duties(2, recalls=True),
    "post-tool-use": Duties(2, recalls=True),
}
HOOKS = tuple(DUTIES)
AT_TOOLS = frozenset({"pre-tool-use", "post-tool-use"})
"""Those of a single act: they do nothing but recall."""


class HookCall(NamedTuple):
    """A hook by its name, its input, the client that runs it, and what that client runs in."""

    hook: str
    given: HookInput
    client: Client
    environ: Mapping[str, str]
    home: Home

    @property
    def named_agent(self) -> str:
        """The agent that the client names, else the one that the session was started for, by
        `MEMTUI_AGENT`; empty where neither is named.
        """
        return self.given.agent_type or agent_from(self.environ)

    @property
    def agent(self) -> str:
        """Agent of the call: the one that is named, else the client's."""
        return self.named_agent or self.client.name

    @property
    def folder(self) -> Path:
        return Path(self.given.folder or ".")

    @property
    def branch(self) -> str:
        """The branch of that folder; empty without a repository."""
        project = project_of(self.folder)
        return project.branch if project else ""

    @property
    def commit(self) -> str:
        """The commit that folder is at; empty without a repository, or one without commits."""
        project = project_of(self.folder)
        return project.commit if project else ""

    @property
    def issue(self) -> int:
        """The issue that the session is about, by environment, input or branch; else 0."""
        return issue_for(environ=self.environ, hook=self.given.fields, branch=self.branch)

    def transcript(self, named: str) -> Path | None:
        """Return the session's file: the one that is named, else the one that the client keeps,
        where it does not name it to hooks.

        Of one that is not there, the file of its name in a folder next to its own: a client that
        enters a worktree names the worktree's folder, and writes on in the one that it began in.
        Raises `NoMemory` for the home of no user.
        """
        if named:
            path = expanded(named)
            others = () if path.exists() else path.parent.parent.glob(f"*/{escape(path.name)}")
            return next(iter(others), path)
        session_id = self.given.session_id
        files = self.client.session_files(self.home, ()) if session_id else ()
        own = (file for file in files if session_id in (file.session_id, file.path.stem))
        return next((file.path for file in own), None)


def in_its_project(given: HookInput) -> HookInput:
    """Return the input with the folder that the session's own file names, where the agent went into
    another project meanwhile: its memories belong to the project that it began in.
    """
    named = given.transcript_path
    folder = Path(session_folder(expanded(named)) if named else "")
    if not folder.is_absolute() or not is_folder(folder):
        return given
    here = Path(given.folder or ".").absolute()
    began, now = project_of(folder), project_of(here)
    if began is None:
        is_there = here.is_relative_to(folder)
    else:
        is_there = now is not None and now.main_root == began.main_root
    return given if is_there else given._replace(folder=str(folder))


def memory_of(folder: Path, environ: Mapping[str, str]) -> Location | None:
    """Return the memory that a session in `folder` belongs to, by the rule of `find_store`, if any.

    Raises `NoMemory` where `MEMTUI_DIR` is wrong, or the memory is a link.
    """
    return named_by_environment(folder, environ) or project_store(folder, environ)


def user_memory(folder: Path, home: Path) -> Location | None:
    """Return the memory for a session where the project has none: the user's own, if any."""
    if not mine_memory().is_dir():
        return None
    return mine_memory() if _is_no_project(folder, home) else levels_at(folder)


def _is_no_project(folder: Path, home: Path) -> bool:
    """Return whether a folder is the home folder or the root of the disk: nobody's project."""
    return place_to_start(folder) in (home, Path(folder.anchor))


def memory_to_start(folder: Path, home: Path, environ: Mapping[str, str]) -> Path | None:
    """Return where a memory begins for a session that has none: in the user's data folder, unless
    the user chose the project. Nothing is written in a project that nobody asked for.

    None for what is nobody's project. Raises `ReadOnly`, `WriteFailed`, `StoreError`.
    """
    if _is_no_project(folder, home):
        return None
    return prepare_place(place_to_start(folder), chosen_place(environ) or MemoryPlace.USER)
