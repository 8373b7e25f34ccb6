"""The hooks that put memory in front of a session: at its start, and for a prompt."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.hooks.call import HookCall

if TYPE_CHECKING:
    from store import Memory

PROMPT_BUDGET = 1_500
"""Tokens that what a prompt recalls may take."""
_CONTINUED = frozenset({"resume", "fork"})
"""Where a session's start finds what it was told still in front of it."""
_SAME = _CONTINUED | {"compact", "clear"}
"""Where a session's start is not that of another conversation, or its user let go of the last."""


def recall_at_start(call: HookCall, memory: Memory) -> str:
    """What a session starts with, found by its branch, changed files and last commits.

    After the agent's own compaction it is told again; on a resume, and where it was forked from
    another session, only what is new, and nothing that it taught memory itself. One that starts
    anew is told how the session before it broke off, if it did.
    """
    from memtui.hooks.next_session import next_session, starting, with_hint, with_questions

    given = call.given
    goes_on = given.source in _CONTINUED
    session = next_session(
        call.client.name,
        call.folder,
        call.environ,
        hook=given.fields,
        agent=given.agent_type,
        given=_told_before(call, memory) if goes_on else (),
        session_id=given.session_id if goes_on else "",
    )
    if given.source not in _SAME:
        request = starting(memory, session, given.session_id)
    else:
        asked = session.request if goes_on else with_hint(memory, session.request)
        request = with_questions(memory, asked)
    return memory.recall.inject(
        memory.recall.plan(request._replace(told_only=True)),
        request.agent,
        request.issue,
        session_id=given.session_id,
        afresh=not goes_on,
    )


def _told_before(call: HookCall, memory: Memory) -> Collection[str]:
    """The ids that a session which goes on was told: by itself, and by the one it comes from."""
    given, parent = call.given, call.client.parent
    told = set(memory.recall.already_injected(given.session_id).ids)
    if given.source == "fork" and parent is not None and given.transcript_path:
        before = parent(Path(given.transcript_path))
        told |= memory.recall.already_injected(before).ids
        told |= {it.id for it in memory.sessions.captured_from(before, None)}
    return told


def recall_for_prompt(call: HookCall, memory: Memory) -> str:
    """What memory knows about a prompt and the session was not told; mostly nothing."""
    from store.agents.noise import without_noise
    from store.recall.request import RecallRequest
    from store.recall.values import channel_named

    given, client = call.given, call.client.name
    prompt = without_noise(given.prompt)
    if not prompt.strip():
        return ""
    request = RecallRequest(
        call.agent,
        call.issue or None,
        prompt,
        min(PROMPT_BUDGET, memory.recall.budget_for(channel_named(client))),
        channel=channel_named(client),
        given=frozenset(memory.recall.already_injected(given.session_id).ids),
        branch=call.branch,
        client=client,
        session_id=given.session_id,
        estimated=True,
        told_only=True,
    )
    return memory.recall.inject(
        memory.recall.plan(request), request.agent, request.issue, session_id=given.session_id
    )
