"""Changes and what is told of them, made of plain values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from store.agents.session import Step
from store.agents.transcript import Message, Speaker, ToolCall, ToolResult
from store.capture.changes.change import Change
from store.capture.changes.change_text import Telling
from store.capture.requests.request import Exchange, Request
from store.capture.steps.edited_files import EditedFile
from store.capture.steps.tools import Edit

WHY = "`close()` dropped rows, because `flush()` never ran in `till.py`."
PROBLEM = "The problem was that `close()` dropped rows in `till.py`, which `flush()` never wrote."
DONE = "`till.py` calls `flush()` first."


def step(line: int = 5, command: str = "", *, failed: bool = False) -> Step:
    """An edit, or a command, that stands at a line."""
    arguments: dict[str, object] = {"command": command} if command else {"file_path": "a.py"}
    call = ToolCall(line, f"call-{line}", "Bash" if command else "Edit", None, arguments)
    return Step(call, ToolResult(line + 1, f"call-{line}", "ok", None, failed))


def file(path: str, how: str = "modified", lines: int = 1, at: Step | None = None) -> EditedFile:
    """A file that one edit wrote so many lines of."""
    return EditedFile(path, [(at or step(), Edit(path, how, lines))])


def telling(
    *files: EditedFile | str,
    steps: Sequence[Step] = (),
    asked_by: str = "Go on",
    **told: Any,  # noqa: ANN401
) -> Telling:
    """What is told of a change of files, by a request with the given steps."""
    steps = tuple(steps) or (step(),)
    asked = Message(1, Speaker.USER, asked_by, None)
    request = Request(asked, (Exchange(asked, (), steps),))
    changed = tuple(it if isinstance(it, EditedFile) else file(it) for it in files)
    change = Change((request,), changed or (file("till.py"),), steps)
    given = {"account": "", "asked": "", "why": "", "where": None, **told}
    return Telling(change, **given)
