"""The finders of capture in words: what a memory is from."""

from __future__ import annotations

from collections.abc import Mapping

from store.model import FINDER

_WORDS = {
    "rules": "standing rule of the person",
    "answers": "answer to a question",
    "plans": "section of a plan",
    "talks": "talk without a tool call",
    "summaries": "summary by the agent",
    "checks": "failed check that passed later",
    "changes": "request and its changes",
    "commands": "commands that worked",
    "handoff": "session that broke off",
    "model": "language model",
}


def finder_of(extra: Mapping[str, object]) -> str:
    """Return what a memory is from, by its `extra`; empty where nothing says so."""
    name = extra.get(FINDER)
    return _WORDS.get(name, name) if isinstance(name, str) else ""
