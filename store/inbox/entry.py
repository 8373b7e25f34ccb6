"""What the inbox holds: one memory, or one piece of a file, as it was and as an agent wants it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from store.model import EntrySource as EntrySource
from store.model import Problem


class EntryKind(StrEnum):
    """What becomes of it when it is approved, or became of it in a file."""

    NEW = "new"
    CHANGED = "changed"
    GONE = "gone"
    MOVED = "moved"
    """A file, whole, that has another name."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing to approve, edit or take back. Its texts are of agents: not safe to show as they
    are.

    `id` is unique in the inbox. `origin` is the agent that wrote it, or the file's name;
    `title` a line. `before` is empty for what is new, `after` for what is gone. `action` is the
    kind of the operation that it would be, `category` that of a memory, `memory` the id of one that
    is there, and `issue` its number; a new one goes to `level`, which `needs_level` where it is not
    open. `path` is that of a file, in whose `line` it begins. `is_outdated`: what it changes became
    another thing since.
    """

    id: str
    kind: EntryKind
    source: EntrySource
    origin: str
    title: str
    before: str
    after: str
    when: datetime
    action: str = ""
    category: str = ""
    memory: str = ""
    issue: int = 0
    level: str = ""
    needs_level: bool = False
    path: Path | None = None
    line: int = 0
    is_outdated: bool = False


def approvable(entries: Sequence[Entry]) -> list[Entry]:
    """Return the entries that can be approved together: of several changes of one memory none, none
    of a memory that changed since, and none of a level that is not open.
    """
    memories = Counter(entry.memory for entry in entries if entry.memory)
    return [
        entry
        for entry in entries
        if not (entry.is_outdated or entry.needs_level) and memories[entry.memory] < 2
    ]


class Waiting(NamedTuple):
    """Entries, the newest first, and the files in which some can't be read."""

    entries: Sequence[Entry] = ()
    problems: Sequence[Problem] = ()
