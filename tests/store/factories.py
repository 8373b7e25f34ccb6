"""Observations, records and memories for tests, with a clock and ids that hold still."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from store import Memory, open_memory
from store.backends.activity import read_activity
from store.backends.files.backend import FilesBackend
from store.backends.files.log import FileLog
from store.backends.files.manifest import read_manifest
from store.backends.location import FOLDER
from store.backends.protocol import Backend
from store.backends.vault.backend import VaultBackend
from store.model import UNDATED, Location, Observation
from store.operations.apply import apply_plan
from store.operations.batch import StoreReport, store_batch
from store.operations.changes import plan_edit
from store.settings.schema import Settings
from store.validation.prepare import Prepared, make_id, prepare

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
"""The time at which every test begins."""


@dataclass(slots=True)
class Clock:
    """A clock that stands still until it is moved on."""

    now: datetime = NOW

    def __call__(self) -> datetime:
        return self.now

    def pass_by(self, **span: float) -> None:
        """Move on, by `timedelta`'s arguments."""
        self.now += timedelta(**span)


@dataclass(slots=True)
class Ids:
    """Makes the ids `obs-1`, `obs-2` …; the prefix tells one program's ids from another's."""

    prefix: str = "obs"
    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def __call__(self, agent: str, issue: int, when: datetime) -> str:
        return f"{self.prefix}-{next(self.numbers)}"


def observation(content: str = "Chose plain files for the record", **fields: Any) -> Observation:  # noqa: ANN401
    """An observation that the door takes; any field may be given."""
    return Observation(
        **{
            "agent": "engineer",
            "issue_number": 29,
            "category": "decision",
            "content": content,
            **fields,
        }
    )


def record(identifier: str = "keep-1", **keys: Any) -> dict[str, Any]:  # noqa: ANN401
    """A record as AgentX writes it; any key may be given."""
    return {
        "id": identifier,
        "agent": "engineer",
        "issueNumber": 29,
        "category": "decision",
        "content": "Chose plain files for the record",
        "summary": "Chose plain files for the record",
        "tokens": 8,
        "timestamp": "2026-02-27T10:00:00.000Z",
        "sessionId": "s1",
        **keys,
    }


def write_issue(folder: Path, issue: int, *records: object, archived: bool = False) -> Path:
    """Write an issue file, or its archive, as another program would: not through our door."""
    name = f"archive/issue-{issue}-archived.json" if archived else f"issue-{issue}.json"
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    value = {
        "version": 1,
        "issueNumber": issue,
        "updatedAt": "2026-02-27T10:00:00.000Z",
        "observations": [*records],
    }
    path.write_text(json.dumps(value, indent=2) + "\n")
    return path


def records_in(path: Path) -> list[Any]:
    """The records of an issue file as they stand in it."""
    found = json.loads(path.read_bytes())["observations"]
    assert isinstance(found, list)
    return found


if TYPE_CHECKING:
    _Backend = Backend
else:
    _Backend = object  # its properties would hide what a backend has


class Storing(_Backend):
    """A backend that stores as the pipeline does, without index, with its own clock and ids."""

    clock: Callable[[], datetime]
    new_id: Callable[[str, int, datetime], str]

    def prepare(self, item: Observation) -> Prepared:
        return prepare(item, self.clock(), self.new_id)

    def store(self, observations: Sequence[Observation]) -> StoreReport:
        return store_batch(self, observations, self.prepare)

    def edit(self, identifier: str, fields: dict[str, Any], issue: int = 29) -> None:
        """Set fields of an observation, as an operation does."""
        plan = plan_edit({issue: self.read(issue)}, [identifier], fields)
        apply_plan(self, plan, self.clock())

    def drop(self, identifier: str, issue: int = 29) -> None:
        """Take an observation out of its issue."""
        with self.changing(issue) as records:
            records.drop(Location.ISSUE, identifier)

    def by_issue(self, issue: int) -> list[Observation]:
        return self.read(issue).observations()


class _WithIds:
    def __init__(
        self,
        folder: Path,
        *,
        clock: Callable[[], datetime] | None = None,
        new_id: Callable[[str, int, datetime], str] = make_id,
    ) -> None:
        super().__init__(folder, clock)  # type: ignore[call-arg]
        self.clock, self.new_id = clock or (lambda: datetime.now(UTC)), new_id


class Store(_WithIds, FilesBackend, Storing):
    """Files of issues that store."""


class VaultStore(_WithIds, VaultBackend, Storing):
    """A vault that stores."""


def make_store(
    root: Path, clock: Callable[[], datetime] | None = None, prefix: str = "obs"
) -> Store:
    """A store in a project folder, without index, with its own clock and ids."""
    return Store(root / FOLDER, clock=clock or Clock(), new_id=Ids(prefix))


def make_memory(
    root: Path,
    clock: Callable[[], datetime] | None = None,
    prefix: str = "obs",
    **chosen: Any,  # noqa: ANN401
) -> Memory:
    """A memory in a project folder, its index beside it, with its own clock and ids.

    `chosen` are settings, in place of those of files.
    """
    return open_memory(
        root / FOLDER,
        cache=root / "cache",
        settings=Settings(**chosen) if chosen else None,
        clock=clock or Clock(),
        new_id=Ids(prefix),
    )


def append_activity(folder: Path, entry: Mapping[str, Any]) -> None:
    """Append an entry to a memory's log, at a time before all others, when nothing of it is old."""
    FileLog(folder, lambda: UNDATED).append(entry)


def logged(folder: Path) -> list[dict[str, Any]]:
    """The entries of a memory's activity log."""
    return read_activity(FileLog(folder))[0]


def manifest_ids(folder: Path) -> list[str] | None:
    """The ids that the manifest lists, in its order; `None` where it can't be read."""
    found = read_manifest(folder)
    return None if found is None else found.ids
