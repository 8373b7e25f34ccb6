"""The verdict on each memory, of what it names and what became of that. Changes nothing.

A file is compared with what it held when the memory was made: by the memory's anchor, else as it
was in the commit that was checked out then.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import islice
from typing import NamedTuple

from store.drift.anchors import Mark, absent_of, anchor_of
from store.drift.citations import citations_in, is_about_removal, names_of
from store.drift.commands import Cited, Kind, cited_in
from store.drift.history import History, Moment
from store.drift.names import is_prose
from store.drift.pieces import digest_of, has_piece, pieces_of
from store.drift.repository import Repository
from store.drift.verdicts import MOSTLY, Drift
from store.merge.versions import EDITED
from store.model import Category, Observation, Verdict
from store.platform.json_fields import string
from store.records import time_or_none

_MOST_SEARCHED = 100
"""Commits whose code is searched for names that are missing now; in each it takes about 50 ms."""
At = tuple[str, str]
"""A commit, and the path of a file in it."""


class Judged(NamedTuple):
    """A verdict, and the files and the names of code that it rests on."""

    drift: Drift
    files: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


class _File(NamedTuple):
    """A file that a memory names: as it is `written`, its path, and what it held then.

    Changes count after the `moment`, of which `base` is the commit. Its text there is compared with
    where there is no `mark`.
    """

    written: str
    path: str
    lines: tuple[int, int] | None
    moment: Moment | None
    mark: Mark | None
    base: At | None

    @property
    def held(self) -> At:
        """The text that it is compared with, none where a mark tells of it."""
        return ("", "") if self.mark or self.base is None else self.base


class _Memory(NamedTuple):
    """A memory with what it names: paths `cited`, the `files` that these are, names, commands."""

    observation: Observation
    cited: tuple[str, ...]
    files: tuple[_File, ...]
    names: tuple[str, ...]
    commands: tuple[Cited, ...]
    base: str
    """The commit that was checked out then, empty where that is unknown."""
    is_about_removal: bool


class _Outcome(NamedTuple):
    """What became of a file; where it is now, and the place of the commit, where known."""

    verdict: Verdict
    to: str = ""
    at: int | None = None


def judged(memories: Iterable[Observation], code: Repository, names: Set[str]) -> dict[str, Judged]:
    """Return the verdict on each memory by its id; `names` are those of the code, or none."""
    read = [_read(memory, code) for memory in memories]
    judge = _Judge(code, names)
    judge.learn(read)
    return {memory.observation.id: judge.judged(memory) for memory in read}


def _read(observation: Observation, code: Repository) -> _Memory:
    content, history = observation.content, code.history
    citations = citations_in(content)
    files: list[_File] = []
    base = ""
    if history is not None:
        is_sure = absent_of(observation) is not None
        edited = None if is_sure else time_or_none(observation.extra.get(EDITED))
        marks = {} if edited else anchor_of(observation)
        commit = "" if edited else string(observation.extra.get("commit"))
        time = int((edited or observation.timestamp).timestamp())
        moment = history.moment_of(commit, time, is_sure=is_sure)
        base = "" if moment is None else history.commits[moment.place].id
        for written, lines in citations:
            mark = marks.get(written)
            path = written if mark else code.resolve(written)
            if path and path not in (file.path for file in files):
                file = _File(written, path, lines, moment, mark, (base, path) if base else None)
                files.append(file if mark else _based(file, observation, code, history))
    commands = cited_in(content) if base else ()
    removal = is_about_removal(content)
    cited = tuple(citation.path for citation in citations)
    return _Memory(observation, cited, tuple(files), names_of(content), commands, base, removal)


def _based(file: _File, observation: Observation, code: Repository, history: History) -> _File:
    """Return a file without a mark with the commit to compare with: the one that was checked out,
    or where that has it not yet, the one that added it. A change is often in memory before it is
    committed: what first changed the file of one afterwards is that change.
    """
    if file.moment is None and not code.is_whole:
        return file
    events = history.since(file.path, file.moment)
    is_own = bool(events) and (
        events[0].what == "A"
        or (events[0].what == "M" and observation.category == Category.CODE_CHANGE)
    )
    if not is_own:
        return file
    own = Moment(events[0].at, is_known=file.moment is not None and file.moment.is_known)
    return file._replace(moment=own, base=(history.commits[own.place].id, file.path))


class _Judge:
    """Judges memories by what git has of their files: all is asked at once by `learn`."""

    def __init__(self, code: Repository, names: Set[str]) -> None:
        self._code, self._history, self._known = code, code.history, names
        self._blobs: Mapping[At, str] = {}
        self._texts: Mapping[str, str] = {}
        self._commands: dict[Kind, Set[str]] = {}
        self._files: dict[Kind, Sequence[str]] = {}
        self._used: dict[str, Set[str]] = {}

    def learn(self, memories: Sequence[_Memory]) -> None:
        asked = [
            (memory, file)
            for memory in memories
            for file in memory.files
            if file.base and (self._events(file) or not self._code.exists(file.path))
        ]
        defining = {
            (memory.base, path)
            for memory in memories
            for command in memory.commands
            if command.name not in self._defined(command.kind)
            for path in self._defining(command.kind)
        }
        self._blobs = self._code.blobs([*(file.base for _, file in asked if file.base), *defining])
        compared = {
            blob
            for memory, file in asked
            if (file.lines or memory.names)
            and (blob := self._blobs.get(file.held))
            and blob != self._code.blob(file.path)
        }
        self._texts = self._code.contents(
            compared | {self._blobs[at] for at in defining if at in self._blobs}
        )
        missing: dict[str, set[str]] = {}
        for memory in memories:
            if memory.base:
                missing.setdefault(memory.base, set()).update(self._missing(memory))
        searched = ((commit, names) for commit, names in missing.items() if names)
        for commit, names in islice(searched, _MOST_SEARCHED):
            self._used[commit] = self._code.used_names(commit, names)

    def _missing(self, memory: _Memory) -> Sequence[str]:
        """Return the names in a memory that the code has not, though nobody confirmed that."""
        if not self._known or memory.is_about_removal:
            return ()
        absent = absent_of(memory.observation) or ()
        return [name for name in memory.names if name not in self._known and name not in absent]

    def _was_used(self, name: str, memory: _Memory) -> bool:
        """Return whether the code had a name when a memory was made: in the commit of then, or in a
        file that it names, which may have been committed later.
        """
        if name in self._used.get(memory.base, ()):
            return True
        files = [file for file in memory.files if not is_prose(file.path)]
        marked = (piece for file in files if file.mark for piece in file.mark.pieces)
        texts = (self._texts.get(self._blobs.get(file.held, ""), "") for file in files)
        return any(piece.startswith(f"{name} ") for piece in marked) or any(
            re.search(rf"(?<!\w){name}(?!\w)", text, re.ASCII) for text in texts
        )

    def judged(self, memory: _Memory) -> Judged:
        outcomes = {
            file: outcome for file in memory.files if (outcome := self._outcome(file, memory))
        }
        of = {
            verdict: [file for file, outcome in outcomes.items() if outcome.verdict is verdict]
            for verdict in Verdict
        }
        names = [name for name in memory.names if name in self._known]
        lost = [name for name in self._missing(memory) if self._was_used(name, memory)]
        unrun = [*self._gone_commands(memory)]
        gone = (*lost, *(file.written for file in of[Verdict.GONE]), *unrun)
        number = len(names) + len(lost) + len(outcomes) + len(memory.commands)
        share = len(gone) / number if gone else 0.0
        verdict = next(
            (
                verdict
                for verdict, holds in (
                    (Verdict.GONE, of[Verdict.GONE] or unrun or share > MOSTLY),
                    (Verdict.MOVED, of[Verdict.MOVED]),
                    (Verdict.CHANGED, of[Verdict.CHANGED] or lost),
                    (Verdict.CURRENT, of[Verdict.CURRENT] or names or self._is_run(memory)),
                )
                if holds
            ),
            Verdict.UNKNOWN,
        )
        places = [at for file in of[verdict] if (at := outcomes[file].at) is not None]
        first = self._history.commits[max(places)] if places and self._history else None
        drift = Drift(
            verdict,
            gone,
            tuple((file.written, outcomes[file].to) for file in of[Verdict.MOVED]),
            tuple(file.written for file in of[Verdict.CHANGED]),
            first.id if first else "",
            first.time if first else 0,
            share,
        )
        files = [path for file in outcomes for path in (file.path, outcomes[file].to) if path]
        for kind in {command.kind for command in memory.commands}:
            files += (*kind.files, *self._defining(kind))
        return Judged(drift, tuple(dict.fromkeys((*memory.cited, *files))), memory.names)

    def _defining(self, kind: Kind) -> Sequence[str]:
        """Return the files of a kind that define commands or keys: those there are, and were."""
        if kind not in self._files:
            self._files[kind] = self._code.paths(kind.has)
        return self._files[kind]

    def _defined(self, kind: Kind) -> Set[str]:
        """Return the names of commands or keys that files of a kind define now."""
        if kind not in self._commands:
            texts = [(self._code.text(path), path) for path in self._defining(kind)]
            self._commands[kind] = frozenset().union(
                *(kind.defined_in(text, path) for text, path in texts if text)
            )
        return self._commands[kind]

    def _is_run(self, memory: _Memory) -> bool:
        return any(command.name in self._defined(command.kind) for command in memory.commands)

    def _gone_commands(self, memory: _Memory) -> Iterator[str]:
        """Yield the commands and keys that were defined when a memory was made, and are no more."""
        absent = absent_of(memory.observation) or ()
        for kind, name, written in () if memory.is_about_removal else memory.commands:
            if name in self._defined(kind) or written in absent:
                continue
            blobs = ((self._blobs.get((memory.base, path)), path) for path in self._defining(kind))
            texts = ((self._texts.get(blob, ""), path) for blob, path in blobs if blob)
            if any(name in kind.defined_in(text, path) for text, path in texts):
                yield written

    def _events(self, file: _File) -> Sequence[int]:
        """Return the places of the commits that changed a file since, the first one first."""
        assert self._history is not None
        return [event.at for event in self._history.since(file.path, file.moment)]

    def _outcome(self, file: _File, memory: _Memory) -> _Outcome | None:
        """Return what became of a file; None where it never was one of this repository."""
        history, exists = self._history, self._code.exists
        if history is None:
            return None
        is_known = file.mark is not None or file.base is not None
        is_there, events = exists(file.path), self._events(file)
        first = events[0] if events else None
        if is_there and not is_known:
            return _Outcome(Verdict.UNKNOWN)
        if is_there and self._is_same(file, memory, file.path):
            return _Outcome(Verdict.CURRENT)
        renamed = self._renamed(file, memory, is_there=is_there)
        if renamed and (not is_there or self._is_same(file, memory, renamed[0])):
            return _Outcome(Verdict.MOVED, *renamed)
        if is_there:
            return _Outcome(Verdict.CHANGED, at=first)
        if self._code.is_in_submodule(file.path):
            return _Outcome(Verdict.UNKNOWN)
        if not (file.base in self._blobs or events) or (
            file.mark is None and memory.is_about_removal
        ):
            return None
        return _Outcome(Verdict.GONE, at=events[-1] if events else None)

    def _renamed(
        self, file: _File, memory: _Memory, *, is_there: bool
    ) -> tuple[str, int | None] | None:
        """Return where a file is now, and the place of the commit that first moved it, if known:
        it may be one of before, unless that is confirmed, or one that git sees no rename in.
        """
        assert self._history is not None
        found = self._history.renamed(file.path, file.moment, self._code.exists)
        if found is None and not is_there and absent_of(memory.observation) is None:
            found = self._history.renamed(file.path, None, self._code.exists)
        if found or is_there or file.base is None:
            return found
        to = self._code.only_path(self._blobs.get(file.base, ""))
        return (to, next(iter(self._events(file)), None)) if self._code.text(to) else None

    def _is_same(self, file: _File, memory: _Memory, path: str) -> bool:
        """Return whether a file, perhaps moved to another path, holds what it held: all of it, or
        what the memory cites.
        """
        if path == file.path and file.mark is None and not self._events(file):
            return True
        blob = self._blobs.get(file.held, "")
        if blob and blob == self._code.blob(path):
            return True
        text = self._code.text(path)
        if text is None:
            return not self._events(file)
        if file.mark is not None:
            digest, pieces = file.mark
            return digest == digest_of(text) or _has_all(text, pieces)
        before = self._texts.get(blob)
        return before is not None and _has_all(text, pieces_of(before, file.lines, memory.names))


def _has_all(text: str, pieces: Sequence[str]) -> bool:
    return bool(pieces) and all(has_piece(text, piece) for piece in pieces)
