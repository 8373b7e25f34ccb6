"""The hooks that keep what a session taught: at its end, before and after its context is compacted.

What they find is planned and stored as by `memtui capture`.
"""

from __future__ import annotations

from contextlib import nullcontext
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from memtui.hooks.call import HookCall
from memtui.hooks.names import DUTIES
from store.agents.discovery import open_session
from store.errors import NotFound

if TYPE_CHECKING:
    from store import Memory
    from store.capture.plan import CapturePlan


def capture_session(call: HookCall, memory: Memory) -> CapturePlan:
    """Capture what a hook's input points to, and say what was kept.

    Where the client keeps no transcript, the last words that the input holds are captured.

    Raises `NotFound` where the transcript is gone, `Unreadable` where it is in no known format,
    and whatever storing raises.
    """
    plan = plan_session(call, memory)
    memory.capture.apply(plan)
    return plan


def record_compaction(call: HookCall, memory: Memory) -> None:
    """Tell that a session's context was compacted into the summary in the input: memory captures
    what it says.
    """
    from store.events import ContextCompacted

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
    try:
        if path is None and not given.last_words:
            raise FileNotFoundError
        with open_session(path) if path else nullcontext([]) as lines:
            return memory.capture.plan(
                lines,
                agent=given.agent_type if path else call.agent,
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
