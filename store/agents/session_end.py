"""The end of a session: its last messages, and what it leaves open.

Open is what the agent's own list of to-dos leaves, a request that nobody answered, a check that
still failed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from store.agents.checks import failure_of, is_check, was_refused
from store.agents.session import Session
from store.agents.tools import edits_of, tool_name
from store.agents.transcript import Speaker
from store.platform.json_fields import items, mapping, string
from store.text.content_words import has_request
from store.text.shortening import shorten

_TASK = re.compile(r"#(\d+)")
_LISTS = frozenset({"todowrite", "updateplan", "todolist", "writetodos"})
_OPEN_STATES = frozenset({"pending", "in_progress", "todo", "open"})
_LONGEST = 420
"""Characters of a part of what is open."""
_SHORTEST_TASK = 10
"""Characters of a task that means something."""
_STALE_AFTER = 25
"""Tool calls after which a list of things to do no longer shows what is open."""


def last_messages(messages: Sequence[tuple[str, str]]) -> str:
    """Return the last six messages, each of a role and a text, as a handoff: of 200 characters."""
    return "\n".join(f"[{role.title()}]: {shorten(text, 200)}" for role, text in messages[-6:])


def left_open(session: Session) -> list[str]:
    """Return what a session leaves to do, a line each; nothing where all is done."""
    found = ("; ".join(_to_do(session)), _still_failing(session), _unanswered(session))
    return [shorten(part, _LONGEST) for part in found if part]


def _unanswered(session: Session) -> str:
    """Return the person's last message, where nothing was said or done for it."""
    last = session.messages[-1] if len(session.messages) > 1 else None
    if last is None or last.speaker is Speaker.AGENT or not has_request(last.text):
        return ""
    is_begun = any(step.asked is last for step in session.steps)
    return "" if is_begun else f"unanswered: {last.text}"


def _to_do(session: Session) -> list[str]:
    """Return what is open in the agent's list of things to do, unless much was done since: a list
    that it wrote whole, or tasks that it noted one by one.
    """
    tasks: dict[str, str] = {}
    changed_at = 0
    for at, step in enumerate(session.steps):
        name, given = tool_name(step.call), step.call.arguments
        before = dict(tasks)
        if name in _LISTS:
            entries = map(mapping, items(given.get("todos")) or items(given.get("plan")))
            tasks = {
                str(number): string(entry.get("content")) or string(entry.get("step"))
                for number, entry in enumerate(entries)
                if entry.get("status") in _OPEN_STATES
            }
        elif name == "taskcreate" and step.result and (number := _TASK.search(step.result.text)):
            tasks[number[1]] = string(given.get("subject"))
        elif name == "taskupdate" and given.get("status") in ("completed", "deleted"):
            tasks.pop(str(given.get("taskId")), None)
        changed_at = at if tasks != before or name in _LISTS else changed_at
    is_stale = len(session.steps) - changed_at > _STALE_AFTER
    return [] if is_stale else [text for text in tasks.values() if len(text) >= _SHORTEST_TASK]


def _still_failing(session: Session) -> str:
    """Return the last check, if it failed and no file was changed after it."""
    for step in reversed(session.steps):
        if any(True for _ in edits_of(step.call)):
            return ""
        if is_check(step) and not was_refused(step):
            return failure_of(step)
    return ""
