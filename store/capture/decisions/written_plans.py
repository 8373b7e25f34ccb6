"""What plans and records of decisions that a session wrote into files settle, and why."""

from __future__ import annotations

import re
from collections.abc import Iterator

from store.agents.session import Session, Step
from store.capture.candidate import Candidate, passage_of
from store.capture.decisions.pasted_plans import problem_in, settled_in
from store.capture.steps.paths import is_elsewhere, project_path
from store.capture.steps.tools import command_of, edits_of, texts_of
from store.capture.text.review_text import whole_sentences
from store.model import Category
from store.text.regex import regex

_A_PLAN = regex(
    r"(?:^|/)\.?(?:adrs?|rfcs?|specs?|designs?|plans?|decisions?|proposals?"
    r"|learnings|lessons|solutions|post-?mortems?)(?:/|[-_.\d])"
    r"|[-_.](?:context|plan|design|decisions?|proposal|rfc|adr|spec)\.mdx?$",
    re.I,
)
"""How the files are called in which it is settled what is to be done, or what was learned."""
_A_TASK = regex(r"(?:^|/)(?:to-?dos?|backlog|tickets|issues|bugs)/", re.I)
_A_FORM = regex(r"template[^/]*\Z", re.I)
"""What is still to be filled in settles nothing."""
_DONE = regex(r"/(?:done|closed)/", re.I)
"""Where a task stands that was put off, with what is wrong."""
_PATCH = "*** Begin Patch"
_MOST, _LONGEST = 2, 560
"""Memories of one file, and characters of each: it can be read itself."""


def written_plans(session: Session, roots: tuple[str, ...] = ()) -> Iterator[Candidate]:
    """What each plan that was written settles, from its last whole text."""
    last: dict[str, tuple[Step, str]] = {}
    for step in session.steps:
        for path, text in _written(step):
            last[path] = (step, text)
    for path, (step, text) in last.items():
        name = project_path(path, session.folder, roots)
        is_here = bool(name) and not is_elsewhere(name)
        where = f"\nWritten down in {name}." if is_here else ""
        is_task = _A_TASK.search(path) is not None
        if is_task and (_DONE.search(path) or _is_gone(path, session)):
            continue
        for category, told in _told(text, is_task=is_task)[:_MOST]:
            yield Candidate(
                category=category,
                content=whole_sentences(told, _LONGEST) + where,
                line=step.call.line,
                at=step.call.at,
                passage=passage_of(text),
                marks=session.marks([step]),
            )


def _is_gone(path: str, session: Session) -> bool:
    """Whether a file was moved or deleted: what it told was done, and put away."""
    name = path.rpartition("/")[2]
    return any(
        edit.how in {"deleted", "moved"} and edit.path.endswith(name)
        for step in session.steps
        for edit in edits_of(step.call)
    )


def _told(text: str, *, is_task: bool) -> list[tuple[str, str]]:
    """What a plan settles; of a task what it is and what is wrong."""
    if not is_task:
        return list(settled_in(text))
    what, why = problem_in(text)
    return [(Category.TASK, f"{what.rstrip('.')}: {why}")] if what and why else []


def _written(step: Step) -> Iterator[tuple[str, str]]:
    """The plans that a step wrote as a whole, each with its text."""
    command = command_of(step.call)
    if step.failed or (command and _PATCH not in command):
        return
    edits = [edit for edit in edits_of(step.call) if edit.path.lower().endswith((".md", ".mdx"))]
    if len(edits) != 1 or edits[0].removed:
        return
    path = edits[0].path
    if _A_FORM.search(path) or not any(each.search(path) for each in (_A_PLAN, _A_TASK)):
        return
    text = "\n".join(texts_of(step.call))
    yield path, text
