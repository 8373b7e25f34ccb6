"""Two sessions of the sample project as its client wrote them, to be captured and looked at."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

_STEP = timedelta(seconds=40)


@dataclass
class _Transcript:
    session: str
    folder: str
    branch: str
    begun: datetime
    lines: list[str] = field(default_factory=list)
    calls: int = 0

    def _line(self, kind: str, content: object) -> None:
        record = {
            "type": kind,
            "sessionId": self.session,
            "cwd": self.folder,
            "gitBranch": self.branch,
            "timestamp": (self.begun + _STEP * len(self.lines)).isoformat(),
            "message": {"role": kind, "content": content},
        }
        self.lines.append(json.dumps(record, ensure_ascii=False))

    def asked(self, text: str) -> None:
        self._line("user", text)

    def answered(self, text: str) -> None:
        self._line("assistant", [{"type": "text", "text": text}])

    def did(self, tool: str, given: dict[str, Any], result: str, *, failed: bool = False) -> None:
        self.calls += 1
        name = f"toolu_{self.session}_{self.calls}"
        self._line("assistant", [{"type": "tool_use", "id": name, "name": tool, "input": given}])
        answer = {"type": "tool_result", "tool_use_id": name, "content": result}
        self._line("user", [{**answer, "is_error": failed}])

    def edited(self, path: str, old: str, new: str) -> None:
        given = {"file_path": f"{self.folder}/{path}", "old_string": old, "new_string": new}
        self.did("Edit", given, "ok")


@dataclass(frozen=True, slots=True)
class SampleSession:
    """A session: its id, its issue, when it ended, and its lines."""

    id: str
    issue: int
    ended: datetime
    lines: Sequence[str]

    def write(self, folder: Path) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.id}.jsonl"
        path.write_text("\n".join(self.lines) + "\n", encoding="utf-8")
        return path


def sample_sessions(folder: Path, now: datetime) -> list[SampleSession]:
    """Return the sessions of a project in `folder`, oldest first."""
    return [_scans_twice(str(folder), now), _payout_rounding(str(folder), now)]


def _scans_twice(folder: str, now: datetime) -> SampleSession:
    begun = now - timedelta(days=2, hours=3)
    transcript = _Transcript("5ca17e55-offline", folder, "feature/181-offline-scans", begun)
    transcript.asked(
        "A courier's scans arrive twice when the handheld comes back online. Find out why. "
        "Always run the offline tests before a commit."
    )
    transcript.answered("I will look at how the queue is flushed.")
    transcript.did(
        "Read", {"file_path": f"{folder}/web/src/scan/log.ts"}, "export async function flush()"
    )
    transcript.did(
        "Bash",
        {"command": "pnpm test offline"},
        "FAIL offline/flush.test.ts: expected 1 request, got 2",
        failed=True,
    )
    transcript.answered(
        "The cause: `online` fires twice on Android, and both events flush the same batch, because "
        "the entries are marked as sent only after the answer."
    )
    transcript.edited("web/src/scan/log.ts", "await send(batch)", "await once(() => send(batch))")
    transcript.did("Bash", {"command": "pnpm test offline"}, "Tests: 41 passed")
    transcript.answered(
        "We decided to guard the flush with one promise instead of a flag, because a flag stays "
        "set when the request is aborted."
    )
    transcript.answered(
        "Fixed: `web/src/scan/log.ts` flushes a batch once, even when `online` fires twice. "
        "41 offline tests pass. Next: the same guard for photos of signatures."
    )
    return SampleSession(
        transcript.session, 181, begun + _STEP * len(transcript.lines), transcript.lines
    )


def _payout_rounding(folder: str, now: datetime) -> SampleSession:
    begun = now - timedelta(hours=5)
    transcript = _Transcript("9a70u7aa-rounding", folder, "feature/176-payouts", begun)
    transcript.asked("The payout report is off by one cent for Swiss shops. Please fix it.")
    transcript.did(
        "Bash", {"command": "pytest tests/billing"}, "1 failed: 19.95 != 19.96", failed=True
    )
    transcript.answered(
        "The cause: Swiss amounts are rounded to five centimes for each line, and the bank rounds "
        "the sum once."
    )
    transcript.edited("billing/reconcile.py", "round_each(lines)", "round_sum(lines)")
    transcript.did("Bash", {"command": "pytest tests/billing"}, "128 passed")
    transcript.asked("Good. Never compare floats in the billing tests, use Decimal.")
    transcript.answered(
        "Done: `billing/reconcile.py` rounds the sum of a payout to five centimes once, as the "
        "bank does. 128 billing tests pass."
    )
    return SampleSession(
        transcript.session, 176, begun + _STEP * len(transcript.lines), transcript.lines
    )
