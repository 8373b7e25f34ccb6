"""Running a hook: what it prints for the agent. Whatever happens, the session goes on.

A client waits for each: only what a hook needs is loaded.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, chdir, contextmanager, suppress
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

import store
from memtui.hooks.background import start_asking, start_indexing
from memtui.hooks.call import (
    AT_TOOLS,
    DUTIES,
    HookCall,
    HookInput,
    in_its_project,
    is_in_cursor,
    memory_of,
    memory_to_start,
    parse_input,
    user_memory,
)
from memtui.hooks.deadline import DeadlinePassed, deadline
from memtui.hooks.standard_input import read_input
from memtui.streams import silence
from store.agents.client import Client, Home
from store.agents.hooks import Answer
from store.agents.registry import client_named
from store.backends import Location
from store.backends.user_data import renew_project
from store.errors import MemoryOff, NoMemory, StoreError
from store.platform.home import home_folder

if TYPE_CHECKING:
    from store import Memory

_LEAST = 0.5
"""Seconds that a hook has in any case."""
_AT_ONCE = 2_000_000
"""Bytes of memory that may have changed for a hook to index them itself: of 200,000 memories
without an index, 0.25 s of a processor's work for their newest 2,000.
"""
_SPARE = 0.5
"""Seconds that a hook ends before the client would end it."""
_TO_RECORD = 0.3
"""The share of a hook's time, and at most the seconds, that are left to record why it was stopped.
"""


def answer(name: str, channel: str) -> None:
    """Read a hook's input, run it, and print its output."""
    given = parse_input(read_input())
    if given is not None and (text := run_hook(name, given, channel, os.environ, home_folder())):
        try:
            sys.stdout.write(f"{text}\n")
            sys.stdout.flush()
        except OSError:
            silence()  # nobody takes the answer; the session goes on all the same


def run_hook(
    name: str,
    given: HookInput,
    channel: str,
    environ: Mapping[str, str],
    home: Path,
) -> str:
    """Do what a hook is for, and return what it prints for the agent. Never raises.

    Some clients fire this hook for tool results, with an empty prompt; Antigravity without one,
    before each call of its model: all but the first are ignored. Cursor also runs the hooks of
    Claude Code, next to its own: those are ignored, lest everything is injected and captured twice.
    Errors are kept in the activity log of the memory, where there is one.
    """
    is_first = (given.fields or {}).get("invocationNum") == 0
    if name == "user-prompt" and not given.prompt.strip() and not is_first:
        return ""
    if channel != "cursor" and is_in_cursor(given, environ):
        return ""
    path: Location | None = None
    began, seconds = monotonic(), _LEAST
    try:
        client = client_named(channel)
        seconds = _seconds(name, client)
        with deadline(seconds - min(_TO_RECORD, seconds * _TO_RECORD)):
            given = in_its_project(given)
            call = HookCall(name, given, client, environ, Home(home, environ))
            folder = call.folder.absolute()
            with _in_folder(folder):
                try:
                    path = _memory(folder, client, environ)
                except NoMemory:
                    with suppress(NoMemory):  # what a variable names is none: the project's tells
                        path = memory_of(folder, {})
                    raise
                if path is None and DUTIES[name].captures:
                    path = memory_to_start(folder, home, environ)
                elif path is None and DUTIES[name].recalls:
                    path = user_memory(folder, home)
                if path is None:
                    return ""
                return _printed(_text(call, path), call)
    except MemoryOff as error:
        if name == "session-start":
            sys.stderr.write(f"{error.message}\n")
        return ""
    except (StoreError, DeadlinePassed) as error:
        trouble = f"{error.message} {error.hint}".strip()
    except Exception as error:  # noqa: BLE001 - a failing memory must not stop a session
        trouble = f"{type(error).__name__}: {error}"
    left = seconds - (monotonic() - began)
    with suppress(DeadlinePassed), deadline(max(left, _LEAST * _TO_RECORD)):
        _record(path, name, trouble, given.session_id)
    return ""


def _in_folder(folder: Path) -> ExitStack:
    """Be in the folder of the session, wherever its client runs hooks, unless it is gone."""
    stack = ExitStack()
    with suppress(OSError):
        stack.enter_context(chdir(folder))
    return stack


def _memory(folder: Path, client: Client, environ: Mapping[str, str]) -> Location | None:
    """The memory of a session; where the variables may be another shell's, its folder's first."""
    if client.hooks is not None and client.hooks.stale_environment:
        return memory_of(folder, {}) or memory_of(folder, environ)
    return memory_of(folder, environ)


def _seconds(name: str, client: Client) -> float:
    """Return how long a hook may take: what it needs, inside the limit that is installed."""
    events = client.hooks.events if client.hooks else ()
    installed = [hook.seconds - _SPARE for hook in events if hook.name == name]
    return min([DUTIES[name].seconds, *installed])


def _text(call: HookCall, path: Location) -> str:
    duties, session_id = DUTIES[call.hook], call.given.session_id
    with store.open_memory(path) as memory:
        if not memory.settings.enabled:
            return ""
        if not duties.captures:
            memory.index.defer_recall_counts()  # a session waits for the answer
        if not memory.index.refresh_quickly(_AT_ONCE):
            start_indexing(path)
        if duties.watches_questions and memory.has_clarifications:
            with _failure_recorded(memory, "clarifications", session_id):
                memory.clarifications.watch()
        text = _recalled(call, memory) if duties.recalls else ""
        if duties.checkpoints:
            _checkpoint(call, memory)
        if duties.captures:
            with _failure_recorded(memory, "project", session_id):
                renew_project(call.folder.absolute())
            _capture(call, memory, path)
            if memory.is_vault:
                with _failure_recorded(memory, "auto-compact", session_id):
                    memory.vault.compact_if_due()
        if duties.ends_session and (call.commit or memory.recall.already_injected(session_id).ids):
            start_indexing(path)  # it may have changed the code, and used what it was given
        return text


def _capture(call: HookCall, memory: Memory, path: Location) -> None:
    """Capture by rules at once; where a program picks the memories, once, when the session ends."""
    from memtui.hooks.capture import capture_session, is_model_asked, record_compaction

    if is_model_asked(call, memory.settings.capture_program):
        if DUTIES[call.hook].ends_session:
            start_asking(call, path)
    elif call.hook == "post-compact" and call.given.summary:
        record_compaction(call, memory)
    else:
        capture_session(call, memory)


@contextmanager
def _failure_recorded(memory: Memory, kind: str, session_id: str) -> Iterator[None]:
    """Go on after what fails inside: the rest of the hook's work does not depend on it."""
    try:
        yield
    except (StoreError, OSError) as error:
        memory.record_failure(kind, str(error), session_id)


def _checkpoint(call: HookCall, memory: Memory) -> None:
    """Keep the last messages; where that fails or takes too long, what was recalled is printed."""
    from memtui.hooks.checkpoint import keep_checkpoint

    try:
        with _failure_recorded(memory, "checkpoint", call.given.session_id):
            keep_checkpoint(call, memory)
    except DeadlinePassed as error:
        if DUTIES[call.hook].captures:
            raise
        memory.record_failure("checkpoint", error.message, call.given.session_id)


def _recalled(call: HookCall, memory: Memory) -> str:
    from memtui.hooks import recall

    settings = memory.settings
    if call.hook == "pre-tool-use":
        return recall.recall_before_edit(call, memory) if settings.recall_before_edit else ""
    if call.hook == "post-tool-use":
        return recall.recall_after_failure(call, memory) if settings.recall_after_failure else ""
    if call.hook == "session-start":
        return recall.recall_at_start(call, memory)
    start, hooks = "", call.client.hooks
    starts_here = hooks is not None and hooks.starts_with_prompt
    if starts_here and not memory.recall.already_injected(call.given.session_id).ids:
        start = recall.recall_at_start(call, memory)
    if not settings.recall_on_prompt or not call.given.prompt:
        return start
    prompt = recall.recall_for_prompt(call, memory)
    return "\n".join(text for text in (start, prompt) if text)


def _printed(text: str, call: HookCall) -> str:
    """Return the text in the form that the client reads; nothing for no text.

    The output of a tool's hook is read only as JSON, by the name of an event; without one a person
    ran it.
    """
    hooks = call.client.hooks
    answer = hooks.answer if hooks else Answer.TEXT
    if not text or (answer is Answer.TEXT and call.hook not in AT_TOOLS):
        return text.rstrip("\n")
    if answer is Answer.ADDITIONAL_CONTEXT:
        return json.dumps({"additional_context": text})
    if answer is Answer.STEPS:
        return json.dumps({"injectSteps": [{"ephemeralMessage": text}]})
    if answer is Answer.CONTEXT_FIELD:
        return json.dumps({"additionalContext": text})
    events = hooks.events if hooks else ()
    event = call.given.event or next((hook.event for hook in events if hook.name == call.hook), "")
    if not event:
        return text.rstrip("\n")
    context = {"hookEventName": event, "additionalContext": text}
    return json.dumps({"hookSpecificOutput": context})


def _record(path: Location | None, name: str, message: str, session_id: str) -> None:
    """Record what went wrong; where that fails too, there is nowhere left to report it."""
    if path is None or (isinstance(path, Path) and not path.is_dir()):
        return
    try:
        with store.open_memory(path) as memory:
            memory.record_failure(f"hook {name}", message, session_id)
    except Exception:  # noqa: BLE001 - as above
        return
