"""The hooks that keep what a session taught: at its end, before and after its context is compacted.

Each is a plain function from the agent's input to what memory should keep. A hook never stops a
session: what goes wrong is recorded where app and doctor show it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Protocol

from memtui.hooks.reading import HookInput
from store.capture.formats import read_session
from store.capture.place import issue_for, project_of
from store.capture.plan import CapturePlan, plan_capture
from store.capture.session import Session
from store.capture.transcript import Summarised
from store.errors import NotFound, StoreError
from store.model import Observation
from store.settings import Settings

ENDING = frozenset({"session-end"})
"""The hooks after which nothing more is said: they leave a handoff."""
CAPTURING = ENDING | {"stop", "pre-compact", "post-compact"}
"""The hooks that capture."""


class Memory(Protocol):
    """The part of memory's door that capture needs."""

    @property
    def settings(self) -> Settings:
        """The settings of this memory."""
        ...

    def by_issue(self, issue: int) -> Sequence[Observation]:
        """What an issue holds."""
        ...

    def capture(self, plan: CapturePlan) -> Sequence[str]:
        """Store what a plan keeps, count what was seen again, and record it; the ids."""
        ...


def capture_session(
    hook: str,
    given: HookInput,
    environ: Mapping[str, str],
    now: datetime,
    open_project: Callable[[Path], Memory],
) -> CapturePlan:
    """Capture what a hook's input points to, and say what was kept.

    `open_project` opens the memory that a folder belongs to. Raises StoreError: NotFound where
    the transcript is gone, Unreadable where it is in no known format, and whatever storing raises.
    """
    folder = Path(given.folder or ".")
    project = project_of(folder)
    memory = open_project(project.main_root if project else folder)
    session = _session(hook, given)
    issue = issue_for(
        environ=environ,
        hook=given.fields,
        branch=(project.branch if project else "") or session.branch,
    )
    roots = (str(project.root), str(project.main_root)) if project else ()
    plan = plan_capture(
        session,
        issue=issue,
        held=memory.by_issue(issue),
        now=now,
        settings=memory.settings,
        agent=given.agent_type,
        roots=roots,
        is_over=hook in ENDING,
    )
    memory.capture(plan)
    return plan


def _session(hook: str, given: HookInput) -> Session:
    """The session of the input: its transcript, or the summary that came with it."""
    if hook == "post-compact" and given.summary:
        return Session(
            id=given.session_id,
            folder=given.folder,
            summaries=(Summarised(line=0, text=given.summary),),
        )
    path = Path(given.transcript_path).expanduser() if given.transcript_path else None
    try:
        if path is None:
            raise FileNotFoundError
        with path.open("rb") as lines:
            session = read_session(lines, session_id=given.session_id)
    except OSError as error:
        raise NotFound(
            f"The transcript {given.transcript_path or '(none was named)'} can't be read"
            f" ({error.strerror or 'it is missing'}).",
            "Nothing was captured from this session; `memtui capture FILE` does it by hand.",
        ) from error
    return session.ending_with(given.last_words)


def failure_of(error: StoreError) -> str:
    """What to record of a capture that failed: one sentence."""
    return f"{error.message} {error.hint}".strip()
