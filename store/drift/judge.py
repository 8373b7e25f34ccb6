"""The verdict on each memory, of what it names and what became of that. Changes nothing.

A file is compared with what it held when the memory was made: by the memory's anchor, else as it
was in the commit that was checked out then.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import NamedTuple

from store.drift.anchors import Mark, absent_of, anchor_of
from store.drift.citations import citations_in, is_about_removal, names_of
from store.drift.commands import Cited, Kind, cited_in
from store.drift.history import History
from store.drift.pieces import digest_of, has_piece, pieces_of
from store.drift.repository import Repository
from store.drift.verdicts import MOSTLY, Drift
from store.merge.versions import EDITED
from store.model import Category, Observation, Verdict
from store.platform.json_fields import string
from store.records import time_or_none

At = tuple[str, str]
"""A commit, and the path of a file in it."""


class Judged(NamedTuple):
    """A verdict, and the files that it rests on."""

    drift: Drift
    files: tuple[str, ...] = ()


class _File(NamedTuple):
    """A file that a memory names: as it is `written`, its path, and what it held then.

    Changes count after the commit at `place`. `base` names the text to compare with where there is
    no `mark`.
    """

    written: str
    path: str
    lines: tuple[int, int] | None
    place: int | None
    mark: Mark | None
    base: At | None


class _Memory(NamedTuple):
    observation: Observation
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
    files: list[_File] = []
    base = ""
    if history is not None:
        is_sure = absent_of(observation) is not None
        edited = None if is_sure else time_or_none(observation.extra.get(EDITED))
        marks = {} if edited else anchor_of(observation)
        commit = "" if edited else string(observation.extra.get("commit"))
        time = int((edited or observation.timestamp).timestamp())
        place = history.place_of(commit, time, is_sure=is_sure)
        base = "" if place is None else history.commits[place].id
        for written, lines in citations_in(content):
            mark = marks.get(written)
            path = written if mark else code.resolve(written)
            if path and path not in (file.path for file in files):
                file = _File(written, path, lines, place, mark, None)
                files.append(file if mark else _based(file, observation, code, history))
    commands = cited_in(content) if base else ()
    removal = is_about_removal(content)
    return _Memory(observation, tuple(files), names_of(content), commands, base, removal)


def _based(file: _File, observation: Observation, code: Repository, history: History) -> _File:
    """Return a file without a mark with the commit to compare with: the one that was checked out,
    or where that has it not yet, the one that added it. A change is often in memory before it is
    committed: what first changed the file of one afterwards is that change.
    """
    path, place = file.path, file.place
    if place is None and not code.is_whole:
        return file
    events = history.since(path, place)
    is_own = bool(events) and (
        events[0].what == "A"
        or (events[0].what == "M" and observation.category == Category.CODE_CHANGE)
    )
    if is_own:
        place = events[0].at
    return file._replace(
        place=place, base=None if place is None else (history.commits[place].id, path)
    )


class _Judge:
    """Judges memories by what git has of their files: all is asked at once by `learn`."""

    def __init__(self, code: Repository, names: Set[str]) -> None:
        self._code, self._history, self._known = code, code.history, names
        self._blobs: Mapping[At, str] = {}
        self._texts: Mapping[str, str] = {}
        self._commands: dict[Kind, Set[str]] = {}

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
            and (blob := self._blobs.get(file.base or ("", "")))
            and blob != self._code.blob(file.path)
        }
        self._texts = self._code.contents(
            compared | {self._blobs[at] for at in defining if at in self._blobs}
        )

    def judged(self, memory: _Memory) -> Judged:
        outcomes = {
            file: outcome for file in memory.files if (outcome := self._outcome(file, memory))
        }
        of = {
            verdict: [file for file, outcome in outcomes.items() if outcome.verdict is verdict]
            for verdict in Verdict
        }
        names = memory.names if self._known else ()
        lost: Sequence[str] = ()
        unrun: Sequence[str] = ()
        if not memory.is_about_removal:
            absent = absent_of(memory.observation) or ()
            lost = [name for name in names if name not in self._known and name not in absent]
            unrun = [*self._gone_commands(memory, absent)]
        gone = (*lost, *(file.written for file in of[Verdict.GONE]), *unrun)
        number = len(names) + len(outcomes) + len(memory.commands)
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
        files += [path for command in memory.commands for path in self._defining(command.kind)]
        return Judged(drift, tuple(dict.fromkeys(files)))

    def _defining(self, kind: Kind) -> Sequence[str]:
        """Return the files of a kind that define commands or keys: those there are, and were."""
        return [path for name in kind.files for path in self._code.named(name)]

    def _defined(self, kind: Kind) -> Set[str]:
        """Return the names of commands or keys that files of a kind define now."""
        if kind not in self._commands:
            texts = map(self._code.text, self._defining(kind))
            self._commands[kind] = frozenset().union(
                *(kind.defined_in(text) for text in texts if text)
            )
        return self._commands[kind]

    def _is_run(self, memory: _Memory) -> bool:
        return any(command.name in self._defined(command.kind) for command in memory.commands)

    def _gone_commands(self, memory: _Memory, absent: Sequence[str]) -> Iterator[str]:
        """Yield the commands and keys that were defined when a memory was made, and are no more."""
        for kind, name, written in memory.commands:
            if name in self._defined(kind) or written in absent:
                continue
            blobs = (self._blobs.get((memory.base, path), "") for path in self._defining(kind))
            if any(name in kind.defined_in(self._texts.get(blob, "")) for blob in blobs):
                yield written

    def _events(self, file: _File) -> Sequence[int]:
        """Return the places of the commits that changed a file since, the first one first."""
        assert self._history is not None
        return [event.at for event in self._history.since(file.path, file.place)]

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
        renamed = history.renamed(file.path, file.place, exists)
        if renamed and (not is_there or self._is_same(file, memory, renamed[0])):
            return _Outcome(Verdict.MOVED, *renamed)
        if is_there:
            return _Outcome(Verdict.CHANGED, at=first)
        if self._code.is_in_submodule(file.path):
            return _Outcome(Verdict.UNKNOWN)
        was_there = file.mark is not None or file.base in self._blobs or bool(events)
        if not was_there or (file.mark is None and memory.is_about_removal):
            return None
        return _Outcome(Verdict.GONE, at=events[-1] if events else None)

    def _is_same(self, file: _File, memory: _Memory, path: str) -> bool:
        """Return whether a file, perhaps moved to another path, holds what it held: all of it, or
        what the memory cites.
        """
        if path == file.path and file.mark is None and not self._events(file):
            return True
        text = self._code.text(path)
        if text is None:
            return not self._events(file)
        if file.mark is not None:
            digest, pieces = file.mark
            return digest == digest_of(text) or _has_all(text, pieces)
        blob = self._blobs.get(file.base, "") if file.base else ""
        if blob and blob == self._code.blob(path):
            return True
        before = self._texts.get(blob)
        return before is not None and _has_all(text, pieces_of(before, file.lines, memory.names))


def _has_all(text: str, pieces: Sequence[str]) -> bool:
    return bool(pieces) and all(has_piece(text, piece) for piece in pieces)
