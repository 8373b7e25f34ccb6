"""What is asked of a repository: its history, kept in the cache, and its files as they are now."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path

from store.drift.anchors import read_text
from store.drift.history import FORMAT, History
from store.drift.kept import cached_file
from store.errors import StoreError
from store.platform.bounds import read_regular
from store.platform.git_command import ask_git, read_objects
from store.platform.write import replace_derived

_MOST_COMMITS = 100_000
_SECONDS = 30.0
"""Seconds that git may take for the history: of a hundred thousand commits it takes about ten."""
_LOG = ("log", "--date-order", "--name-status", "-M", "-z", f"--format={FORMAT}")
_MOST_KEPT = 100_000_000
_SUBMODULE = "160000"


class Repository:
    """A working tree with its history since a time, and the other trees of its repository."""

    def __init__(
        self, cache: Path, root: Path, trees: Sequence[Path], head: str, since: int
    ) -> None:
        self.root, self.head = root, head
        self._trees = (root, *(tree for tree in trees if tree != root))
        self._place = cached_file(cache, root, "history")
        self._since = since
        self._texts: dict[str, str | None] = {}

    @cached_property
    def history(self) -> History | None:
        """The history; None where git can't be asked, or takes too long."""
        log = self._log() if self.head else None
        return None if log is None else History(log)

    @cached_property
    def is_whole(self) -> bool:
        """The history goes back to the first commit: it is of no shallow clone, nor too long."""
        shallow = ask_git(self.root, ["rev-parse", "--is-shallow-repository"])
        known = self.history.commits if self.history else ()
        return shallow == b"false\n" and len(known) < _MOST_COMMITS

    def _log(self) -> bytes | None:
        """Return git's log: what is kept of it, and what is new since."""
        kept, since, log = self._kept()
        if since > self._since:
            kept = ""
        if kept == self.head:
            return log
        most = f"--max-count={_MOST_COMMITS}"
        if (
            kept
            and ask_git(self.root, ["merge-base", "--is-ancestor", kept, self.head]) is not None
        ):
            added = ask_git(self.root, [*_LOG, most, f"{kept}..{self.head}"], seconds=_SECONDS)
            whole = None if added is None else added + log
        else:
            since = self._since
            whole = ask_git(
                self.root, [*_LOG, most, f"--since=@{since}", self.head], seconds=_SECONDS
            )
            before = ["log", "-z", "-1", f"--format={FORMAT}", f"--before=@{since}", self.head]
            whole = None if whole is None else whole + (ask_git(self.root, before) or b"")
        if whole is not None:
            self._keep(b"%s %d\n%s" % (self.head.encode(), since, whole))
        return whole

    def _kept(self) -> tuple[str, int, bytes]:
        with suppress(OSError, ValueError, StoreError):
            first, _, log = read_regular(self._place, _MOST_KEPT).partition(b"\n")
            head, since = first.decode().split()
            return head, int(since), log
        return "", 0, b""

    def _keep(self, data: bytes) -> None:
        with suppress(StoreError, OSError):  # it is read again the next time
            self._place.parent.mkdir(parents=True, exist_ok=True)
            replace_derived(self._place, data, self._place.parent)

    @cached_property
    def _tree(self) -> Mapping[str, tuple[str, str]]:
        """The mode and object of each file of the commit that is checked out."""
        listed = ask_git(self.root, ["ls-tree", "-r", "-z", "--full-tree", self.head]) or b""
        entries = (entry.partition("\t") for entry in listed.decode("utf-8", "replace").split("\0"))
        return {path: (about[:6], about[12:]) for about, _, path in entries if path}

    def blob(self, path: str) -> str:
        """Return the object of a file of the commit that is checked out, empty for none."""
        return self._tree.get(path, ("", ""))[1]

    def is_in_submodule(self, path: str) -> bool:
        parts = path.split("/")
        above = ("/".join(parts[:end]) for end in range(1, len(parts)))
        return any(self._tree.get(folder, ("", ""))[0] == _SUBMODULE for folder in above)

    @cached_property
    def _endings(self) -> Mapping[str, list[str]]:
        """The paths that end in each name, of files that are there and of those that were."""
        known = {*self._tree, *(self.history.paths if self.history else ())}
        endings: dict[str, list[str]] = {}
        for path in known:
            endings.setdefault(path.rpartition("/")[2], []).append(path)
        return endings

    def resolve(self, path: str) -> str:
        """Return the path from the root that a memory means: its own, or the only one that ends in
        it; empty where there is none.
        """
        if self.exists(path) or (self.history and path in self.history.paths):
            return path
        ending = f"/{path}"
        found = [
            one for one in self._endings.get(path.rpartition("/")[2], ()) if one.endswith(ending)
        ]
        there = [one for one in found if one in self._tree] or found
        return there[0] if len(there) == 1 else ""

    def named(self, name: str) -> Sequence[str]:
        """Return the paths of all files with a name: of those there are, and those that were."""
        return sorted(self._endings.get(name, ()))

    def exists(self, path: str) -> bool:
        return any(os.path.lexists(tree / path) for tree in self._trees)

    def text(self, path: str) -> str | None:
        """Return the text of a file as it is now, in the first tree that has it."""
        if path not in self._texts:
            read = (read_text(tree, path) for tree in self._trees)
            self._texts[path] = next((text for text in read if text is not None), None)
        return self._texts[path]

    def stamp(self, path: str) -> list[int]:
        """Return what changes where a file does, without reading it."""
        for tree in self._trees:
            with suppress(OSError, ValueError):
                found = (tree / path).lstat()
                return [found.st_mtime_ns, found.st_size]
        return []

    def blobs(self, wanted: Iterable[tuple[str, str]]) -> Mapping[tuple[str, str], str]:
        """Return the objects of files by commit and path; those that git has not are left out."""
        asked = [at for at in dict.fromkeys(wanted) if "\n" not in at[1]]
        given = "".join(f"{commit}:{path}\n" for commit, path in asked).encode()
        output = (
            ask_git(self.root, ["cat-file", "--batch-check"], given, seconds=_SECONDS)
            if asked
            else b""
        )
        lines = (output or b"").decode("utf-8", "replace").splitlines()
        parts = ((one, line.split(" ")) for one, line in zip(asked, lines, strict=False))
        return {one: words[0] for one, words in parts if len(words) == 3 and words[1] == "blob"}

    def contents(self, blobs: Iterable[str]) -> Mapping[str, str]:
        """Return the texts of objects."""
        asked = list(dict.fromkeys(blobs))
        found = read_objects(self.root, asked, seconds=_SECONDS) if asked else []
        return {
            blob: data.decode("utf-8", "replace")
            for blob, data in zip(asked, found or [], strict=False)
            if data is not None
        }
