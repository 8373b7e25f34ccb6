"""Memory in lists: what a backend has to do, and nothing else.

Locks are one lock, stamps are sequence numbers, and nothing is ever damaged.
"""

from __future__ import annotations

import itertools
import json
import os
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha1
from pathlib import Path
from typing import Any

from store.backends.activity import RecallLog
from store.backends.issue_records import IssueRecords, ListedRecords, Lookup, RecordList
from store.backends.log_summary import LogSummary
from store.backends.protocol import Changes, Fact, Levels, Log, LogStamp, Stamps
from store.backends.text_kinds import TextKind, expired_before
from store.errors import NotFound
from store.model import check_issue
from store.records import RawRecord

_HELD: dict[str, Held] = {}


@dataclass(slots=True)
class Held:
    """Everything that is kept under one name."""

    identity: str
    issues: dict[int, dict[str, list[RawRecord]]] = field(default_factory=dict)
    changed: dict[int, int] = field(default_factory=dict)
    log: list[bytes] = field(default_factory=list)
    texts: dict[tuple[TextKind, str], bytes] = field(default_factory=dict)
    kept_at: dict[tuple[TextKind, str], datetime] = field(default_factory=dict)
    guard: threading.RLock = field(default_factory=threading.RLock)
    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))


def held_under(location: str) -> Held:
    """Return the lists kept under a location; its identity differs from one run to the next."""
    return _HELD.setdefault(location, Held(f"{location}#{os.urandom(8).hex()}"))


class MemoryLog:
    """A log that is never shortened, and so needs no summary."""

    earlier: Log | None = None

    def __init__(self, held: Held) -> None:
        self._held = held

    def append(self, entry: Mapping[str, Any]) -> bool:
        with self._held.guard:
            self._held.log.append(json.dumps(dict(entry)).encode("ascii"))
        return False

    def lines(self, start: int = 0, most: int = -1) -> tuple[list[bytes], int]:
        with self._held.guard:
            return self._held.log[start:], len(self._held.log)

    def backwards(self) -> Iterator[bytes]:
        with self._held.guard:
            return reversed(list(self._held.log))

    def count(self) -> int:
        return len(self._held.log)

    def summary(self, *, complete: bool = False) -> LogSummary:
        return LogSummary()

    def settle(self, now: datetime, keep: timedelta, most: int) -> int:
        return 0

    def stamp(self) -> LogStamp:
        return LogStamp(len(self._held.log))


class MemoryTexts:
    def __init__(self, held: Held, clock: Callable[[], datetime] | None = None) -> None:
        self._held = held
        self._clock = clock or (lambda: datetime.now(UTC))

    def keep(
        self, kind: TextKind, name: str, data: bytes, *, durable: bool = True, private: bool = False
    ) -> None:
        self._held.texts.pop((kind, name), None)  # kept anew, it is the newest
        self._held.texts[kind, name] = data
        self._held.kept_at[kind, name] = self._clock()

    def read(self, kind: TextKind, name: str) -> bytes:
        try:
            return self._held.texts[kind, name]
        except KeyError:
            raise NotFound(f"{name!r} not found in {kind}.", "") from None

    def names(self, kind: TextKind) -> list[str]:
        return [name for held, name in list(self._held.texts) if held is kind]

    def stamps(self, kind: TextKind) -> Mapping[str, str]:
        found = list(self._held.texts.items())
        return {name: sha1(data).hexdigest() for (held, name), data in found if held is kind}

    def remove(self, kind: TextKind, name: str) -> None:
        self._held.texts.pop((kind, name), None)

    def expire(
        self, kind: TextKind, now: datetime, keep: timedelta, most: int, newest: str
    ) -> None:
        others = [name for name in self.names(kind) if name != newest]
        times = [self._held.kept_at[kind, name] for name in others]
        before = expired_before(now, times, keep)
        most -= len(self._held.texts.get((kind, newest), b""))
        for name in reversed(others):
            most -= len(self._held.texts[kind, name])
            is_old = before is not None and self._held.kept_at[kind, name] < before
            if is_old or most < 0:
                self.remove(kind, name)


class MemoryBackend:
    finds_ids = False
    levels = Levels()
    files = None

    def __init__(self, held: Held, clock: Callable[[], datetime] | None = None) -> None:
        self._held = held
        self.log = MemoryLog(held)
        self.texts = MemoryTexts(held, clock)
        self._recalls = RecallLog(self.log)

    @property
    def identity(self) -> str:
        return self._held.identity

    @property
    def folder(self) -> Path:
        return Path.cwd() / ".agentx" / "memory"

    def issues(self) -> set[int]:
        with self._held.guard:
            return set(self._held.issues)

    def read(self, issue: int) -> IssueRecords:
        with self._held.guard:
            lists = self._held.issues.get(check_issue(issue), {})
            parts = {name: RecordList(list(found)).as_read() for name, found in lists.items()}
        return ListedRecords(issue, parts)

    def read_each(self, issues: Sequence[int]) -> Iterator[IssueRecords]:
        return map(self.read, issues)

    @contextmanager
    def changing(self, issue: int, lookup: Lookup | None = None) -> Iterator[IssueRecords]:
        with self._held.guard:
            self._recalls.read_on()
            records = self.read(issue)
            yield records
            changed = records.changed_parts()
            self._recalls.fold(changed.values())
            for name, part in changed.items():
                self._held.issues.setdefault(issue, {})[name] = list(part.records)
            if changed:
                self._held.changed[issue] = next(self._held.numbers)

    def changes_since(self, known: Stamps) -> Changes:
        with self._held.guard:
            stamps = {issue: str(number) for issue, number in self._held.changed.items()}
        changed = {issue for issue, stamp in stamps.items() if known.get(issue) != stamp}
        last_first = sorted(changed, key=self._held.changed.__getitem__, reverse=True)
        sizes = {issue: self._size(issue) for issue in last_first}
        return Changes(frozenset(changed | (known.keys() - stamps.keys())), stamps, sizes)

    @contextmanager
    def locked(self) -> Iterator[None]:
        with self._held.guard:
            yield

    def together(self) -> AbstractContextManager[None]:
        return nullcontext()

    def settle(self, issues: Collection[int]) -> bool:
        return False

    def size(self) -> int:
        with self._held.guard:
            return sum(map(self._size, self._held.issues))

    def _size(self, issue: int) -> int:
        parts = self._held.issues[issue].values()
        return sum(len(record.text) for part in parts for record in part)

    def release(self) -> None:
        """The system holds nothing for it."""

    def is_writable(self) -> bool:
        return True

    def examine(self, ids: Iterable[str], stamp: str) -> Iterator[Fact]:
        return iter(())
