"""What plans settle: those approved or turned down in a tool, and those pasted or written.

A plan is a document with sections. Its steps are carried out and are then the code's business; why
it was made is told with the change. Kept beside that are the sections whose headings say that
something was settled: decisions, trade-offs, what is out of scope, the root cause.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from posixpath import basename

from store.agents.session import Step
from store.agents.tools import edits_of, tool_name
from store.agents.transcript import Speaker
from store.capture.candidate import Candidate
from store.capture.work import Reading, title_of
from store.model import Category
from store.text.markdown import Section, plain, sections
from store.text.shortening import cut

_WHY = re.compile(
    r"\b(?:context|problems?|goals?|motivation|background|why|objective|purpose|root cause"
    r"|rationale|current (?:issue|problem|behaviou?r|state)|issue|bug|contexto|problema|objetivo"
    r"|kontext|ziel|contexte|objectif)\b|背景|目标|问题",
    re.I,
)
_SETTLED = re.compile(
    r"\b(?:decisions?|decided|trade-?offs?|out of scope|non-?goals?|not doing|alternatives"
    r"|rejected|root cause|lessons?|key (?:insights?|findings)"
    r"|decis(?:ões|iones)|entscheidungen|décisions)\b|决定|决策",
    re.I,
)
_NO_SECTION = re.compile(
    r"^(?:\d+[.)]|step|phase|task)\s|\b(?:open|pending|possible|potential|questions?|to verify)\b",
    re.I,
)
_CAUSE = re.compile(r"\broot cause\b", re.I)
_IS_PLAN_FILE = re.compile(r"(?:^|[/_.-])(?:plan|spec|design|adr|rfc|proposal)s?(?:[/_.-]|$)", re.I)
_LEAST_SECTIONS = 2
_SHORTEST, _LONGEST, _LONGEST_WHY = 40, 700, 420
"""Characters of a section that says something, those kept of one, and of a reason."""
_MOST = 3
"""Sections that are kept of one plan."""


def find(reading: Reading) -> Iterator[Candidate]:
    carried_out = any(
        edit for work in reading.works for step in work.steps if not step.has_failed
        for edit in edits_of(step.call) if not _IS_PLAN_FILE.search(edit.path)
    )  # fmt: skip
    seen: set[str] = set()
    for message in reading.session.messages:
        if message.speaker is Speaker.USER and is_plan(message.text):
            for category, text in settled_in(message.text):
                if text not in seen:
                    seen.add(text)
                    yield reading.from_message(message, category, text)
    for step in reading.session.steps:
        plan = _plan_of(reading, step)
        if not plan:
            continue
        settled = list(settled_in(plan))
        if not carried_out and (why := why_of(plan)):
            settled.insert(0, (Category.DECISION, f"Plan: {title_of(plan).rstrip('.')}. {why}"))
        for category, text in settled:
            if text not in seen:
                seen.add(text)
                yield reading.from_step(step, category, text)


def is_plan(text: str) -> bool:
    """Return whether the text is a document with a section that says why, or what is settled."""
    if "#" not in text and "**" not in text:
        return False
    parts = sections(text)
    return len(parts) >= _LEAST_SECTIONS and any(
        _WHY.search(part.heading) or _SETTLED.search(part.heading) for part in parts
    )


def why_of(text: str) -> str:
    """Return why a plan is made, by its section of that name; empty where it has none."""
    parts = sections(text) if is_plan(text) else []
    texts = (part.text for part in parts if _WHY.search(part.heading))
    return next((cut(text, _LONGEST_WHY) for text in texts if len(text) >= _SHORTEST), "")


def settled_in(text: str) -> Iterator[tuple[str, str]]:
    """Yield the sections of a plan that settle something, with their category."""
    parts = sections(text)
    title = title_of(text).rstrip(".") if len(parts) > 1 else ""
    left = _MOST
    for at, part in enumerate(parts):
        if not left or not _SETTLED.search(part.heading) or _NO_SECTION.search(part.heading):
            continue
        settled = part.text if len(part.text) >= _SHORTEST else _below(parts, at)
        if len(settled) < _SHORTEST:
            continue
        left -= 1
        category = Category.KEY_FACT if _CAUSE.search(part.heading) else Category.DECISION
        about = f" ({title})" if title and title != part.heading else ""
        yield category, f"{plain(part.heading)}{about}: {cut(settled, _LONGEST)}"


def _below(parts: list[Section], at: int) -> str:
    texts: list[str] = []
    for part in parts[at + 1 :]:
        if part.depth <= parts[at].depth:
            break
        texts += [f"{part.heading}: {part.text}"] if part.text else []
    return " ".join(texts)


def _plan_of(reading: Reading, step: Step) -> str:
    """Return the plan that a step hands in and nobody turned down, or writes as a document."""
    if tool_name(step.call) == "exitplanmode":
        ends = step is reading.session.steps[-1]
        return "" if step.has_failed and not ends else str(step.call.arguments.get("plan") or "")
    if step.has_failed or tool_name(step.call) not in {"write", "writefile", "createfile"}:
        return ""
    path = str(step.call.arguments.get("file_path") or step.call.arguments.get("path") or "")
    is_document = path.endswith((".md", ".mdx", ".rst", ".txt"))
    text = str(step.call.arguments.get("content") or "")
    return text if is_document and _IS_PLAN_FILE.search(basename(path)) and is_plan(text) else ""
