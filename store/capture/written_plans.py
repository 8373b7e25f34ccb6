"""What plans and records of decisions that a session wrote into files settle, and why."""

from __future__ import annotations

import re
from collections.abc import Iterator

from store.agents.session import Session, Step
from store.capture.candidate import Candidate, shorten
from store.capture.pasted_plans import settled_in
from store.capture.paths import project_path
from store.capture.review_text import whole_sentences
from store.capture.tools import edits_of, texts_of

_A_PLAN = re.compile(
    r"(?:^|/)(?:adrs?|rfcs?|specs?|designs?|plans?|decisions?|proposals?)(?:/|[-_.\d])"
    r"|[-_.](?:context|plan|design|decisions?|proposal|rfc|adr|spec)\.mdx?$",
    re.I,
)
"""How the files are called in which it is settled what is to be done."""
_ELSEWHERE = ("/", "~", "../")
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
        is_here = bool(name) and not name.startswith(_ELSEWHERE)
        where = f"\nWritten down in {name}." if is_here else ""
        for category, told in list(settled_in(text))[:_MOST]:
            yield Candidate(
                category=category,
                content=whole_sentences(told, _LONGEST) + where,
                line=step.call.line,
                at=step.call.at,
                passage=shorten(text, 600),
                marks=session.marks([step]),
            )


def _written(step: Step) -> Iterator[tuple[str, str]]:
    """The plans that a step wrote as a whole, each with its text."""
    if step.failed:
        return
    edits = [edit for edit in edits_of(step.call) if edit.path.lower().endswith((".md", ".mdx"))]
    if len(edits) != 1 or edits[0].removed or not _A_PLAN.search(edits[0].path):
        return
    text = "\n".join(texts_of(step.call))
    yield edits[0].path, text
