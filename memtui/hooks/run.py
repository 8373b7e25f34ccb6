"""Running a hook: what it prints for the agent. Whatever happens, the session goes on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.hooks.build import start_build
from memtui.hooks.capture import CAPTURING, capture_session
from memtui.hooks.deadline import DeadlinePassed, deadline
from memtui.hooks.event import HookInput
from memtui.hooks.inject import RECALLING, recall_at_start, recall_for_prompt
from memtui.hooks.session import memory_of, memory_to_start
from store.errors import StoreError

if TYPE_CHECKING:
    from store.pipeline import MemoryPipeline

HOOKS = (
    "session-start", "user-prompt", "pre-compact", "post-compact", "stop", "subagent-stop",
    "session-end",
)  # fmt: skip
"""The hooks by name."""
_SECONDS: Mapping[str, float] = {"session-start": 6, "user-prompt": 3}
"""How long a hook may take, well inside the limit that is installed with it."""
_CAPTURE_SECONDS = 15.0
_AT_ONCE = 8_000_000
"""Bytes of memory that may have changed for a hook to index them itself: half a second of work."""
_STRICT = "codex"
"""The channel that takes nothing but its own JSON."""
_EVENTS = {"session-start": "SessionStart", "user-prompt": "UserPromptSubmit"}


def run_hook(
    name: str, given: HookInput, channel: str, environ: Mapping[str, str], home: Path
) -> str:
    """Do what a hook is for, and return what it prints for the agent. Never raises.

    What went wrong is kept in the activity log of the memory, where there is one.
    """
    path: Path | None = None
    try:
        with deadline(_SECONDS.get(name, _CAPTURE_SECONDS)):
            folder = Path(given.folder or ".").absolute()
            path = memory_of(folder, environ)
            if path is None and name in CAPTURING:
                path = memory_to_start(folder, home)
            if path is None:
                return ""
            return _printed(name, _text(name, given, channel, environ, path), channel)
    except (StoreError, DeadlinePassed) as error:
        _record(path, name, f"{error.message} {error.hint}".strip(), given.session_id)
    except Exception as error:  # noqa: BLE001 - a failing memory must not stop a session
        _record(path, name, f"{type(error).__name__}: {error}", given.session_id)
    return ""


def _text(name: str, given: HookInput, channel: str, environ: Mapping[str, str], path: Path) -> str:
    from store.pipeline import open_memory

    with open_memory(path) as memory:
        if not memory.settings.enabled:
            return ""
        if not memory.refresh_quickly(_AT_ONCE):
            start_build(path)
        if name in RECALLING:
            return _recalled(name, given, channel, environ, memory)
        capture_session(name, given, environ, memory)
    return ""


def _recalled(
    name: str, given: HookInput, channel: str, environ: Mapping[str, str], memory: MemoryPipeline
) -> str:
    recall = recall_at_start if name == "session-start" else recall_for_prompt
    return recall(given, environ, memory, channel)


def _printed(name: str, text: str, channel: str) -> str:
    """The text as the agent takes it: Claude Code as it is, so that its limit counts nothing else;

    Codex in one JSON object with these keys alone. Nothing for no text.
    """
    if not text or channel != _STRICT:
        return text.rstrip("\n")
    context = {"hookEventName": _EVENTS[name], "additionalContext": text}
    return json.dumps({"hookSpecificOutput": context})


def _record(path: Path | None, name: str, message: str, session_id: str) -> None:
    """Keep what went wrong; where that fails too, there is nowhere left to say it."""
    if path is None or not path.is_dir():
        return
    from store.pipeline import open_memory

    try:
        with open_memory(path) as memory:
            memory.record_failure(f"hook {name}", message, session_id)
    except Exception:  # noqa: BLE001 - as above
        return
