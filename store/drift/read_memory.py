"""What a memory names, and what it is to be compared with: its anchor, else the commit of then."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from store.drift.anchors import Mark, absent_of, anchor_of
from store.drift.citations import citations_in, is_about_removal, names_of
from store.drift.commands import Cited, cited_in
from store.drift.history import History, Moment
from store.drift.repository import Repository
from store.merge.versions import EDITED
from store.model import Category, Observation
from store.platform.json_fields import string
from store.records import time_or_none

At = tuple[str, str]
"""A commit, and the path of a file in it."""


class NamedFile(NamedTuple):
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
    is_argument: bool = False

    @property
    def held(self) -> At:
        """The text that it is compared with, none where a mark tells of it."""
        return ("", "") if self.mark or self.base is None else self.base


class ReadMemory(NamedTuple):
    """A memory as it is judged.

    `cited` are the paths in it, `files` those of them that are or were of the repository. `base` is
    the commit that was checked out when it was made, empty where that is unknown; `absent` what is
    known to be gone since somebody confirmed the memory, None where nobody did.
    """

    id: str
    cited: tuple[str, ...]
    files: tuple[NamedFile, ...]
    names: tuple[str, ...]
    commands: tuple[Cited, ...]
    base: str
    absent: Sequence[str] | None
    is_about_removal: bool

    def is_known_absent(self, name: str) -> bool:
        return name in (self.absent or ())


def read_memory(observation: Observation, code: Repository) -> ReadMemory:
    content, history = observation.content, code.history
    citations, absent = citations_in(content), absent_of(observation)
    edited = time_or_none(observation.extra.get(EDITED)) if absent is None else None
    files: dict[str, NamedFile] = {}
    base = ""
    if history is not None:
        # Of a memory that was edited, its words are of then, but not its commit and its anchor.
        commit = "" if edited else string(observation.extra.get("commit"))
        time = int((edited or observation.timestamp).timestamp())
        moment = history.moment_of(commit, time, is_sure=absent is not None)
        base = "" if moment is None else history.commits[moment.place].id
        marks = {} if edited else anchor_of(observation)
        for written, lines, is_argument in citations:
            mark = marks.get(written)
            path = written if mark else code.resolve(written)
            if path and path not in files:
                at = (base, path) if base else None
                file = NamedFile(written, path, lines, moment, mark, at, is_argument)
                files[path] = file if mark else _based(file, observation, code, history)
    return ReadMemory(
        observation.id,
        tuple(citation.path for citation in citations),
        tuple(files.values()),
        names_of(content),
        cited_in(content) if base else (),
        base,
        absent,
        is_about_removal(content),
    )


def _based(
    file: NamedFile, observation: Observation, code: Repository, history: History
) -> NamedFile:
    """Return a file without a mark with the commit to compare with: the one that was checked out,
    or where that has it not yet, the one that added it. A change is often in memory before it is
    committed: what first changed the file of one afterwards is that change.
    """
    if file.moment is None and not code.is_whole:
        return file
    first = next(iter(history.since(file.path, file.moment)), None)
    own = "AM" if observation.category == Category.CODE_CHANGE else "A"
    if first is None or first.what not in own:
        return file
    moment = Moment(first.at, is_known=file.moment is not None and file.moment.is_known)
    return file._replace(moment=moment, base=(history.commits[first.at].id, file.path))
