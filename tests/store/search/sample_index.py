"""A small index of memories of every kind, for tests of what queries find in it."""

from __future__ import annotations

from datetime import timedelta
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from store.backends.files.activity import append_activity
from store.backends.files.backend import FilesBackend
from store.search.index import SearchIndex
from tests.store.factories import record, write_issue

STALE = timedelta(days=90)


def _record(name: str, content: str, day: str, **keys: Any) -> dict[str, Any]:  # noqa: ANN401
    said = {"content": content, "summary": content.partition("\n")[0], "tokens": len(content)}
    return record(name, **{**said, "timestamp": f"{day}T10:00:00.000Z", **keys})


HELD: dict[int, list[dict[str, Any]]] = {
    29: [
        _record("limit", "The lock times out after 5 retries", "2026-02-27", tags=["disk", "ci"]),
        _record("built", "manifest.json is built from src/memory/types.ts", "2026-02-26",
                agent="architect", category="key-fact", tags=["disk"]),
        _record("class", "JsonObservationStore keeps one file of each issue", "2026-02-25",
                agent="code-reviewer", sessionId="s2", pinned=True),
        _record("chinese", "锁定超时：清单被锁定", "2026-02-24", category="error"),
        _record("tests", "Tests of the lock wait\nThe till keeper waits for the manifest lock.",
                "2025-10-01", agent="code-reviewer", category="lesson", sessionId="s2"),
        _record("both", "Test the till by hand", "2025-10-02", agent="architect",
                category="task", pinned=True, muted=True, sessionId=""),
        _record("flagged", "The old lock waited for ever", "2025-10-03", archived=True),
    ],
    7: [
        _record("odd", "After the fall of the till: a café broke", "2026-01-15", issueNumber=7,
                category="post-mortem", tags=["done"]),
        _record("costly", "Whom the keeper of the lock calls", "2026-01-31", issueNumber=7,
                tokens=900, recallCount=3, category="task", tags=["done"]),
        _record("told", "The till keeps a queue of manifests", "2025-10-04", issueNumber=7,
                agent="architect", recallCount=1),
        _record("named", "Ask the warden first", "2026-02-01", issueNumber=7,
                properties={"aliases": ["Gatekeeper"]}),
    ],
}  # fmt: skip
"""The memories of the index, by their issues; `told` was recalled three times more by the log."""
ARCHIVE = [_record("moved", "The lock moved to the archive", "2026-02-20", issueNumber=7)]


@cache
def index() -> SearchIndex:
    """An index in memory of all of these."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        for issue, held in HELD.items():
            write_issue(folder, issue, *held)
        write_issue(folder, 7, *ARCHIVE, archived=True)
        for day in (10, 12, 11):
            told = {"type": "recalled", "observationIds": ["told"]}
            append_activity(folder, {**told, "timestamp": f"2026-02-{day}T00:00:00.000Z"})
        made = SearchIndex(FilesBackend(folder), None)
        made.catch_up()
        return made
