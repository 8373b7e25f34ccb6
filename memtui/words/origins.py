"""Where a memory comes from, in words: how it was found, and the messages it rests on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from store.model import FINDER, SESSION_MARK

_FINDERS = {
    "rules": "standing rule of the person",
    "answers": "answer to a question",
    "plans": "section of a plan",
    "talks": "talk without a tool call",
    "summaries": "summary by the agent",
    "checks": "failed check that passed later",
    "changes": "request and its changes",
    "commands": "commands that worked",
    "vault-lines": "line of a vault's conversation",
    "handoff": "session that broke off",
    "model": "language model",
}


def finder_of(extra: Mapping[str, object]) -> str:
    """Return how a memory was found, by its `extra`; empty where that is not known."""
    name = extra.get(FINDER)
    return _FINDERS.get(name, name) if isinstance(name, str) else ""


def messages_of(sources: Iterable[str]) -> tuple[str, ...]:
    """Return the messages that a memory rests on, by the lines of each session's file."""
    lines: dict[str, list[str]] = {}
    for source in sources:
        session, _, line = source.removeprefix(SESSION_MARK).rpartition("#")
        if source.startswith(SESSION_MARK) and session:
            lines.setdefault(session, []).append(line)
    return tuple(
        f"{'message' if len(of) == 1 else 'messages'} {', '.join(of)} of {session}"
        for session, of in lines.items()
    )
