"""What a vault's own program writes: its files, a checkpoint, a conversation."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

from tests.seeds.world import NOW, World

ENTRY = """\
<!-- id:1773679871839 -->
## 2026-03-16T16:51 · #react #typescript

We decided to use server-sent events.

---
"""
FILES = {
    "_project.md": "The shop runs on SQLite.\n",
    "dev/decisions.md": ENTRY,
    "dev/tasks.md": "- [ ] Write the manual\n- [x] Ship it\n- [ ] Measure the gauge\n",
    "ux/tasks.md": "- [ ] Draw the form\n",
}


def keep(world: World, days: float = 1, messages: int = 60, agent: str = "dev") -> None:
    """Leave a checkpoint as a vault's own program does."""
    said: list[dict[str, Any]] = [{"role": "user", "text": f"m{n}"} for n in range(messages)]
    said.append({"role": "agent", "text": "hidden", "internal": True})
    checkpoint = {
        "agentId": agent,
        "savedAt": int((NOW - timedelta(days=days)).timestamp() * 1_000),
        "messages": said,
        "chatId": "chat_abc123",
        "modelId": "claude-opus-4-6",
    }
    path = world.path / ".vault" / "checkpoints" / f"{agent}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(checkpoint))


def converse(
    world: World, *said: str, agent: str = "dev", saved: str = "2026-02-15T23:04:23.463Z"
) -> Path:
    """Leave a conversation as a vault's own program does: user and agent in turn."""
    roles = ("user", "agent")
    messages = [{"role": roles[n % 2], "text": text} for n, text in enumerate(said)]
    path = world.path / "conversations" / f"{agent}.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"agentId": agent, "savedAt": saved, "messages": messages}))
    return path
