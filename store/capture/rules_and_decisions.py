"""What people taught the agent, what was decided, and where the session ended."""

from __future__ import annotations

import re
from collections.abc import Iterator

from store.agents.noise import without_noise
from store.agents.session import Session, Step
from store.agents.transcript import Message, Speaker
from store.capture.candidate import Candidate, shorten
from store.capture.prose import announces, plain, prose_lines, rules, sentences, statements
from store.capture.summaries import current_work
from store.capture.tools import tool_name
from store.model import Category

_FEEDBACK = re.compile(r"the user said:\s*(.+)\Z", re.S)
_ANSWER = re.compile(r'"([^"]{8,300})"="([^"]{1,300})"')
_APPROVED = re.compile(r"\bapproved\b", re.I)
_HEADING = re.compile(r"^#{1,3}\s+(?:Plan:?\s*)?(.{5,160})$", re.M)
_LONGEST_REQUEST = 1_500
_TAKES_OVER = re.compile(
    r"^(?:i['’]?ll|i will|i['’]m|let me|wait|stop|no|never ?mind|hold on|ok(?:ay)?|later)\b", re.I
)
_SHORTEST_INSTRUCTION = 60
_SHORTEST_HANDOFF = 80
_LONG_HANDOFF = 300
_EMPTY_WORDS = re.compile(
    r"^(?:no response requested|done|ok(?:ay)?|great|thanks?|you're welcome|all set|sounds good"
    r"|got it|understood|pronto|feito|obrigad[oa])\b[.! ]*$",
    re.I,
)
_API_NOTE = re.compile(r"^(?:API Error|Invalid API key|Prompt is too long|Credit balance)", re.I)


def taught_rules(session: Session) -> Iterator[Candidate]:
    """What people said to do always or never, and how they corrected a step they refused."""
    for said in session.said:
        if said.speaker is Speaker.USER and len(said.text) <= _LONGEST_REQUEST:
            for rule in rules(said.text):
                yield _from_words(said, Category.LESSON, rule)
    for step in session.steps:
        feedback = _FEEDBACK.search(step.result.text) if step.failed and step.result else None
        text = shorten(without_noise(feedback.group(1)), 300) if feedback else ""
        brief = len(text) < _SHORTEST_INSTRUCTION and _TAKES_OVER.match(text)
        if len(text) >= 20 and not brief:
            yield _from_step(
                session, step, Category.LESSON, f"On {_occasion(step)} the user said: {text}"
            )


def made_decisions(session: Session) -> Iterator[Candidate]:
    """Answers people gave, plans they approved, and decisions and lessons stated in prose."""
    for step in session.steps:
        if step.failed or step.result is None:
            continue
        name = tool_name(step.call)
        if name == "askuserquestion":
            for question, answer in _ANSWER.findall(step.result.text):
                yield _from_step(
                    session, step, Category.DECISION, f"{question} The user chose: {answer}."
                )
        elif name == "exitplanmode" and _APPROVED.search(step.result.text[:300]):
            yield from _approved_plan(session, step)
    for said in session.said:
        if said.speaker is Speaker.AGENT:
            for category, sentence in statements(said.text):
                yield _from_words(said, category, sentence)


def open_tasks(session: Session) -> Iterator[Candidate]:
    """What the agent's last list of things to do leaves undone."""
    lists = [step for step in session.steps if tool_name(step.call) in {"todowrite", "updateplan"}]
    if not lists:
        return
    arguments = lists[-1].call.arguments
    entries = arguments.get("todos") or arguments.get("plan")
    for entry in entries if isinstance(entries, list) else []:
        if isinstance(entry, dict) and entry.get("status") in {"pending", "in_progress"}:
            text = str(entry.get("content") or entry.get("step") or "").strip()
            if len(text) >= 10:
                yield _from_step(session, lists[-1], Category.TASK, text)


def handoff(session: Session) -> Iterator[Candidate]:
    """The agent's last words, as the note to whoever continues; else the last summary's state."""
    spoken = [said for said in session.said if said.speaker is Speaker.AGENT]
    last_summary = session.summaries[-1] if session.summaries else None
    for said in reversed(spoken):
        if last_summary and said.line < last_summary.line:
            break
        if _is_handoff(said):
            yield Candidate(
                category=Category.HANDOFF,
                content=said.text,
                summary=_opening(said.text),
                line=said.line,
                at=said.at,
                passage=shorten(said.text, 600),
            )
            return
    text = current_work(last_summary) if last_summary else ""
    if last_summary and text:
        yield Candidate(
            category=Category.HANDOFF,
            content=text,
            line=last_summary.line,
            at=last_summary.at,
            passage=shorten(text, 600),
        )


def _is_handoff(said: Message) -> bool:
    text = said.text.strip()
    if len(text) < _SHORTEST_HANDOFF or _EMPTY_WORDS.match(text) or _API_NOTE.match(text):
        return False
    told = list(sentences(text))
    if not told or (announces(told[-1]) and len(text) < _LONG_HANDOFF):
        return False
    return any(not announces(each) and not each.endswith(":") for each in told)


def _opening(text: str) -> str:
    """The first sentences that say something: not just "Done."."""
    lines = (line for line in prose_lines(text) if not _EMPTY_WORDS.match(line))
    opening = ""
    for line in lines:
        opening = f"{opening} {line}".strip()
        if len(opening) >= _SHORTEST_HANDOFF:
            break
    return opening or text


def _approved_plan(session: Session, step: Step) -> Iterator[Candidate]:
    plan = str(step.call.arguments.get("plan") or "")
    title = _HEADING.search(plan)
    lines = [line for line in prose_lines(plan) if len(line) >= 25]
    if title or lines:
        head = plain(title.group(1)) if title else ""
        body = shorten(" ".join(lines[:3]), 500)
        yield _from_step(session, step, Category.DECISION, f"Approved plan: {head}. {body}".strip())


def _occasion(step: Step) -> str:
    if tool_name(step.call) == "exitplanmode":
        return "the plan"
    path = step.call.arguments.get("file_path")
    return f"an edit of {str(path).rsplit('/', 1)[-1]}" if path else f"a call of {step.call.tool}"


def _from_words(said: Message, category: str, text: str) -> Candidate:
    return Candidate(
        category=category, content=text, line=said.line, at=said.at, passage=shorten(said.text, 600)
    )


def _from_step(session: Session, step: Step, category: str, text: str) -> Candidate:
    return Candidate(
        category=category,
        content=text,
        line=step.call.line,
        at=step.call.at,
        passage=shorten(step.result.text if step.result else text, 600),
        marks=session.marks([step]),
    )
