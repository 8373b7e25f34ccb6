"""Ledgers: a file an issue at `.agentx/state/clarifications`, which AgentX's programs write too.

Read through no link and within bounds; written atomically, under a marker as theirs. What can't
be read is kept and named.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from store.backends.files.layout import GITIGNORE
from store.backends.files.locks import StoreLock
from store.backends.user_data import is_in_user_data, project_root
from store.clarifications.model import Clarification, Entry, Ledgers
from store.errors import StoreError, Unreadable, WriteFailed
from store.model import Problem, check_issue
from store.platform.bounds import MAX_TEXT_FILE, excess_of, load_json
from store.platform.json_fields import is_integer
from store.platform.links import link_on_way
from store.platform.read import FileStamp, read_bytes, stamp_of
from store.platform.write import make_folder, replace_durably
from store.records import as_json, format_time, parse_time

AGENTX = ".agentx"


def home_of(memory: Path) -> Path:
    """Return the folder that AgentX keeps its state in: the `.agentx` around a memory or beside it,
    else the memory itself.
    """
    parent = memory.parent
    if is_in_user_data(memory):
        shared = project_root(memory) / AGENTX
        return shared if shared.is_dir() and not shared.is_symlink() else parent
    if parent.name == AGENTX:
        return parent
    beside = parent / AGENTX
    return beside if beside.is_dir() and not beside.is_symlink() else memory


def folder_of(memory: Path) -> Path:
    """Return the folder of the ledgers, whether or not there is one."""
    return home_of(memory) / "state" / "clarifications"


MAX_ENTRIES = 1_000
"""Entries of one thread that are read; the rules allow some twenty."""
_FIELDS = {
    "id": "id",
    "issueNumber": "issue",
    "from": "asker",
    "to": "asked",
    "topic": "topic",
    "blocking": "blocking",
    "status": "status",
    "round": "round",
    "maxRounds": "max_rounds",
    "created": "created",
    "staleAfter": "stale_after",
    "resolvedAt": "resolved_at",
    "gaveWayTo": "gave_way_to",
}


def clarification_of(record: object, issue: int) -> Clarification:
    """Return the clarification that a record of the ledger of `issue` holds.

    Strict in what makes one (id, from, to, status, created), lenient in the rest. Raises
    `ValueError` that says what is wrong.
    """
    if not isinstance(record, dict):
        raise ValueError("not a JSON object")
    if excess := excess_of(record):
        raise ValueError(excess)
    created = _time(record, "created")
    number = _count(record.get("round"), 1)
    return Clarification(
        id=_text(record, "id"),
        issue=issue,
        asker=_text(record, "from"),
        asked=_text(record, "to"),
        topic=str(record.get("topic") or ""),
        blocking=record.get("blocking") is True,
        status=_text(record, "status"),
        round=number,
        max_rounds=_count(record.get("maxRounds"), number),
        created=created,
        stale_after=_time_or(record, "staleAfter", created),
        resolved_at=_time(record, "resolvedAt") if record.get("resolvedAt") else None,
        thread=tuple(_thread(record.get("thread"), created)),
        gave_way_to=str(record.get("gaveWayTo") or ""),
        record=record,
    )


def clarification_record(clarification: Clarification) -> dict[str, Any]:
    """Return the record of a clarification: what its ledger held, with what changed since."""
    before = (
        clarification_of(clarification.record, clarification.issue)
        if clarification.record
        else None
    )
    record = dict(clarification.record)
    for key, name in _FIELDS.items():
        value = getattr(clarification, name)
        is_said = value != "" or name != "gave_way_to"
        if (is_said and before is None) or (before is not None and getattr(before, name) != value):
            record[key] = format_time(value) if isinstance(value, datetime) else value
    said = len(before.thread) if before is not None else 0
    kept = record.get("thread")
    new = [_entry_record(entry) for entry in clarification.thread[said:]]
    record["thread"] = [*(kept if isinstance(kept, list) else ()), *new]
    return record


def _entry_record(entry: Entry) -> dict[str, Any]:
    return {
        "round": entry.round,
        "from": entry.by,
        "type": str(entry.type),
        "body": entry.body,
        "timestamp": format_time(entry.timestamp),
    }


def _thread(value: object, created: datetime) -> list[Entry]:
    """Return the entries that can be read; the others stay in the record."""
    listed = value if isinstance(value, list) else []
    return [
        Entry(
            round=_count(record.get("round"), 1),
            by=str(record.get("from") or ""),
            type=str(record.get("type") or ""),
            body=record["body"],
            timestamp=_time_or(record, "timestamp", created),
        )
        for record in listed[:MAX_ENTRIES]
        if isinstance(record, dict) and isinstance(record.get("body"), str)
    ]


def _text(record: Mapping[str, Any], key: str) -> str:
    value = record.get(key)
    if not isinstance(value, str) or not value:
        raise ValueError(f"its `{key}` is missing or not a string")
    return value


def _time(record: Mapping[str, Any], key: str) -> datetime:
    try:
        return parse_time(record[key])
    except (KeyError, TypeError, ValueError):
        raise ValueError(f"its `{key}` is missing or not a date") from None


def _time_or(record: Mapping[str, Any], key: str, default: datetime) -> datetime:
    try:
        return _time(record, key)
    except ValueError:
        return default


def _count(value: object, default: int) -> int:
    return value if is_integer(value) and 1 <= value < 1_000 else default


MOST_LEDGERS = 10_000
"""Issues whose ledgers are read, the greatest numbers first."""
MOST_RECORDS = 10_000
"""Clarifications of one issue that are read."""
_TRIES, _MOMENT = 10, 0.02
"""How often, and after how many seconds, a ledger that is being written is read again."""
_NAME = re.compile(r"issue-(0|[1-9][0-9]{0,8})\.json", re.ASCII)
_IGNORED = b"# Written by memtui: locks and temporary files.\n.lock\n*.lock\n.*.tmp\n.gitignore\n"

Values = dict[str, Any]
"""A ledger as it stands: its `clarifications`, and whatever else."""


class ClarificationLedgers:
    """The ledgers beside one memory. Safe to share between threads and processes."""

    def __init__(self, memory: Path) -> None:
        self._home = home_of(memory)
        self.root = self._home.parent if self._home.name == AGENTX else self._home
        self.folder = folder_of(memory)
        self._lock = StoreLock(self.folder)

    @property
    def workflows(self) -> Path:
        """The folder of the workflows that say who may ask whom."""
        return self._home / "workflows"

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
                time.sleep(_MOMENT)
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
