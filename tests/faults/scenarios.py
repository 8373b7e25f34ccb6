"""The operations of the real store that are killed at each of their calls.

A new operation joins by one line in `SCENARIOS`.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from store.disk.json_store import JsonObservationStore
from store.disk.layout import FOLDER
from store.errors import StoreError
from store.model import Observation
from tests.faults.harness import Acknowledge, Scenario, Subject, View

Memory = JsonObservationStore
Operation = Callable[[Memory, Acknowledge], None]


def observation(text: str, issue: int = 29) -> Observation:
    """An observation whose id, content and summary follow from its text."""
    return Observation(
        agent="engineer",
        issue_number=issue,
        category="decision",
        content=text,
        summary=text,
        id=f"obs-engineer-{issue}-1709035200000-{text.replace(' ', '')}",
    )


def _open(folder: Path) -> Memory:
    return JsonObservationStore(folder / FOLDER)


def _add(folder: Path, text: str) -> None:
    _open(folder).store([observation(text)])


# What a stranger sees


def _view(folder: Path) -> View:
    memory = folder / FOLDER
    shelves = [memory.glob("issue-*.json"), memory.glob("archive/issue-*-archived.json")]
    seen: dict[str, str] = {}
    doubled: list[tuple[str, str]] = []
    for mark, shelf in zip(("", "archived"), shelves, strict=True):
        records = [(record["id"], _text(record, mark)) for record in _records(shelf)]
        ids = [identifier for identifier, _ in records]
        doubled += [pair for pair in records if ids.count(pair[0]) > 1 and pair[0] not in seen]
        for identifier, text in records:
            seen.setdefault(identifier, text)
    view: dict[str, list[str]] = {}
    for identifier, text in [*seen.items(), *doubled]:
        view.setdefault(f"#{identifier.split('-')[2]}", []).append(text)
    return {issue: tuple(sorted(texts)) for issue, texts in view.items()}


def _records(paths: Iterable[Path]) -> list[dict[str, Any]]:
    return [
        record for path in sorted(paths) for record in json.loads(path.read_bytes())["observations"]
    ]


def _text(record: dict[str, Any], mark: str) -> str:
    marks = [mark, *record.get("tags", ()), "pinned" * bool(record.get("pinned"))]
    said = ", ".join(filter(None, marks))
    return f"{record['content']} [{said}]" if said else str(record["content"])


def _listing(folder: Path) -> frozenset[str]:
    manifest = folder / FOLDER / "manifest.json"
    if not manifest.exists():
        return frozenset()
    return frozenset(entry["summary"] for entry in json.loads(manifest.read_bytes())["entries"])


def _in_order(folder: Path) -> None:
    memory = folder / FOLDER
    assert (memory / ".gitignore").read_text(), "the store has no .gitignore"


def _bury(folder: Path) -> None:
    """Give the markers that were left the process id of one that has ended."""
    for marker in folder.rglob("*.json.lock"):
        marker.write_bytes(marker.read_bytes().replace(b'"pid": %d' % os.getpid(), _DEAD))


def _dead_process() -> int:
    child = subprocess.Popen(["true"])
    child.wait()
    return child.pid


_DEAD = b'"pid": %d' % _dead_process()

MEMORY = Subject(
    view=_view,
    listing=_listing,
    add=_add,
    in_order=_in_order,
    errors=(StoreError,),
    may_stay=lambda name: name.endswith((".json", ".jsonl", "/archive", "/operations")),
    bury=_bury,
)

# The operations


def _scenario(name: str, operation: Operation, *texts: str) -> Scenario:
    """An operation on a store that holds these texts: in issue 29, or in the issue before a `/`."""

    def prepare(folder: Path) -> None:
        for text in texts:
            issue, _, rest = text.rpartition("/")
            _open(folder).store([observation(rest, int(issue or 29))])

    def run(folder: Path, acknowledge: Acknowledge) -> None:
        operation(_open(folder), acknowledge)

    return Scenario(name, MEMORY, prepare, run)


def _store(*texts: str) -> Operation:
    def store(memory: Memory, acknowledge: Acknowledge) -> None:
        for text in texts:
            memory.store([observation(text)])
            acknowledge()

    return store


def _store_batch(memory: Memory, acknowledge: Acknowledge) -> None:
    memory.store([observation("one"), observation("two", 30), observation("three", 30)])
    acknowledge()


def _update(memory: Memory, acknowledge: Acknowledge) -> None:
    memory.update(observation("old").id, {"tags": ("seen",)})
    acknowledge()


def _remove(memory: Memory, acknowledge: Acknowledge) -> None:
    memory.remove(observation("old").id)
    acknowledge()


SCENARIOS = [
    _scenario("store the first", _store("first")),
    _scenario("store two", _store("first", "second"), "old", "30/other"),
    _scenario("store a batch", _store_batch, "old", "31/other"),
    _scenario("update", _update, "old", "older"),
    _scenario("remove", _remove, "old", "older"),
]
