"""Builds transcripts in the agents' formats, a line at a time."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from store.agents.reading import read_session
from store.capture.plan import CapturePlan, plan_capture
from store.model import Observation
from store.settings.schema import Settings

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


@dataclass
class ClaudeCode:
    session: str = "s-1"
    cwd: str = "/home/someone/shop"
    branch: str = "feature/29-locks"
    lines: list[str] = field(default_factory=list)
    calls: int = 0

    def line(self, kind: str, message: dict[str, Any] | None = None, **more: object) -> ClaudeCode:
        record = {
            "type": kind,
            "sessionId": self.session,
            "cwd": self.cwd,
            "gitBranch": self.branch,
            "timestamp": (NOW + timedelta(seconds=len(self.lines))).isoformat(),
            **({"message": message} if message else {}),
            **more,
        }
        self.lines.append(json.dumps(record))
        return self

    def user(self, text: str, **more: object) -> ClaudeCode:
        return self.line("user", {"role": "user", "content": text}, **more)

    def agent(self, text: str, **more: object) -> ClaudeCode:
        content = [{"type": "text", "text": text}]
        return self.line("assistant", {"role": "assistant", "content": content}, **more)

    def call(
        self,
        tool: str,
        arguments: Mapping[str, object],
        result: str | None = "ok",
        *,
        failed: bool = False,
        **more: object,
    ) -> ClaudeCode:
        self.calls += 1
        call_id = f"toolu_{self.session}_{self.calls}"
        use = {"type": "tool_use", "id": call_id, "name": tool, "input": arguments}
        self.line("assistant", {"role": "assistant", "content": [use]}, **more)
        if result is not None:
            answer = {
                "type": "tool_result",
                "tool_use_id": call_id,
                "content": result,
                "is_error": failed,
            }
            self.line("user", {"role": "user", "content": [answer]}, **more)
        return self

    def edit(
        self, path: str, old: str = "a", new: str = "b", *, side: bool = False, failed: bool = False
    ) -> ClaudeCode:
        arguments: dict[str, object] = {
            "file_path": f"{self.cwd}/{path}",
            "old_string": old,
            "new_string": new,
        }
        return self.call("Edit", arguments, failed=failed, isSidechain=side)

    def bash(self, command: str, result: str = "", *, failed: bool = False) -> ClaudeCode:
        return self.call("Bash", {"command": command}, result, failed=failed)

    def write(self, path: Path) -> Path:
        path.write_text("\n".join(self.lines))
        return path

    def plan(
        self, held: tuple[Observation, ...] = (), *, agent: str = "", limit: int = 50
    ) -> CapturePlan:
        return plan_of(self.lines, held, agent=agent, limit=limit)


def plan_of(
    lines: list[str], held: tuple[Observation, ...] = (), *, agent: str = "", limit: int = 50
) -> CapturePlan:
    return plan_capture(
        read_session(f"{line}\n".encode() for line in lines),
        issue=29,
        held=held,
        now=NOW,
        settings=Settings(max_memories_per_capture=limit),
        agent=agent,
    )


def contents(plan: CapturePlan, category: str) -> list[str]:
    return [c.observation.content for c in plan.kept if c.observation.category == category]
