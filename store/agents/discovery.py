"""The session files there are: in the clients' own folders, or under any folder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, suppress
from datetime import UTC, datetime
from itertools import chain, islice
from pathlib import Path
from typing import BinaryIO

from store.agents.client import Head, Home, SessionFile
from store.agents.compressed import ENDING, open_session_file, plain_path
from store.agents.files import files_at, head_of
from store.agents.noise import without_noise
from store.agents.ownership import sort_sessions
from store.agents.reading import SUB_AGENT, read_transcript
from store.agents.records import unread_line
from store.agents.registry import IN_PROJECTS, NAMES, PARENTS, client_named, clients
from store.agents.transcript import Message, Speaker
from store.errors import StoreError
from store.platform.project import folders_of

MAX_LINE = 64_000_000
"""Bytes of the longest line that is read: a message, with all the pictures in it."""
_TOO_LONG = b"".join(unread_line("a line that is too long to be read"))
_AGENTS, _MAIN, _WIRE = "agents", "main", "wire.jsonl"
"""Kimi's sessions have a folder for each agent, `<session>/agents/<agent>/wire.jsonl`."""
_TASK = "api_conversation_history.json"
"""Tasks of Cline have a folder each, too."""
_COPIES = "specstory"
"""The client whose files are copies of other clients' sessions."""
_SUB_AGENTS = "subagents"
"""Sub-agents of Claude Code and others have a folder in one of their session's."""
_UUID = 36
"""Characters of the ids of Claude Code, Codex and others."""
_ENDINGS = frozenset({".jsonl", ".json", ENDING})


def session_files(home: Home, folders: Iterable[Path] = ()) -> tuple[SessionFile, ...]:
    """Return the sessions of all clients, newest first.

    With `folders` (a project's working trees), those of the project
    alone (`store.agents.ownership`). Folders that are missing or can't be read hold none. A copy
    that SpecStory made of a session gives way to the client's own file.
    """
    within = tuple(folders)
    found = sort_sessions(home, within).own if within else _of_all_projects(home)
    once = {file.path: file for file in found}
    own = {_id_named(file) for file in once.values() if file.client != _COPIES}
    files = [file for file in once.values() if file.client != _COPIES or file.session_id not in own]
    return tuple(sorted(files, key=lambda file: (file.modified, file.path), reverse=True))


def _of_all_projects(home: Home) -> Iterator[SessionFile]:
    """The sessions in the clients' own folders, then those that clients keep in the projects where
    these ran.
    """
    trees: dict[str, tuple[Path, ...]] = {}
    for name in sorted(NAMES, key=IN_PROJECTS.__contains__):
        working_trees = tuple(dict.fromkeys(chain.from_iterable(trees.values())))
        for file in client_named(name).session_files(home, working_trees):
            if file.folder not in trees and Path(file.folder).is_absolute():
                trees[file.folder] = folders_of(Path(file.folder))
            yield file


def _id_named(file: SessionFile) -> str:
    """Return the id at the end of a file's name, where the client puts it there."""
    return file.session_id or Path(plain_path(file.path)).stem[-_UUID:]


def open_session(path: Path) -> AbstractContextManager[Iterable[bytes]]:
    """Return the lines of a session, for `with`: of a file and those of its sub-agents, each after
    the line `SUB_AGENT`, or of `FILE#ID` in a database.

    Raises OSError.
    """
    if "#" in path.name and not path.exists():
        for client in clients():
            lines = client.lines(path) if client.lines is not None else None
            if lines is not None:
                return lines
    file = open_session_file(path)
    return _Lines(chain((file,), _sub_agents_files(path)), path)


def _sub_agents_files(path: Path) -> Iterator[BinaryIO]:
    """The files of a session's sub-agents, opened in turn; those that can't be are passed over."""
    for part in _sub_agents_of(path):
        with suppress(OSError):
            yield open_session_file(part)


def _sub_agents_of(path: Path) -> Iterator[Path]:
    names = (name for name, pattern in PARENTS.items() if path.match(pattern))
    for client in map(client_named, names):
        yield from client.sub_agents(path) if client.sub_agents is not None else ()


class _Lines:
    """The lines of a file, for `with`; in place of one that is too long, a word about it."""

    def __init__(self, files: Iterator[BinaryIO], path: Path) -> None:
        self._files = files
        self._file = next(files)
        self.name = str(path)

    def __enter__(self) -> Iterable[bytes]:
        return self

    def __iter__(self) -> Iterator[bytes]:
        return self._read()

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def _read(self) -> Iterator[bytes]:
        yield from self._read_file()
        for file in self._files:
            self._file.close()
            self._file = file
            yield SUB_AGENT
            yield from self._read_file()

    def _read_file(self) -> Iterator[bytes]:
        while line := self._file.readline(MAX_LINE):
            if len(line) == MAX_LINE and not line.endswith(b"\n"):
                while (rest := self._file.readline(MAX_LINE)) and not rest.endswith(b"\n"):
                    pass
                line = _TOO_LONG
            yield line


def transcripts_in(folder: Path) -> tuple[SessionFile, ...]:
    """Return all files under a folder that may be transcripts, oldest first: the order of a
    history.

    Those of sub-agents are left out. Which of the others are transcripts is seen by reading them.
    """
    paths = [path for path in folder.rglob("*") if path.suffix in _ENDINGS or _is_history(path)]
    of_others = {part for path in paths for part in _sub_agents_of(path)}
    own = (path for path in paths if path not in of_others and not _is_sub_agents(path, folder))
    files = files_at(own, "")
    named = (file._replace(session_id=session_id_of(file.path)) for file in files)
    return tuple(sorted(named, key=lambda file: (file.modified, file.path)))


def session_id_of(path: Path) -> str:
    """The id in a file's name, or its session's folder where all are called alike."""
    if _has_agents(path):
        return path.parents[2].name
    return path.parent.name if path.name == _TASK else Path(plain_path(path)).stem


def path_of(transcript: Iterable[bytes]) -> str:
    """Return the file that the lines of a transcript come from, empty for none."""
    named = getattr(transcript, "name", "")
    return str(Path(named).absolute()) if isinstance(named, str | Path) and named else ""


def written_at(path: str) -> datetime | None:
    """When a file was written last; None where none is there."""
    try:
        return datetime.fromtimestamp(Path(path).stat().st_mtime, UTC) if path else None
    except OSError:
        return None


def _is_history(path: Path) -> bool:
    if path.suffix != ".md":
        return False
    return client_named(_COPIES).matches_format(Head(head_of(path), ()))


def _is_sub_agents(path: Path, folder: Path) -> bool:
    inner = path.relative_to(folder).parts
    return _SUB_AGENTS in inner or (_has_agents(path) and path.parent.name != _MAIN)


def _has_agents(path: Path) -> bool:
    return path.name == _WIRE and path.parent.parent.name == _AGENTS


_LINES = 400
"""Lines of a session that are read at most: clients begin with notes of their own."""


def first_request(file: SessionFile) -> str:
    """The first line of what was asked first; empty where none is found, or nothing can be read."""
    try:
        with open_session(file.path) as lines:
            for event in read_transcript(islice(lines, _LINES), likely=file.client):
                if isinstance(event, Message) and event.speaker is Speaker.USER:
                    text = without_noise(event.text).strip()
                    if text:
                        return text.splitlines()[0].strip()
    except (OSError, StoreError):
        return ""
    return ""
