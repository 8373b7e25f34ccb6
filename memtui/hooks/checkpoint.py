"""The checkpoints that hooks keep: a session's last messages, so that an interrupted one can be
resumed.
"""

from __future__ import annotations

import os

from memtui.hooks.call import HookCall
from store import Memory
from store.agents.client import Client
from store.agents.noise import without_noise
from store.agents.session import Session
from store.sessions.checkpoint import AGENT, USER, KeptMessage, messages_in
from store.sessions.session_file import read_end

_END = "session-end"


def keep_checkpoint(call: HookCall, memory: Memory) -> None:
    """Keep the last messages of a session, with the prompt that was just given.

    Raises `Unreadable` for a transcript in no known format, `ReadOnly`, `WriteFailed`.
    """
    given = call.given
    session = _session(call)
    messages = messages_in(session) if session is not None else []
    prompt = without_noise(given.prompt) if call.hook == "user-prompt" else ""
    for text, role in ((given.last_words, AGENT), (prompt, USER)):
        if text and text not in [item.text for item in messages[-2:]]:
            messages.append(KeptMessage(role, text))
    memory.continuation.checkpoint(
        call.client.name,
        messages,
        given.session_id,
        session.model if session is not None else "",
        branch=call.branch,
        left_open=_left_open(session, prompt),
        ended=call.hook == _END or (call.hook == "stop" and not _has_end_hook(call.client)),
        owner=os.getppid(),
    )


def _session(call: HookCall) -> Session | None:
    """Return the end of the session's transcript; None where there is none."""
    path = call.transcript(call.given.transcript_path)
    return read_end(path, call.client.name) if path is not None and path.exists() else None


def _left_open(session: Session | None, prompt: str) -> list[str]:
    """Return the open ends of a session; none are known just after a prompt."""
    if session is None or prompt:
        return []
    from store.agents.session_end import left_open

    running = [f"running {step.call.tool}" for step in session.steps[-1:] if step.result is None]
    return [*left_open(session), *running]


def _has_end_hook(client: Client) -> bool:
    events = client.hooks.events if client.hooks is not None else ()
    return any(event.name == _END for event in events)
