"""The hooks that put memory in front of a session: at its start, and when its subject is new."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.hooks.call import HookCall
from store.search import stems_of

if TYPE_CHECKING:
    from store import Memory
    from store.values import Ranked, RecallRequest

PROMPT_BUDGET = 1_500
"""Tokens that what a prompt recalls may take."""
_CONTINUED = frozenset({"resume", "fork"})
"""Where a session's start finds what it was told still in front of it."""
_SAME = _CONTINUED | {"compact", "clear"}
"""Where a session's start is not that of another conversation, or its user let go of the last."""
_FEWEST, _MOST = 2, 4
"""How many of a prompt's words a memory must have to be about it: a quarter, within these."""


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
    """What memory knows about a prompt, where the session was not told it and it is a new subject.

    Nothing for a prompt that says little, that memory knows nothing about, or that goes on about
    what an earlier one was about.
    """
    from store.agents import without_noise
    from store.redaction import cleaned_text

    given = call.given
    prompt = without_noise(given.prompt)
    asked = stems_of(cleaned_text(prompt))
    if len(asked) < _FEWEST:
        return ""
    told = memory.recall.already_injected(given.session_id)
    request = _about_prompt(call, prompt, told.ids, memory)
    shared: set[str] = set()

    def choose(ranked: Sequence[Ranked]) -> set[str]:
        about, words = _about(ranked, asked)
        if not about - told.ids or _goes_on(words, told.about):
            return set()
        shared.update(words)
        return about | {it.observation.id for it in ranked if it.observation.pinned}

    recall = memory.recall.plan(request, choose=choose)
    return memory.recall.inject(
        recall, request.agent, request.issue, session_id=given.session_id, about=shared
    )


def _about_prompt(
    call: HookCall, prompt: str, told: Collection[str], memory: Memory
) -> RecallRequest:
    """What is asked for a prompt; only what is told is listed, since nobody looks at the rest."""
    from store.values import RecallRequest, channel_named

    client = call.client.name
    return RecallRequest(
        call.agent,
        call.issue or None,
        prompt,
        min(PROMPT_BUDGET, memory.recall.budget_for(channel_named(client))),
        channel=channel_named(client),
        given=frozenset(told),
        client=client,
        session_id=call.given.session_id,
        estimated=True,
        told_only=True,
    )


def _about(ranked: Sequence[Ranked], asked: frozenset[str]) -> tuple[set[str], set[str]]:
    """The ids of what is about a prompt, and the prompt's words that they have."""
    about: set[str] = set()
    shared: set[str] = set()
    for it in ranked:
        if it.factors.get("relevance") or it.factors.get("mention"):
            common = asked & stems_of(f"{it.observation.summary}\n{it.observation.content}")
            if it.factors.get("mention") or len(common) >= _needed(asked):
                about.add(it.observation.id)
                shared |= common
    return about, shared


def _needed(asked: Collection[str]) -> int:
    return min(max(_FEWEST, len(asked) // 4), _MOST)


def _goes_on(shared: Collection[str], about: Collection[str]) -> bool:
    """Whether most of what a prompt shares with memory is what an earlier one was about."""
    return len(set(shared) & set(about)) * 2 > len(shared)
