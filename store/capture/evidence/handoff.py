"""Handoff: where a session broke off, with what was still open.

Open is what the agent's own list of to-dos leaves, a request that nobody answered, a check that
still failed at the end, a tool call without an answer. A session that came to its end leaves none.
"""

from __future__ import annotations

from collections.abc import Iterator

from store.agents.session import Session
from store.agents.transcript import Speaker
from store.capture.candidate import Candidate, passage_of, shorten
from store.capture.evidence.checks import failing_line
from store.capture.evidence.commands import check_in, kind_of
from store.capture.evidence.reading import Reading
from store.capture.markdown import opening
from store.capture.steps.check_output import failure_line, has_failed, is_check, was_refused
from store.capture.steps.tools import command_of, edits_of, tool_name
from store.capture.work import asks_for_more
from store.json_fields import items, mapping, string
from store.model import Category
from store.text.regex import regex

_TASK = regex(r"#(\d+)")
_OPEN_STATES = frozenset({"pending", "in_progress", "todo", "open"})
_LONGEST, _DONE = 420, 260
"""Characters of what is open, and of what is done."""
_SHORTEST_TASK = 10
"""Characters of a task that says something."""
_STALE_AFTER = 25
"""Tool calls after which a list of things to do no longer says what is open."""


def find(reading: Reading) -> Iterator[Candidate]:
    """Yield the note that lets one continue, of a session that ended in the midst of its work."""
    session = reading.session
    if not reading.is_over or not session.steps or not _broke_off(session):
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


def left_open(session: Session) -> list[str]:
    """Return what a session leaves to do, a line each; nothing where all is done."""
    found = (
        "; ".join(_unfinished_tasks(session) or _last_list(session)),
        _still_failing(session),
        _unanswered(session),
    )
    return [shorten(part, _LONGEST) for part in found if part]


def _broke_off(session: Session) -> bool:
    """Whether a session ended after a tool call, an unanswered message or a failing check."""
    last = session.said[-1] if session.said else None
    if last is None or last.speaker is Speaker.USER or session.went_on_after(last):
        return True
    return bool(_still_failing(session))


def _unanswered(session: Session) -> str:
    """The person's last message, where nothing was said or done for it."""
    last = session.said[-1] if session.said else None
    if last is None or last.speaker is Speaker.AGENT or not asks_for_more(last.text):
        return ""
    if any(step.asked is last for step in session.steps) or len(session.said) == 1:
        return ""
    return f"unanswered: {last.text}"


def _unfinished_tasks(session: Session) -> list[str]:
    """The tasks that the agent noted one by one and did not close."""
    tasks: dict[str, str] = {}
    last = 0
    for at, step in enumerate(session.steps):
        name, given = tool_name(step.call), step.call.arguments
        if name == "taskcreate" and step.result:
            if number := _TASK.search(step.result.text):
                tasks[number[1]] = string(given.get("subject"))
                last = at
        elif name == "taskupdate" and given.get("status") in ("completed", "deleted"):
            tasks.pop(str(given.get("taskId")), None)
            last = at
    is_stale = len(session.steps) - last > _STALE_AFTER
    return [] if is_stale else [text for text in tasks.values() if len(text) >= _SHORTEST_TASK]


def _last_list(session: Session) -> list[str]:
    """What is open in the agent's last list of things to do, unless much was done since."""
    names = {"todowrite", "updateplan", "todolist", "writetodos"}
    lists = [at for at, step in enumerate(session.steps) if tool_name(step.call) in names]
    if not lists or len(session.steps) - lists[-1] > _STALE_AFTER:
        return []
    given = session.steps[lists[-1]].call.arguments
    found: list[str] = []
    for entry in map(mapping, items(given.get("todos")) or items(given.get("plan"))):
        text = (string(entry.get("content")) or string(entry.get("step"))).strip()
        if entry.get("status") in _OPEN_STATES and len(text) >= _SHORTEST_TASK:
            found.append(text)
    return found


def _still_failing(session: Session) -> str:
    """The last check, if it failed and no file was changed after it."""
    checks = [step for step in session.steps if is_check(step) and not was_refused(step)]
    if not checks or not has_failed(checks[-1]) or checks[-1].call.aside:
        return ""
    last = checks[-1]
    changed = any(
        step.call.line > last.call.line and any(True for _ in edits_of(step.call))
        for step in session.steps
    )
    output = last.result.text if last.result else ""
    if changed or not kind_of(check_in(command_of(last.call))) or not failure_line(output):
        return ""
    return failing_line(last)
