"""What is asked of a repository: its history, kept in the cache, and its files as they are now."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from store.drift.anchors import read_text
from store.drift.history import COMMIT, FORMAT, LONGEST_BRANCH, History
from store.drift.names import NO_PROSE
from store.errors import StoreError
from store.platform.bounds import read_regular
from store.platform.cached import cached_file, checked, keep_cached, with_checksum
from store.platform.git_command import ask_git, read_objects

_LONGEST = ((100_000, 30.0), (5_000, 15.0))
"""The most commits that are read, and the seconds that git may take; fewer where that is too long.
A hundred thousand took 12 s, with all that is made of them."""
_SECONDS = 30.0
_LOG = ("log", "-z", f"--format={FORMAT}", "--date-order", "--name-status", "-M")
_MOST_KEPT = 100_000_000
_SUBMODULE = "160000"


class _Log(NamedTuple):
    """git's log of a commit, since a time in seconds; `is_cut`: there were more commits."""

    head: str
    since: int
    is_cut: bool
    text: bytes


class Repository:
    """A working tree with its history since a time and that of branches that were open then, and
    the other trees of its repository.
    """

    def __init__(
        self, cache: Path, root: Path, trees: Sequence[Path], head: str, since: int, folder: Path
    ) -> None:
        """`folder` is the one of the tree whose memory it is."""
        self.root, self.head = root, head
        inside = folder.relative_to(root).as_posix() if folder.is_relative_to(root) else "."
        self._above = f"{inside}/" if inside != "." else ""
        self._trees = (root, *(tree for tree in trees if tree != root))
        self._place = cached_file(cache, root, "commits")
        self._since = max(0, since - LONGEST_BRANCH)
        self._texts: dict[str, str | None] = {}

    @cached_property
    def history(self) -> History | None:
        """The history; None where git can't be asked, or takes too long."""
        return History(self._log.text) if self._log else None

    @cached_property
    def is_whole(self) -> bool:
        """The history goes back to the first commit: it is of no shallow clone, nor too long."""
        shallow = ask_git(self.root, ["rev-parse", "--is-shallow-repository"])
        return shallow == b"false\n" and self._log is not None and not self._log.is_cut

    @cached_property
    def _log(self) -> _Log | None:
        """git's log: what is kept of it, and what is new since."""
        kept = self._kept()
        if kept is None or kept.since > self._since:
            log = self._read()
        elif kept.head == self.head:
            return kept
        else:
            log = self._continued(kept) or self._read()
        if log is not None:
            head = b"%s %d %d\n" % (log.head.encode(), log.since, log.is_cut)
            keep_cached(self._place, with_checksum(head + log.text))
        return log

    def _read(self) -> _Log | None:
        for most, seconds in _LONGEST if self.head else ():
            limits = [f"--max-count={most}", f"--since=@{self._since}"]
            text = ask_git(self.root, [*_LOG, *limits, self.head], seconds=seconds)
            if text is not None:
                is_cut = text.count(COMMIT) >= most
                if not is_cut:
                    limits = ["-1", f"--before=@{self._since}"]
                    text += ask_git(self.root, [*_LOG[:3], *limits, self.head]) or b""
                return _Log(self.head, self._since, is_cut, text)
        return None

    def _continued(self, kept: _Log) -> _Log | None:
        """Return a log with the commits that are new since; None where they don't follow it."""
        if ask_git(self.root, ["merge-base", "--is-ancestor", kept.head, self.head]) is None:
            return None
        most, seconds = _LONGEST[0]
        new = [f"--max-count={most}", f"{kept.head}..{self.head}"]
        added = ask_git(self.root, [*_LOG, *new], seconds=seconds)
        return None if added is None else kept._replace(head=self.head, text=added + kept.text)

    def _kept(self) -> _Log | None:
        with suppress(OSError, ValueError, StoreError):
            first, _, text = checked(read_regular(self._place, _MOST_KEPT)).partition(b"\n")
            head, since, is_cut = first.decode().split()
            return _Log(head, int(since), is_cut != "0", text)
        return None

    @cached_property
    def _tree(self) -> Mapping[str, tuple[str, str]]:
        """The mode and object of each file of the commit that is checked out."""
        listed = ask_git(self.root, ["ls-tree", "-r", "-z", "--full-tree", self.head]) or b""
        entries = (entry.partition("\t") for entry in listed.decode("utf-8", "replace").split("\0"))
        return {path: (about[:6], about[12:]) for about, _, path in entries if path}

    @cached_property
    def _paths(self) -> Mapping[str, str]:
        """The path of each object, empty for one that several files are."""
        paths: dict[str, str] = {}
        for path, (_, blob) in self._tree.items():
            paths[blob] = "" if blob in paths else path
        return paths

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
            endings.setdefault(_name(path), []).append(path)
        return endings

    def resolve(self, path: str) -> str:
        """Return the path from the root that a memory means: that from its own folder, its own, or
        the only one that ends in it; empty where there is none.
        """
        for own in dict.fromkeys((f"{self._above}{path}", path)):
            if self.exists(own) or (self.history and own in self.history.paths):
                return own
        ending = f"/{path}"
        found = [one for one in self._endings.get(_name(path), ()) if one.endswith(ending)]
        there = [one for one in found if one in self._tree] or found
        return there[0] if len(there) == 1 else ""

    def paths(self, matches: Callable[[str], bool]) -> Sequence[str]:
        return sorted(path for paths in self._endings.values() for path in paths if matches(path))

    def exists(self, path: str) -> bool:
        """Return whether a tree has a file, or the commit that is checked out: it may be left out
        of the tree, or be moved in it by hand.
        """
        return self._is_in_a_tree(path) or path in self._tree

    def _is_in_a_tree(self, path: str) -> bool:
        return any(os.path.lexists(tree / path) for tree in self._trees)

    def only_path(self, blob: str) -> str:
        """Return the path of the only file that is an object now; empty where none or more are."""
        return self._paths.get(blob, "")

    def text(self, path: str) -> str | None:
        """Return the text of a file as it is now, in the first tree that has it, else in the commit
        that is checked out.
        """
        if path not in self._texts:
            read = (read_text(tree, path) for tree in self._trees)
            found = next((text for text in read if text is not None), None)
            if found is None and not self._is_in_a_tree(path) and (blob := self.blob(path)):
                found = self.contents([blob]).get(blob)
            self._texts[path] = found
        return self._texts[path]

    def stamp(self, path: str) -> list[int]:
        """Return what changes where a file does, without reading it."""
        for tree in self._trees:
            with suppress(OSError, ValueError):
                found = (tree / path).lstat()
                return [found.st_mtime_ns, found.st_size]
        return []

    @cached_property
    def _changes(self) -> Mapping[str, tuple[int, int]]:
        """How often files of each name were changed, and the place of the newest commit."""
        changes: dict[str, tuple[int, int]] = {}
        for path, events in self.history.paths.items() if self.history else ():
            number, newest = changes.get(name := _name(path), (0, events[-1].at))
            changes[name] = number + len(events), min(newest, events[-1].at)
        return changes

    def changes(self, path: str) -> str:
        """Return what changes where a commit touches a file, or another one of its name, which a
        memory may mean as well.
        """
        number, newest = self._changes.get(_name(path), (0, 0))
        return f"{number} {self.history.commits[newest].id}" if number and self.history else ""

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

    def used_names(self, commit: str, names: Iterable[str]) -> Set[str]:
        asked = [word for name in names for word in ("-e", name)]
        options = ("-I", "-h", "-o", "-w", "-F", "--no-color", "--no-line-number", "--no-column")
        wanted = ["grep", *options, *asked, commit, "--", *NO_PROSE]
        found = ask_git(self.root, wanted, seconds=_SECONDS) or b""
        return set(found.decode("utf-8", "replace").splitlines())

    def contents(self, blobs: Iterable[str]) -> Mapping[str, str]:
        asked = list(dict.fromkeys(blobs))
        found = read_objects(self.root, asked, seconds=_SECONDS) if asked else []
        return {
            blob: data.decode("utf-8", "replace")
            for blob, data in zip(asked, found or [], strict=False)
            if data is not None
        }


def _name(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2]
