"""The hooks that put memory in front of a session: at its start, for a prompt, before a file is
edited, and after a command failed.

A published trial found recall at the point of action worth far more than at a session's start. So
little is recalled there, and nothing twice: what is known of the file, or the same error's fix.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from memtui.hooks.call import HookCall
from memtui.hooks.tool_use import MOST_CHARACTERS, edited_file, error_lines, failed_command
from store.agents.context_files import context_text
from store.agents.noise import without_noise
from store.memory import Memory
from store.recall.request import RecallRequest
from store.recall.values import channel_named

PROMPT_BUDGET = 1_500
"""Tokens that what a prompt recalls may take."""
BUDGET = 300
"""Most tokens at the use of a tool."""
_CONTINUED = frozenset({"resume", "fork"})
"""Starts after which the session still has what it got before."""
_SAME = _CONTINUED | {"compact", "clear"}
"""Starts that begin no other conversation, or whose user ended the last one."""


def recall_at_start(call: HookCall, memory: Memory) -> str:
    """Recall for the start of a session, by its branch, changed files and last commits.

    After the agent's own compaction it gets all of it again; a resumed or forked session gets only
    what is new, and nothing that it taught memory itself. A new one learns how the session before
    it was interrupted, if it was.
    """
    from memtui.hooks import next_session as coming  # other hooks need nothing of it

    given = call.given
    goes_on = given.source in _CONTINUED
    session = coming.next_session(
        call.client.name,
        call.folder,
        call.environ,
        hook=given.fields,
        agent=given.agent_type,
        given=_injected_before(call, memory) if goes_on else (),
        session_id=given.session_id if goes_on else "",
    )
    if given.source not in _SAME:
        request = coming.request_at_start(memory, session, given.session_id)
    else:
        asked = session.request if goes_on else coming.with_hint(memory, session.request)
        request = coming.with_questions(memory, asked)
    return memory.recall.inject(
        memory.recall.plan(request._replace(told_only=True)),
        request.agent,
        request.issue,
        session_id=given.session_id,
        afresh=not goes_on,
    )


def recall_for_prompt(call: HookCall, memory: Memory) -> str:
    """Recall for a prompt, without what the session got before; mostly nothing."""
    prompt = without_noise(call.given.prompt)
    if not prompt.strip():
        return ""
    request = _request(call, memory, PROMPT_BUDGET)
    return _recalled(
        memory, call, request._replace(task=prompt, issue=call.issue or None, branch=call.branch)
    )


def recall_before_edit(call: HookCall, memory: Memory) -> str:
    """Recall for the file that is about to be edited: once a session, and nothing it got before."""
    path = edited_file(call)
    mark = f"file:{path}"
    if not path or mark in memory.recall.already_injected(call.given.session_id).about:
        return ""
    return _recalled(memory, call, _request(call, memory, BUDGET)._replace(file=path), mark)


def recall_after_failure(call: HookCall, memory: Memory) -> str:
    """Return the fix of the same error, where one is known; nothing for what succeeded."""
    lines = error_lines(call.given)
    if not lines:
        return ""
    request = _request(call, memory, BUDGET)._replace(
        task="\n".join(lines)[:MOST_CHARACTERS], command=failed_command(call) or lines[0]
    )
    return _recalled(memory, call, request)


def _injected_before(call: HookCall, memory: Memory) -> Collection[str]:
    """Return the ids that a session got, and those of the one that it began as a copy of."""
    given, parent = call.given, call.client.parent
    ids = set(memory.recall.already_injected(given.session_id).ids)
    if parent is not None and given.transcript_path:
        before = parent(Path(given.transcript_path))
        ids |= memory.recall.already_injected(before).ids
        ids |= {captured.id for captured in memory.sessions.captured_from(before, None)}
    return ids


def _request(call: HookCall, memory: Memory, budget: int) -> RecallRequest:
    client = call.client.name
    return RecallRequest(
        agent=call.agent,
        budget=min(budget, memory.recall.budget_for(channel_named(client))),
        channel=channel_named(client),
        given=frozenset(memory.recall.already_injected(call.given.session_id).ids),
        client=client,
        session_id=call.given.session_id,
        instructions=context_text(call.client, call.folder, call.home),
        estimated=True,
        told_only=True,
    )


def _recalled(memory: Memory, call: HookCall, request: RecallRequest, mark: str = "") -> str:
    """Carry out a request and record it; without memories that the session itself taught."""
    return memory.recall.inject(
        memory.recall.plan(request),
        request.agent,
        request.issue,
        session_id=call.given.session_id,
        about=(mark,) if mark else (),
    )
