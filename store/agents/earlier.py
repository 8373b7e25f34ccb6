"""Sessions that ran where a project lay before it was moved or renamed, or a working tree removed.

A folder that is gone says little by its name: two projects may have had the same. So its sessions
count only where what they name is found here: files of the project, or its remote repository.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path, PurePosixPath

from store.agents.client import Home, SessionFile
from store.agents.files import dashed, head_of, string_under
from store.agents.registry import clients
from store.bounds import read_regular
from store.disk.named import is_file, is_there

_FOLDER = string_under("cwd")
_REPOSITORY = string_under("repository_url")
_URL = re.compile(r"^[ \t]*url[ \t]*=[ \t]*(\S+)", re.M)
_NAMED = 40
"""Files that a session names and that are looked for."""


def earlier_sessions(home: Home, folders: Sequence[Path]) -> Iterator[SessionFile]:
    """The sessions of a project, by its working trees (the main one first), that ran in folders
    which are gone. Reads the first lines of those that may be.
    """
    if not folders or not (name := folders[0].name):
        return
    remotes = _remotes(folders[0])
    for client in clients():
        for file in client.session_files(home, ()):
            if not file.folder and not _may_be(file.path, name):
                continue
            head = _Head.of(file)
            folder = file.folder or head.folder
            if folder and _is_earlier(folder, head, folders, remotes):
                yield file._replace(folder=folder)


class _Head:
    """What the first lines of a session file say of where it ran, and what they name."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        self.folder = _first(_FOLDER, text)
        self.repository = _first(_REPOSITORY, text)

    @staticmethod
    def of(file: SessionFile) -> _Head:
        return _head(file.path, file.size)

    def files_below(self, folder: str) -> list[str]:
        """The files that are named by their paths in a folder, relative to it."""
        below = re.compile(re.escape(folder.encode()) + rb"/((?:[\w@.-]+/)*[\w@-]+\.\w{1,8})\b")
        found = dict.fromkeys(below.findall(self._text))
        return [name.decode("utf-8", "replace") for name in found][:_NAMED]


@lru_cache(maxsize=512)
def _head(path: Path, size: int) -> _Head:
    return _Head(head_of(path))


def _first(pattern: re.Pattern[bytes], text: bytes) -> str:
    match = pattern.search(text)
    return match.group(1)[1:-1].decode("utf-8", "replace").replace("\\/", "/") if match else ""


def _may_be(path: Path, name: str) -> bool:
    """Whether a session filed under the dashed path of its folder may be of a project so named."""
    parts = f"{path.parent.name}-"
    return f"-{dashed(Path(name))}-".casefold() in parts.casefold()


def _is_earlier(folder: str, head: _Head, folders: Sequence[Path], remotes: frozenset[str]) -> bool:
    place = Path(folder)
    if is_there(place) or any(place == each or place.is_relative_to(each) for each in folders):
        return False
    if head.repository and _plain(head.repository) in remotes:
        return True
    parts = PurePosixPath(folder.replace("\\", "/")).parts
    names = [part.casefold() for part in parts]
    if folders[0].name.casefold() not in names:
        return False
    at = len(names) - 1 - names[::-1].index(folders[0].name.casefold())
    named = head.files_below(folder)
    # It may have run further down in the project, or in a working tree named otherwise.
    inner = ("/".join(parts[at + 1 :]), "")
    found = max(sum(is_file(folders[0] / prefix / name) for name in named) for prefix in inner)
    return found > 0 and 2 * found >= len(named)


def _remotes(root: Path) -> frozenset[str]:
    """The addresses of a repository's remotes, by git's own file."""
    try:
        text = read_regular(root / ".git" / "config").decode("utf-8", "replace")
    except OSError:
        return frozenset()
    return frozenset(map(_plain, _URL.findall(text)))


def _plain(url: str) -> str:
    """An address as host and path, however it is reached: `github.com/someone/shop`."""
    without = re.sub(r"^(?:\w+://)?(?:[^@/]+@)?", "", url.strip()).replace(":", "/", 1)
    return without.removesuffix("/").removesuffix(".git").casefold()
