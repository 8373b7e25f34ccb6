"""Handoff: where a session broke off, with what was still open.

Open is what the agent's own list of to-dos leaves, a request that nobody answered, a check that
still failed at the end, a tool call without an answer. A session that came to its end leaves none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from store.agents.checks import failure_of, is_check, was_refused
from store.agents.session import Session
from store.agents.tools import edits_of, tool_name
from store.agents.transcript import Speaker
from store.capture.candidate import Candidate, passage_of
from store.capture.work import Reading, has_request
from store.model import Category
from store.platform.json_fields import items, mapping, string
from store.text.shortening import opening, shorten

_TAGS = ("auto-handoff", "session-close")
"""The tags by which a vault's own program knows its handoffs."""
_TASK = re.compile(r"#(\d+)")
_LISTS = frozenset({"todowrite", "updateplan", "todolist", "writetodos"})
_OPEN_STATES = frozenset({"pending", "in_progress", "todo", "open"})
_LONGEST, _DONE = 420, 260
"""Characters of what is open, and of what is done."""
_SHORTEST_TASK = 10
"""Characters of a task that says something."""
_STALE_AFTER = 25
"""Tool calls after which a list of things to do no longer says what is open."""


def find(reading: Reading) -> Iterator[Candidate]:
    """Yield the note that lets one continue, of a session that ended in the midst of its work; in
    a vault of any session, as the vault's own program leaves it.
    """
    session = reading.session
    if reading.in_vault and reading.is_over and session.said:
        said = [
            ("user" if message.speaker is Speaker.USER else "agent", message.text)
            for message in session.said
        ]
        found = reading.from_message(session.said[-1], Category.HANDOFF, last_messages(said))
        yield found._replace(tags=_TAGS)
        return
    if not reading.is_over or not session.steps or not _is_broken_off(session):
        return
    left = left_open(session)
    if not left:
        return
    asked = [work.title for work in reading.works if work.title]
    answers = [said for said in session.said if said.speaker is Speaker.AGENT]
    done = opening(answers[-1].text, 80, _DONE) if answers else ""
    parts = [f"Asked: {asked[-1]}"] if asked else []
    parts += [f"Last said: {done}"] if done else []
    parts += [f"Open: {part}" for part in left]
    parts += [f"Where: branch {session.branch}"] if session.branch else []
    yield Candidate(
        category=Category.HANDOFF,
        content="\n".join(parts),
        summary=f"Open: {left[0]}",
        line=answers[-1].line if answers else session.steps[-1].call.line,
        at=session.ended,
        passage=passage_of(answers[-1].text if answers else left[0]),
    )


def last_messages(messages: Sequence[tuple[str, str]]) -> str:
    """Return the last six messages, each of a role and a text, as a handoff: of 200 characters."""
    return "\n".join(f"[{role.title()}]: {shorten(text, 200)}" for role, text in messages[-6:])


def left_open(session: Session) -> list[str]:
    """Return what a session leaves to do, a line each; nothing where all is done."""
    found = ("; ".join(_to_do(session)), _still_failing(session), _unanswered(session))
    return [shorten(part, _LONGEST) for part in found if part]


def _is_broken_off(session: Session) -> bool:
    """Return whether a session ended after a tool call, or with a message that nobody answered."""
    last = session.said[-1] if session.said else None
    return last is None or last.speaker is Speaker.USER or session.has_gone_on_after(last)


def _unanswered(session: Session) -> str:
    """Return the person's last message, where nothing was said or done for it."""
    last = session.said[-1] if len(session.said) > 1 else None
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
