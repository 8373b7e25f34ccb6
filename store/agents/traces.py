"""Traces of where a session ran: folders, repositories, commits, moves, files."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from store.agents.client import SessionFile
from store.agents.compressed import open_session_file
from store.agents.files import head_of, string_under, text_of_string
from store.agents.registry import client_named
from store.agents.transcript import SessionInfo, ToolCall
from store.platform.bounds import read_regular
from store.platform.project import plain_address

_FOLDER = string_under("cwd")
_WORKTREE = re.compile(
    rb'"originalCwd"\s*:\s*("(?:[^"\\]|\\.)*")[^{}]*?"worktreePath"\s*:\s*("(?:[^"\\]|\\.)*")'
)
"""Claude Code's record of a working tree that a session entered."""
_COMMIT = string_under("commit_hash")
_URL = string_under("repository_url")
_OF_GITHUB = re.compile(rb'"(?:repository|prRepository)"\s*:\s*"([\w.-]+/[\w.-]+)"')
"""Copilot's word for the repository it runs in, and Claude Code's for that of a pull request."""
_END_BYTES = 65_536
_MOST_WORDS = 16_000_000
"""Bytes of the largest session file whose commands are looked at for moves."""
_ENDING = re.compile(rb"\w\.\w{1,8}$")
"""How the path of a file ends."""
_NAMED = 40
"""Files that a session names and that are looked for."""
_COMMANDS = (b"mv ", b"worktree add", b"worktree move")
"""What the commands have that move a folder."""


class Moved(NamedTuple):
    """A folder that was moved: what lay at `old` is at `new` since."""

    old: Path
    new: Path

    def applied_to(self, place: Path) -> Path | None:
        """Follow a move; None where a place was not moved with it."""
        return self.new / place.relative_to(self.old) if place.is_relative_to(self.old) else None


class Traces(NamedTuple):
    """Traces in the first and last lines of a session file.

    `folders` are those it ran in, the first one first; `remotes` addresses as `host/owner/name`.
    """

    folders: tuple[str, ...]
    remotes: frozenset[str]
    commits: frozenset[str]
    moves: tuple[Moved, ...]


def traces_of(file: SessionFile) -> Traces:
    """Read the traces of a session file. One that can't be read has none."""
    return _traces(file.path, file.size, file.repository)


def files_below(file: SessionFile, folder: Path) -> list[str]:
    """Return the files that a session names by paths in a folder, relative to it; at most 40."""
    below = re.compile(re.escape(f"{folder}/".encode()) + rb"([\w@./-]{1,500})")
    found = dict.fromkeys(below.findall(_ends_of(file.path, file.size)))
    return [_decoded(name) for name in found if _ENDING.search(name)][:_NAMED]


def paths_named(file: SessionFile) -> list[Path]:
    """Return the paths that are in quotes in a session file, at most 1,000."""
    found = re.findall(rb'"(/[^"\\\n]{1,1000})"', _ends_of(file.path, file.size))
    return [Path(_decoded(path)) for path in found[:1_000]]


def _ends_of(path: Path, size: int) -> bytes:
    head = head_of(path)
    return head if size <= len(head) else head + b"\n" + _end_of(path, size)


@lru_cache(maxsize=20_000)
def _traces(path: Path, size: int, repository: str) -> Traces:
    text = _ends_of(path, size)
    remotes = {plain_address(url) for url in _strings(_URL, text)}
    if b'epository"' in text:
        remotes |= {f"github.com/{_decoded(name)}".casefold() for name in _OF_GITHUB.findall(text)}
    entered = [
        Moved(Path(text_of_string(tree)), Path(text_of_string(origin)))
        for origin, tree in (_WORKTREE.findall(text) if b"worktreePath" in text else ())
    ]
    return Traces(
        tuple(dict.fromkeys(_strings(_FOLDER, text))),
        frozenset(filter(None, remotes)),
        frozenset(filter(None, (*_strings(_COMMIT, text), repository))),
        tuple(entered),
    )


def _strings(pattern: re.Pattern[bytes], text: bytes) -> list[str]:
    return [text_of_string(found) for found in dict.fromkeys(pattern.findall(text))]


def _decoded(name: bytes) -> str:
    return name.decode("utf-8", "replace")


def _end_of(path: Path, size: int) -> bytes:
    try:
        with open_session_file(path) as file:
            if not file.seekable():
                return b""
            file.seek(max(0, size - _END_BYTES))
            return file.read(_END_BYTES)
    except OSError:
        return b""


def session_moves(file: SessionFile) -> tuple[Moved, ...]:
    """Return the moves of folders that a session's own commands made: `mv`, `git worktree add`."""
    if "#" in file.path.name or file.size > _MOST_WORDS:
        return ()
    return _session_moves(file.path, file.client, file.size, file.modified.timestamp())


@lru_cache(maxsize=4_000)
def _session_moves(path: Path, client: str, _size: int, _modified: float) -> tuple[Moved, ...]:
    try:
        data = read_regular(path, _MOST_WORDS)
    except OSError:
        return ()
    if not any(command in data for command in _COMMANDS):
        return ()
    folder = ""
    moves: list[Moved] = []
    for event in client_named(client).read(data.splitlines(keepends=True)):
        if isinstance(event, SessionInfo):
            folder = event.folder or folder
        elif isinstance(event, ToolCall):
            given = event.arguments.get("command", event.arguments.get("cmd", ""))
            text = given if isinstance(given, str) else shlex.join(map(str, given or ()))
            moves += moves_in(text, Path(folder or "/"))
    return tuple(dict.fromkeys(moves))


def moves_in(command: str, folder: Path) -> Iterator[Moved]:
    """Yield the moves of folders that a shell's command line makes, started in a folder.

    Of `git worktree add`, the new tree counts as moved to the folder that it was made in: what ran
    there ran in that repository.
    """
    here = folder
    for words in _commands(command):
        options = [word for word in words if word.startswith("-")]
        named = [word for word in words if not word.startswith("-")]
        if named[:1] == ["cd"] and len(named) == 2:
            here = _at(here, named[1])
        elif named[:1] == ["mv"] and len(named) == 3 and not {"-t", "-T"} & {*options}:
            old, new = _at(here, named[1]), _at(here, named[2])
            yield Moved(old, new / old.name)
            yield Moved(old, new)
        elif words[0] in {"bash", "sh", "zsh"} and words[-1] != command:
            yield from moves_in(words[-1], here)
        elif named[:3] == ["git", "worktree", "move"] and len(named) == 5:
            yield Moved(_at(here, named[3]), _at(here, named[4]))
        elif named[:3] == ["git", "worktree", "add"] and (tree := _tree_added(words)):
            yield Moved(_at(here, tree), here)


def _tree_added(words: list[str]) -> str:
    """Return the folder that `git worktree add` makes."""
    takes_value = {"-b", "-B", "--reason"}
    at = words.index("add") + 1
    while at < len(words):
        if words[at] in takes_value:
            at += 2
        elif words[at].startswith("-"):
            at += 1
        else:
            return words[at]
    return ""


def _commands(line: str) -> Iterator[list[str]]:
    for part in re.split(r"&&|\|\||;|\n", line):
        try:
            words = shlex.split(part)
        except ValueError:
            words = []
        if words:
            yield words


def _at(folder: Path, named: str) -> Path:
    """The place that a word of a command names, without `..` in it; links are not followed."""
    return Path(os.path.normpath(folder / named))


def applied(place: Path, moves: Iterable[Moved]) -> Iterator[Path]:
    """Yield all places that a folder may be at after the moves, those of one after another too."""
    rules = list(moves)
    found = {place}
    waiting = [place]
    while waiting:
        at = waiting.pop()
        for rule in rules:
            new = rule.applied_to(at)
            if new is not None and new not in found and len(found) < 100:
                found.add(new)
                waiting.append(new)
                yield new
