"""The verdict on each memory, of what it names and what became of that. Changes nothing.

A file is compared with what it held when the memory was made: by the memory's anchor, else as it
was in the commit that was checked out then.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import islice
from typing import NamedTuple

from store.drift.commands import Kind
from store.drift.names import is_prose
from store.drift.pieces import digest_of, has_piece, pieces_of
from store.drift.read_memory import At, NamedFile, ReadMemory, read_memory
from store.drift.repository import Repository
from store.drift.verdicts import MOSTLY, Drift
from store.model import Observation, Verdict

_MOST_SEARCHED = 100
"""Commits whose code is searched for names that are missing now; in each it takes about 50 ms."""


class Judged(NamedTuple):
    """A verdict, and the files and the names of code that it rests on."""

    drift: Drift
    files: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


class _Outcome(NamedTuple):
    """What became of a file; where it is now, and the place of the commit, where known."""

    verdict: Verdict
    to: str = ""
    at: int | None = None


def judged(memories: Iterable[Observation], code: Repository, names: Set[str]) -> dict[str, Judged]:
    """Return the verdict on each memory by its id; `names` are those of the code, or none."""
    read = [read_memory(memory, code) for memory in memories]
    judge = _Judge(code, names)
    judge.ask(read)
    return {memory.id: judge.judged(memory) for memory in read}


class _Judge:
    """Judges memories by what git has of their files, which is asked for all at once."""

    def __init__(self, code: Repository, names: Set[str]) -> None:
        self._code, self._history, self._known = code, code.history, names
        self._blobs: Mapping[At, str] = {}
        self._texts: Mapping[str, str] = {}
        self._used: dict[str, Set[str]] = {}
        self._defining: dict[Kind, Sequence[str]] = {}
        self._defined: dict[Kind, Set[str]] = {}

    # What git is asked

    def ask(self, memories: Sequence[ReadMemory]) -> None:
        """Ask git for the texts that the files of memories, and what defines their commands, had
        then, and for the names that the code had.
        """
        changed = [
            (memory, file)
            for memory in memories
            for file in memory.files
            if file.base and (self._changes(file) or not self._code.exists(file.path))
        ]
        defining = {
            (memory.base, path)
            for memory in memories
            for command in memory.commands
            if command.name not in self._defined_now(command.kind)
            for path in self._files_of(command.kind)
        }
        bases = [file.base for _, file in changed if file.base]
        self._blobs = self._code.blobs([*bases, *defining])
        cited = {
            blob
            for memory, file in changed
            if (file.lines or memory.names)
            and (blob := self._blobs.get(file.held))
            and blob != self._code.blob(file.path)
        }
        commands = {self._blobs[at] for at in defining if at in self._blobs}
        self._texts = self._code.contents(cited | commands)
        self._ask_names(memories)

    def _ask_names(self, memories: Sequence[ReadMemory]) -> None:
        missing: dict[str, set[str]] = {}
        for memory in memories:
            if memory.base and (names := self._missing(memory)):
                missing.setdefault(memory.base, set()).update(names)
        for commit, wanted in islice(missing.items(), _MOST_SEARCHED):
            self._used[commit] = self._code.used_names(commit, wanted)

    # The verdict on a memory

    def judged(self, memory: ReadMemory) -> Judged:
        outcomes = {
            file: outcome for file in memory.files if (outcome := self._outcome(file, memory))
        }
        of = {
            verdict: [file for file, outcome in outcomes.items() if outcome.verdict is verdict]
            for verdict in Verdict
        }
        found = [name for name in memory.names if name in self._known]
        lost = [name for name in self._missing(memory) if self._was_used(name, memory)]
        unrun = [*self._gone_commands(memory)]
        gone = (*lost, *(file.written for file in of[Verdict.GONE]), *unrun)
        number = len(found) + len(lost) + len(outcomes) + len(memory.commands)
        share = len(gone) / number if gone else 0.0
        if of[Verdict.GONE] or unrun or share > MOSTLY:
            verdict = Verdict.GONE
        elif of[Verdict.MOVED]:
            verdict = Verdict.MOVED
        elif of[Verdict.CHANGED] or lost:
            verdict = Verdict.CHANGED
        elif of[Verdict.CURRENT] or found or self._is_run(memory):
            verdict = Verdict.CURRENT
        else:
            verdict = Verdict.UNKNOWN
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
            files += (*kind.files, *self._files_of(kind))
        return Judged(drift, tuple(dict.fromkeys((*memory.cited, *files))), memory.names)

    # Names of code

    def _missing(self, memory: ReadMemory) -> Sequence[str]:
        """Return the names in a memory that the code has not, though nobody confirmed that."""
        if not self._known or memory.is_about_removal:
            return ()
        missing = (name for name in memory.names if name not in self._known)
        return [name for name in missing if not memory.is_known_absent(name)]

    def _was_used(self, name: str, memory: ReadMemory) -> bool:
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

    # Commands and keys

    def _files_of(self, kind: Kind) -> Sequence[str]:
        """Return the files of a kind that define commands or keys: those there are, and were."""
        if kind not in self._defining:
            self._defining[kind] = self._code.paths(kind.has)
        return self._defining[kind]

    def _defined_now(self, kind: Kind) -> Set[str]:
        """Return the names of commands or keys that files of a kind define."""
        if kind not in self._defined:
            texts = [(self._code.text(path), path) for path in self._files_of(kind)]
            self._defined[kind] = frozenset().union(
                *(kind.defined_in(text, path) for text, path in texts if text)
            )
        return self._defined[kind]

    def _is_run(self, memory: ReadMemory) -> bool:
        return any(command.name in self._defined_now(command.kind) for command in memory.commands)

    def _gone_commands(self, memory: ReadMemory) -> Iterator[str]:
        """Yield the commands and keys that were defined when a memory was made, and are no more."""
        for kind, name, written in () if memory.is_about_removal else memory.commands:
            if name in self._defined_now(kind) or memory.is_known_absent(written):
                continue
            blobs = ((self._blobs.get((memory.base, path)), path) for path in self._files_of(kind))
            texts = ((self._texts.get(blob, ""), path) for blob, path in blobs if blob)
            if any(name in kind.defined_in(text, path) for text, path in texts):
                yield written

    # Files

    def _changes(self, file: NamedFile) -> Sequence[int]:
        """Return the places of the commits that changed a file since, the first one first."""
        assert self._history is not None
        return [event.at for event in self._history.since(file.path, file.moment)]

    def _outcome(self, file: NamedFile, memory: ReadMemory) -> _Outcome | None:
        """Return what became of a file; None where it never was one of this repository."""
        if self._history is None:
            return None
        changes = self._changes(file)
        if self._code.exists(file.path):
            if file.mark is None and file.base is None:
                return _Outcome(Verdict.UNKNOWN)
            if file.is_argument or self._is_same(file, memory, file.path):
                return _Outcome(Verdict.CURRENT)
            moved = self._history.renamed(file.path, file.moment, self._code.exists)
            if moved and self._is_same(file, memory, moved[0]):
                return _Outcome(Verdict.MOVED, *moved)
            return _Outcome(Verdict.CHANGED, at=changes[0] if changes else None)
        if found := self._found_again(file, memory):
            return found
        if self._code.is_in_submodule(file.path):
            return _Outcome(Verdict.UNKNOWN)
        was_there = file.base in self._blobs or changes
        if not was_there or (file.mark is None and memory.is_about_removal):
            return None
        return _Outcome(Verdict.GONE, at=changes[-1] if changes else None)

    def _found_again(self, file: NamedFile, memory: ReadMemory) -> _Outcome | None:
        """Return where a file is now that is not at its path: renamed since, or before, unless that
        is confirmed, or so that git sees no rename; with the commit that first moved it, if known.
        """
        assert self._history is not None
        for moment in (file.moment, None) if memory.absent is None else (file.moment,):
            if moved := self._history.renamed(file.path, moment, self._code.exists):
                return _Outcome(Verdict.MOVED, *moved)
        to = self._code.only_path(self._blobs.get(file.base, "")) if file.base else ""
        if not self._code.text(to):
            return None
        return _Outcome(Verdict.MOVED, to, next(iter(self._changes(file)), None))

    def _is_same(self, file: NamedFile, memory: ReadMemory, path: str) -> bool:
        """Return whether a file, perhaps moved to another path, holds what it held: all of it, or
        what the memory cites.
        """
        if path == file.path and file.mark is None and not self._changes(file):
            return True
        blob = self._blobs.get(file.held, "")
        if blob and blob == self._code.blob(path):
            return True
        text = self._code.text(path)
        if text is None:
            return not self._changes(file)
        if file.mark is not None:
            digest, pieces = file.mark
            return digest == digest_of(text) or _has_all(text, pieces)
        before = self._texts.get(blob)
        return before is not None and _has_all(text, pieces_of(before, file.lines, memory.names))


def _has_all(text: str, pieces: Sequence[str]) -> bool:
    return bool(pieces) and all(has_piece(text, piece) for piece in pieces)
