"""Roo Code's tasks: `rooveterinaryinc.roo-cline/tasks/<id>/` in an editor, as Cline's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from store.agents.client import Client, ContextFile, Home, SessionFile
from store.agents.cline_tasks import is_roos_task, read_task, task_files
from store.agents.records import whole_json
from store.agents.transcript import Event, Unread

AGENT = "roo"


def read(lines: Iterable[bytes]) -> Iterator[Event]:
    """Yield the events of one task. An event's line is the number of its message."""
    content = whole_json(lines)
    if isinstance(content, Unread):
        yield content
    else:
        yield from read_task(content, AGENT)


def session_files(home: Home, folders: tuple[Path, ...]) -> Iterator[SessionFile]:
    return task_files(home, "rooveterinaryinc.roo-cline", AGENT)


CLIENT = Client(
    name=AGENT,
    title="Roo Code",
    session_files=session_files,
    matches_format=is_roos_task,
    read=read,
    context=(
        ContextFile("instruction", "AGENTS.md"),
        ContextFile("instruction", ".roorules"),
        ContextFile("instruction", ".roo/rules/*.md"),
    ),
)
