"""Sessions from a text that reads as one: who said what, what was run, what it printed.

A line in capitals begins each part: `USER`, `AGENT`, `SUMMARY`, `BASH` with its command, `FAILS`
with a command that fails, `WRITE` and `EDIT` with a path, `CALL` with a tool and its arguments in
JSON, `REFUSED` with one that failed, `OPEN` with one that was not answered, `HELPER` with one of a
sub-agent. What follows on the same line and below it is what was said, printed or written; of an
edit, the lines that begin with `-` and `+`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from store.agents.session import Session, collect
from store.agents.transcript import (
    ContextSummary,
    Event,
    Message,
    SessionInfo,
    Speaker,
    ToolCall,
    ToolResult,
)

FOLDER = "/home/someone/shop"
BEGUN = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
_PART = re.compile(
    r"^(USER|AGENT|SUMMARY|BASH|FAILS|WRITE|EDIT|CALL|REFUSED|OPEN|HELPER)(?: |$)", re.M
)
_TOOLS = {"CALL", "REFUSED", "OPEN", "HELPER"}


def session_of(text: str) -> Session:
    return collect(events_of(text))


def events_of(text: str) -> Iterator[Event]:
    yield SessionInfo(0, BEGUN, "s-1", FOLDER, "feature/29-locks", "claude-code")
    words = _PART.split(text)
    for number, (part, told) in enumerate(zip(words[1::2], words[2::2], strict=True), 1):
        line, at = 2 * number, BEGUN + timedelta(minutes=number)
        told = told.removesuffix("\n")
        head, _, body = told.partition("\n")
        if part == "USER":
            yield Message(line, Speaker.USER, told, at)
        elif part == "AGENT":
            yield Message(line, Speaker.AGENT, told, at)
        elif part == "SUMMARY":
            yield ContextSummary(line, told, at)
        else:
            yield _call(part, head, body, line, at)
            answer = "ok" if part in {"WRITE", "EDIT"} else body
            if part != "OPEN":
                failed = part in {"FAILS", "REFUSED"}
                yield ToolResult(line + 1, f"call-{line}", answer, at, failed)


def _call(part: str, head: str, body: str, line: int, at: datetime) -> ToolCall:
    arguments: dict[str, object]
    if part in _TOOLS:
        tool, _, given = head.partition(" ")
        arguments = json.loads(given or "{}")
    elif part == "WRITE":
        tool, arguments = "Write", {"file_path": f"{FOLDER}/{head}", "content": body}
    elif part == "EDIT":
        lines = body.splitlines()
        old, new = ("\n".join(it[1:] for it in lines if it[:1] == sign) for sign in "-+")
        path = f"{FOLDER}/{head}"
        tool, arguments = "Edit", {"file_path": path, "old_string": old, "new_string": new}
    else:
        tool, arguments = "Bash", {"command": head}
    return ToolCall(line, f"call-{line}", tool, at, arguments, aside=part == "HELPER")
