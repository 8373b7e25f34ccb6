"""The hooks that keep what a session taught: at its end, before and after its context is compacted.

What they find is planned and stored as by `memtui capture`.
"""

from __future__ import annotations

import os
import sys
from contextlib import nullcontext
from datetime import UTC, datetime
from time import monotonic

from memtui.hooks.call import DUTIES, HookCall, HookInput, in_its_project, parse_input
from memtui.words.notices import sentence
from store import Memory, open_memory
from store.agents.client import Home
from store.agents.discovery import open_session
from store.agents.registry import client_named
from store.backends import Location
from store.capture.plan import CapturePlan
from store.errors import NotFound, ProgramFailed, StoreError
from store.events import ContextCompacted
from store.operations.batch import NOT_SHARED

_ASKING = 1_500.0
"""Seconds that a program may take for all its prompts: six of a minute for a long session."""


def capture_session(call: HookCall, memory: Memory) -> CapturePlan:
    """Capture the session of a hook's input; return the plan that was carried out.

    Where the client keeps no transcript, the last words in the input are captured, if any.

    Raises `NotFound` where the transcript is gone, `Unreadable` where it is in no known format, and
    whatever storing raises.
    """
    plan = plan_session(call, memory)
    for one in memory.capture.apply(plan).notices:
        if one.kind == "level-begun" or one.kind.startswith(NOT_SHARED):
            sys.stderr.write(f"{sentence(one)}\n")
    return plan


def ask(memory: Location, hook: str, channel: str) -> None:
    """Capture with a language model the session of a hook's input, read from standard input."""
    if (given := parse_input(sys.stdin.read())) is not None:
        given = in_its_project(given)
        call = HookCall(hook, given, client_named(channel), os.environ, Home.of_user())
        with open_memory(memory) as opened:
            capture_with_model(call, opened)
            opened.usage.refresh()


def capture_with_model(call: HookCall, memory: Memory) -> None:
    """Capture a session with the program of the settings, by rules where that fails."""
    session_id = call.given.session_id
    try:
        plan = plan_session(call, memory)
        try:
            until = monotonic() + _ASKING
            program = memory.settings.capture_program
            plan = memory.capture.ask_model(plan, program, lambda: monotonic() < until)
        except ProgramFailed as error:
            memory.record_failure("capture_program", error.full_message, session_id)
        memory.capture.apply(plan)
    except StoreError as error:
        memory.record_failure(f"hook {call.hook}", error.full_message, session_id)


def has_no_transcript(given: HookInput) -> bool:
    """Return whether the client says that it keeps none of this session, as Codex does of an
    ephemeral one.
    """
    fields = given.fields or {}
    return "transcript_path" in fields and fields["transcript_path"] is None


def is_model_asked(call: HookCall, program: str) -> bool:
    """Return whether a program picks the memories of a hook's session, once at its end: its client
    has a hook for that, and the session a transcript to be read then.
    """
    hooks = call.client.hooks
    has_end = hooks is not None and any(DUTIES[hook.name].ends_session for hook in hooks.events)
    of_session = call.hook != "subagent-stop" and bool(call.given.transcript_path)
    return bool(program) and has_end and of_session


def record_compaction(call: HookCall, memory: Memory) -> None:
    """Emit that a session's context was compacted; its summary, in the input, is captured."""
    given = call.given
    memory.capture.listen()
    memory.events.emit(
        ContextCompacted(
            agent=call.agent,
            original_tokens=0,
            compacted_tokens=-(-len(given.summary) // 4),
            summary=given.summary,
            timestamp=datetime.now(UTC),
            issue_number=call.issue,
            session_id=given.session_id,
            folder=given.folder,
        )
    )


def plan_session(call: HookCall, memory: Memory) -> CapturePlan:
    """Plan the capture of a hook's session. Raises as `capture_session`."""
    given, of_helper = call.given, call.hook == "subagent-stop"
    path = call.transcript(given.agent_transcript_path if of_helper else given.transcript_path)
    # A helper's own transcript names it where the client does not.
    named = given.agent_type if of_helper else call.named_agent
    try:
        if path is None and not given.last_words:
            if has_no_transcript(given):
                return CapturePlan()
            raise FileNotFoundError
        with open_session(path) if path else nullcontext([]) as lines:
            return memory.capture.plan(
                lines,
                agent=named if path else call.agent,
                environ=call.environ,
                hook=given.fields,
                session_id=given.session_id,
                folder=given.folder,
                last_words=given.last_words,
                is_over=DUTIES[call.hook].ends_session,
                likely=call.client.name,
            )
    except OSError as error:
        raise NotFound(
            f"The transcript {path or '(none was named)'} can't be read"
            f" ({error.strerror or 'it is missing'}).",
            "Nothing was captured. Run `memtui capture FILE` to do it by hand.",
        ) from error
