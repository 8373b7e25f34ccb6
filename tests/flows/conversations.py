"""A project with conversations, as a client keeps them: what the flows of sessions play on."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

BEGUN = datetime(2026, 2, 20, 9, tzinfo=UTC)


class Conversation:
    """A session of Claude Code in the making."""

    def __init__(self, name: str, work: Path, branch: str, begun: datetime) -> None:
        self.name = name
        self.at = begun
        self._common = {"sessionId": name, "cwd": str(work), "gitBranch": branch}
        self._lines: list[str] = []
        self._work = work

    def _line(self, kind: str, content: object) -> Conversation:
        self.at += timedelta(minutes=3)
        message = {"role": kind, "content": content}
        record = {**self._common, "type": kind, "timestamp": self.at.isoformat()}
        self._lines.append(json.dumps({**record, "message": message}))
        return self

    def asks(self, text: str) -> Conversation:
        return self._line("user", text)

    def says(self, text: str) -> Conversation:
        return self._line("assistant", [{"type": "text", "text": text}])

    def does(
        self, tool: str, given: dict[str, Any], answer: str, *, failed: bool = False
    ) -> Conversation:
        call = f"{self.name}-{len(self._lines)}"
        self._line("assistant", [{"type": "tool_use", "id": call, "name": tool, "input": given}])
        result = {"type": "tool_result", "tool_use_id": call, "content": answer}
        return self._line("user", [{**result, "is_error": failed}])

    def edits(self, path: str) -> Conversation:
        given = {"file_path": f"{self._work}/{path}", "old_string": "a", "new_string": "b"}
        return self.does("Edit", given, "The file was updated.")

    def write(self, home: Path) -> Path:
        folder = home / ".claude" / "projects" / str(self._work).replace("/", "-")
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.name}.jsonl"
        path.write_text("\n".join(self._lines) + "\n")
        os.utime(path, (self.at.timestamp(), self.at.timestamp()))
        return path


def lock(work: Path) -> Conversation:
    """One that has everything: requests, answers, tools that fail, a file, a long paste."""
    made = Conversation("5f1c-lock", work, "feature/29-locks", BEGUN)
    made.asks("The manifest lock times out on Windows. Find out why, and make it wait.")
    made.says("I'll read the lock first, then run its tests.")
    made.does("Read", {"file_path": f"{work}/store/lock.py"}, "def lock(): ...\n" * 30)
    made.does(
        "Bash",
        {"command": "pytest -q tests/test_lock.py"},
        "F.\nTimeoutError: lock is held\n1 failed, 1 passed",
        failed=True,
    )
    made.says(
        "The lock gives up after **five retries of 50 ms**: a virus scanner on Windows holds the "
        "file for longer than that. I decided to back off, doubling from 200 ms."
    )
    made.edits("store/lock.py").edits("store/lock.py")
    made.does("Bash", {"command": "pytest -q tests/test_lock.py"}, "2 passed")
    made.asks("Good. No more than 3 seconds in all, please.")
    made.edits("store/lock.py")
    return made.says("Five tries, 3 s in all. The tests pass.")


def broken_off(work: Path) -> Conversation:
    """One that ended in the midst of its work."""
    made = Conversation("77d0-parse", work, "main", BEGUN + timedelta(days=3))
    made.asks("Rename the parser module, and keep the old name working for a release.")
    return made.says("Renaming it.").edits("store/parse.py")


def others(work: Path, number: int) -> Sequence[Conversation]:
    """Small ones, one a day."""
    topics = ("retry budget", "CSV export", "search box", "release notes", "cache folder")
    found = []
    for at in range(number):
        begun = BEGUN - timedelta(days=2 * at + 2)
        made = Conversation(f"s-{at:03}", work, ("main", "fix/31-export")[at % 2], begun)
        made.asks(f"Improve the {topics[at % 5]}, step {at}.")
        found.append(made.edits(f"store/part{at % 7}.py").says(f"The {topics[at % 5]} is done."))
    return found
