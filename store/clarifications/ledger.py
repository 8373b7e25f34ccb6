"""Ledgers: a file an issue at `.agentx/state/clarifications`, which AgentX's programs write too.

Read through no link and within bounds; written atomically, under a marker as theirs. What can't
be read is kept and named.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from store.backends.files.layout import GITIGNORE
from store.backends.files.locks import StoreLock
from store.clarifications.folder import AGENTX, folder_of, state_folder
from store.clarifications.model import Clarification, Ledgers
from store.clarifications.records import clarification_of
from store.errors import StoreError, Unreadable, WriteFailed
from store.model import Problem, check_issue
from store.platform.bounds import MAX_TEXT_FILE, load_json
from store.platform.file_stamp import FileStamp, stamp_of
from store.platform.links import link_on_way
from store.platform.read import read_bytes
from store.platform.write import make_folder, replace_durably
from store.records import as_json

MOST_LEDGERS = 10_000
"""Issues whose ledgers are read, the greatest numbers first."""
MOST_RECORDS = 10_000
"""Clarifications of one issue that are read."""
_TRIES = 10
"""How often a ledger that is being written is read again."""
_PAUSE = 0.02
"""Seconds before each of these times."""
_NAME = re.compile(r"issue-(0|[1-9][0-9]{0,8})\.json", re.ASCII)
_IGNORED = b"# Written by memtui: locks and temporary files.\n.lock\n*.lock\n.*.tmp\n.gitignore\n"
Values = dict[str, Any]
"""The content of a ledger: its `clarifications`, and whatever else."""


class ClarificationLedgers:
    """The ledgers of one memory. Safe to share between threads and processes."""

    def __init__(self, memory: Path) -> None:
        home = state_folder(memory)
        self.root = home.parent if home.name == AGENTX else home
        self.folder = folder_of(memory)
        self.workflows = home / "workflows"
        """The folder of the workflows, which set whom an agent may ask."""
        self._lock = StoreLock(self.folder)

    def stamp(self) -> frozenset[tuple[str, FileStamp | None]]:
        """Identify the state of all ledgers by their files' stamps; none is read."""
        names = map(ledger_name, self._issues())
        return frozenset((name, stamp_of(self.folder / name)) for name in names)

    def read(self, issue: int | None = None) -> Ledgers:
        """The clarifications of an issue, or of all; a ledger that can't be read is named."""
        found: list[Clarification] = []
        problems: list[Problem] = []
        for number in self._issues() if issue is None else [check_issue(issue)]:
            try:
                one = self.of_issue(number)
            except StoreError as error:
                problems.append(Problem(_named(number), error.message))
            else:
                found += one.clarifications
                problems += one.problems
        return Ledgers(tuple(found), tuple(problems))

    def of_issue(self, issue: int) -> Ledgers:
        """The clarifications of one issue. Raises `Unreadable` where its ledger can't be read."""
        found: list[Clarification] = []
        problems: list[Problem] = []
        listed = self._values(issue, _TRIES)["clarifications"]
        for place, record in enumerate(listed[:MOST_RECORDS], 1):
            try:
                found.append(clarification_of(record, issue))
            except ValueError as error:
                problems.append(Problem(_named(issue), f"Clarification {place}: {error}."))
        return Ledgers(tuple(found), tuple(problems))

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold all ledgers, so that what is planned by them can be applied to them."""
        self._make_folder()
        with self._lock.hold():
            yield

    @contextmanager
    def changing(self, issue: int) -> Iterator[dict[str, Values]]:
        """The records of an issue's ledger by id, to be changed; written durably at the end.

        A record that is added is appended, one that is taken out is removed; what can't be read
        stays where it is. Raises `Unreadable`, `LockTimeout`, `ReadOnly`, `WriteFailed`.
        """
        self._make_folder()
        path = self.folder / ledger_name(issue)
        with self._lock.marked(path):
            values = self._values(issue)
            before: dict[str, Values] = {}
            for record in values["clarifications"]:
                before.setdefault(_id(record), record)
            before.pop("", None)
            records = dict(before)
            yield records
            if records != before:
                listed = list(_listed(values["clarifications"], before, records))
                data = as_json({**values, "clarifications": listed})
                replace_durably(path, data, self.root, lambda: self._lock.check(path))

    def _issues(self) -> list[int]:
        try:
            names = [path.name for path in self.folder.iterdir()]
        except OSError:
            return []
        issues = (int(match[1]) for name in names if (match := _NAME.fullmatch(name)))
        return sorted(issues, reverse=True)[:MOST_LEDGERS]

    def _values(self, issue: int, tries: int = 0) -> Values:
        """Return what a ledger holds; an empty one where there is none. Raises `Unreadable`.

        One that another program is just writing in place is read again so many times.
        """
        name = ledger_name(issue)
        try:
            data = read_bytes(self.folder / name, self.root, most=MAX_TEXT_FILE)
        except FileNotFoundError:
            return {"issueNumber": issue, "clarifications": []}
        try:
            values: Values = load_json(data)
        except ValueError as error:
            is_marked = (self.folder / f"{name}.lock").exists()
            if tries == _TRIES or (tries and is_marked):
                time.sleep(_PAUSE)
                return self._values(issue, tries - 1)
            raise Unreadable(f"{name} is not valid JSON.", "It is left as it is.") from error
        listed = values.get("clarifications") if isinstance(values, dict) else None
        if not isinstance(listed, list):
            raise Unreadable(f"{name} has no list of clarifications.", "It is left as it is.")
        return values

    def _make_folder(self) -> None:
        if link := link_on_way(self.folder, self.root):
            raise WriteFailed(
                f"{link.name} is a symbolic link; nothing was written.",
                "Replace it with a regular folder.",
            )
        if not self.folder.is_dir():
            make_folder(self.folder)
            replace_durably(self.folder / GITIGNORE, _IGNORED, self.root)


def ledger_name(issue: int) -> str:
    """Return the file of an issue's clarifications."""
    return f"issue-{check_issue(issue)}.json"


def _named(issue: int) -> str:
    return f"clarifications/{ledger_name(issue)}"


def _listed(
    before: Sequence[object], known: Mapping[str, Values], after: Mapping[str, Values]
) -> Iterator[object]:
    """The records of a ledger after a change: of two with one id, the second stays as it is."""
    for record in before:
        identifier = _id(record)
        if known.get(identifier) is not record:
            yield record
        elif identifier in after:
            yield after[identifier]
    yield from (record for identifier, record in after.items() if identifier not in known)


def _id(record: object) -> str:
    identifier = record.get("id") if isinstance(record, Mapping) else None
    return identifier if isinstance(identifier, str) else ""
