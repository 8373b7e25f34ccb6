"""The hooks that keep what a session taught: at its end, before and after its context is compacted.

What they find is planned and stored as by `memtui capture`.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.hooks.event import HookInput
from memtui.hooks.names import ENDING
from store.agents import Client, Home, open_session
from store.errors import NotFound
from store.places import expanded

if TYPE_CHECKING:
    from store.pipeline import MemoryPipeline
    from store.values import CapturePlan


def capture_session(
    hook: str,
    given: HookInput,
    environ: Mapping[str, str],
    memory: MemoryPipeline,
    client: Client,
    home: Home,
) -> CapturePlan:
    """Capture what a hook's input points to, and say what was kept.

    Where the client keeps no transcript, the last words that the input holds are captured.

    Raises `NotFound` where the transcript is gone, `Unreadable` where it is in no known format,
    and whatever storing raises.
    """
    plan = _plan_from_transcript(hook, given, environ, memory, client, home)
    memory.capture(plan)
    return plan


def tell_compacted(
    given: HookInput, environ: Mapping[str, str], memory: MemoryPipeline, client: Client
) -> None:
    """Tell that a session's context was compacted into the summary in the input: memory captures
    what it says.
    """
    from store.events import ContextCompacted
    from store.places import project_of
    from store.values import issue_for

    project = project_of(Path(given.folder or "."))
    branch = project.branch if project else ""
    memory.start_capture()
    memory.events.emit(
        ContextCompacted(
            agent=given.agent_type or client.name,
            original_tokens=0,
            compacted_tokens=-(-len(given.summary) // 4),
            summary=given.summary,
            timestamp=datetime.now(UTC),
            issue_number=issue_for(environ=environ, hook=given.fields, branch=branch),
            session_id=given.session_id,
            folder=given.folder,
        )
    )


def _plan_from_transcript(
    hook: str,
    given: HookInput,
    environ: Mapping[str, str],
    memory: MemoryPipeline,
    client: Client,
    home: Home,
) -> CapturePlan:
    named = given.agent_transcript_path if hook == "subagent-stop" else given.transcript_path
    path = expanded(named) if named else kept_by(client, home, given.session_id)
    try:
        if path is None and not given.last_words:
            raise FileNotFoundError
        with open_session(path) if path else nullcontext([]) as lines:
            return memory.plan_capture(
                lines,
                agent=given.agent_type or ("" if path else client.name),
                environ=environ,
                hook=given.fields,
                session_id=given.session_id,
                folder=given.folder,
                last_words=given.last_words,
                is_over=hook in ENDING,
                likely=client.name,
            )
    except OSError as error:
        raise NotFound(
            f"The transcript {path or '(none was named)'} can't be read"
            f" ({error.strerror or 'it is missing'}).",
            "Nothing was captured. Run `memtui capture FILE` to do it by hand.",
        ) from error


def kept_by(client: Client, home: Home, session_id: str) -> Path | None:
    """The file a client keeps of a session, for those that don't tell it to hooks."""
    if not session_id:
        return None
    files = client.session_files(home, ())
    return next((it.path for it in files if session_id in (it.session_id, it.path.stem)), None)
