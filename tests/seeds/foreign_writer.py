"""A foreign writer of AgentX's memory and of its ledgers, made from its documents alone.

It takes `manifest.json.lock`, then the issue's own marker; each is created exclusively and tried
for five times, waiting 200 ms and then twice as long each time; older than 30 s it is stale. Under
them it rewrites both files in place, without temporary file or fsync.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

TRIES = 5
FIRST_WAIT = 0.2
"""Seconds before the second try."""
STALE_AFTER = 30.0
"""Seconds."""


class GaveUp(Exception):
    """Five tries were not enough; nothing was written."""


def add(folder: Path, record: dict[str, Any]) -> None:
    """Add a record to its issue's file and to the manifest. Raises `GaveUp`."""
    issue = folder / f"issue-{record['issueNumber']}.json"
    manifest = folder / "manifest.json"
    with _locked(manifest), _locked(issue):
        _append(issue, "observations", record, {"issueNumber": record["issueNumber"]})
        entry = {key: record[key] for key in record if key not in ("content", "sessionId")}
        _append(manifest, "entries", entry, {})


def ask(ledger: Path, topic: str) -> str:
    """Add a question to a ledger under its marker; its id. Raises `GaveUp`."""
    with _locked(ledger):
        text = ledger.read_text("utf-8") if ledger.exists() else '{"clarifications": []}'
        content = json.loads(text)
        numbers = [int(it["id"].rpartition("-")[2]) for it in content["clarifications"]]
        identifier = f"CLR-29-{max(numbers, default=0) + 1:03}"
        content["clarifications"].append(
            {
                "id": identifier,
                "issueNumber": 29,
                "from": "foreign",
                "to": "architect",
                "topic": topic,
                "status": "pending",
                "created": _now(),
                "thread": [],
            }
        )
        ledger.write_text(json.dumps(content, indent=2), "utf-8")
    return identifier


def answer(ledger: Path, identifier: str, by: str, body: str) -> None:
    """Add an answer to a question under the ledger's marker. Raises `GaveUp`."""
    with _locked(ledger):
        content = json.loads(ledger.read_text("utf-8"))
        (found,) = [it for it in content["clarifications"] if it["id"] == identifier]
        entry = {"round": 1, "from": by, "type": "answer", "body": body, "timestamp": _now()}
        found["status"] = "answered"
        found["thread"].append(entry)
        ledger.write_text(json.dumps(content, indent=2), "utf-8")


def _append(path: Path, key: str, value: dict[str, Any], header: dict[str, Any]) -> None:
    try:
        content = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        content = {"version": 1, **header, key: []}
    content["updatedAt"] = _now()
    content[key].append(value)
    path.write_text(json.dumps(content, indent=2), "utf-8")


def mark(path: Path, seconds_ago: float = 0) -> Path:
    """Leave the marker of a program that is gone beside a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    marker = path.with_name(f"{path.name}.lock")
    at = int((time.time() - seconds_ago) * 1_000)
    marker.write_text(json.dumps({"pid": 999_999, "timestamp": at, "agent": "foreign"}))
    return marker


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    marker = path.with_name(f"{path.name}.lock")
    wait = FIRST_WAIT
    for _ in range(TRIES):
        if _create(marker):
            break
        time.sleep(wait)
        wait *= 2
    else:
        raise GaveUp(path.name)
    try:
        yield
    finally:
        marker.unlink(missing_ok=True)


def _create(marker: Path) -> bool:
    try:
        descriptor = os.open(marker, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
    except FileExistsError:
        _break_stale(marker)
        return False
    content = {"pid": os.getpid(), "timestamp": int(time.time() * 1000), "agent": "foreign"}
    os.write(descriptor, json.dumps(content).encode())
    os.close(descriptor)
    return True


def _break_stale(marker: Path) -> None:
    try:
        stated = json.loads(marker.read_text("utf-8"))["timestamp"]
        since = (
            datetime.fromisoformat(stated).timestamp() if isinstance(stated, str) else stated / 1000
        )
    except (OSError, ValueError, KeyError, TypeError):
        return
    if time.time() - since > STALE_AFTER:
        marker.unlink(missing_ok=True)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
