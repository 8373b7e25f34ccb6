"""The recall of a vault: fixed sections in a fixed order, dropped in a fixed order. Pure.

The project, the last session, three decisions and two lessons that the task is about, the open
tasks, and how a session broke off. What is too much goes in this order: lessons, decisions, the
last session; then tasks, the last first, and the end of the project's text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum

from store.agents.noise import BLOCK_HEADING
from store.model import Category, Observation
from store.recall.profiles import Clean, Terms
from store.recall.reasons import Reason, Verdict
from store.recall.render import data_line, framed
from store.recall.request import RecallRequest
from store.recall.select import uncontradicted
from store.recall.values import (
    Candidate,
    Limits,
    Recall,
    ScoredCandidate,
    by_category,
)
from store.text.display import visible
from store.text.tokens import Counter
from store.text.turns import defused

_PROJECT_AGENT = "project"
"""The agent of what is told to all."""


class Section(StrEnum):
    """The sections of the text, in their order."""

    PROJECT = "Project:"
    SESSION = "Last Session:"
    DECISIONS = "Relevant Decisions:"
    LESSONS = "Relevant Lessons:"
    TASKS = "Open Tasks:"


_MOST = {Section.SESSION: 1, Section.DECISIONS: 3, Section.LESSONS: 2}
_DROPPED = (Section.LESSONS, Section.DECISIONS, Section.SESSION)
_SECTION_OF: Mapping[str, Section] = {
    Category.PROJECT: Section.PROJECT,
    Category.HANDOFF: Section.SESSION,
    Category.DECISION: Section.DECISIONS,
    Category.LESSON: Section.LESSONS,
    Category.TASK: Section.TASKS,
}
_CUT = " …"
Chosen = dict[Section, list[Observation]]


def plan_block(
    candidates: Sequence[Candidate],
    request: RecallRequest,
    terms: Terms,
    now: datetime,
) -> Recall:
    """The recall of given candidates in the sections of a vault; a text without any is empty."""
    profile, limits, counter, _, clean = terms
    ranked = profile.rank(candidates, request, now)
    standing, out = uncontradicted(ranked, request, terms.handle)
    ranked.sort(key=lambda candidate: not request.is_pinned(candidate.observation))
    standing.sort(key=lambda candidate: not request.is_pinned(candidate.observation))
    chosen = _choose(standing, request, clean)
    recovery = tuple(map(data_line, request.opening))
    full = {candidate.id for held in chosen.values() for candidate in held}
    text = _fitted(chosen, recovery, limits, counter)
    kept = {candidate.id: candidate for held in chosen.values() for candidate in held}
    scored = tuple(
        _scored(candidate, clean(candidate.observation), kept, full, out, request, counter)
        for candidate in ranked
    )
    tokens, counts = by_category(scored)
    total = counter.count(text)
    return Recall(
        candidates=scored,
        text=text,
        tokens=total,
        tokens_by_category=tokens,
        count_by_category=counts,
        packaging=max(0.0, 1 - sum(tokens.values()) / total) if total else 0.0,
        left_out=sum(
            not candidate.included and candidate.observation.id not in out for candidate in scored
        ),
        counter=counter.name,
        profile=profile.name,
        channel=request.channel,
        budget=limits.tokens if request.budget is None else request.budget,
        limits=limits,
    )


def _choose(ranked: Sequence[Candidate], request: RecallRequest, clean: Clean) -> Chosen:
    """Choose each section's memories, the most relevant first; pinned ones in any case."""
    chosen: Chosen = {section: [] for section in Section}
    newest = sorted(ranked, key=lambda candidate: candidate.observation.timestamp, reverse=True)
    for section in Section:
        by_time = section in (Section.SESSION, Section.TASKS, Section.PROJECT)
        held = [candidate.observation for candidate in (newest if by_time else ranked)]
        fitting = [candidate for candidate in held if _section_of(candidate, request) is section]
        if section is Section.PROJECT:
            shared = [candidate for candidate in fitting if candidate.agent == _PROJECT_AGENT]
            fitting = shared or fitting[:1]
        if section is Section.SESSION:
            own = [candidate for candidate in fitting if candidate.agent == request.agent]
            fitting = own or fitting
        most = _MOST.get(section, len(fitting))
        pinned = [candidate for candidate in fitting if request.is_pinned(candidate)]
        others = [candidate for candidate in fitting if not request.is_pinned(candidate)]
        chosen[section] = [clean(other) for other in (*pinned, *others[:most])]
    return chosen


def _section_of(observation: Observation, request: RecallRequest) -> Section | None:
    if observation.category == Category.TASK and not observation.is_open_task:
        return None
    return _SECTION_OF.get(observation.category) or (
        Section.DECISIONS if request.is_pinned(observation) else None
    )


def _fitted(chosen: Chosen, recovery: Sequence[str], limits: Limits, counter: Counter) -> str:
    """Return the text within its limits; what `chosen` holds afterwards is told in it."""

    def fits() -> str | None:
        text = _worded(chosen, recovery)
        is_long = limits.length is not None and limits.measure(text) > limits.length
        return None if is_long or counter.count(text) > limits.tokens else text

    if (text := fits()) is not None:
        return text
    for section in _DROPPED:
        chosen[section].clear()
        if (text := fits()) is not None:
            return text
    while chosen[Section.TASKS]:
        chosen[Section.TASKS].pop()
        if (text := fits()) is not None:
            return text
    for number, it in reversed(list(enumerate(chosen[Section.PROJECT]))):
        least, most = 0, len(it.content)
        while least < most:
            middle = (least + most + 1) // 2
            chosen[Section.PROJECT][number] = it._replace(content=it.content[:middle] + _CUT)
            least, most = (middle, most) if fits() is not None else (least, middle - 1)
        chosen[Section.PROJECT][number:] = (
            [it._replace(content=it.content[:least] + _CUT)] if least else []
        )
        if (text := fits()) is not None:
            return text
    return ""


def _worded(chosen: Chosen, recovery: Sequence[str]) -> str:
    """Return the sections with what they hold; empty where nothing is told."""
    blocks = []
    for section in Section:
        if held := chosen[section]:
            lines = [_line(section, candidate) for candidate in held]
            blocks.append("\n".join([section, *lines]))
    if recovery:
        blocks.append("\n".join(recovery))
    return framed("\n\n".join(blocks), title=BLOCK_HEADING) if blocks else ""


def _line(section: Section, observation: Observation) -> str:
    """Return a memory's line in a section: the whole, or in a list one line."""
    if section in (Section.PROJECT, Section.SESSION):
        return defused(visible(observation.content)).strip()
    box = "[ ] " if section is Section.TASKS else ""
    told = (
        observation.content.partition("\n")[0] if section is Section.TASKS else observation.summary
    )
    return f"- {box}{data_line(told)}"


def _scored(
    ranked: Candidate,
    observation: Observation,
    kept: dict[str, Observation],
    full: set[str],
    out: dict[str, Reason],
    request: RecallRequest,
    counter: Counter,
) -> ScoredCandidate:
    identifier = observation.id
    told = kept.get(identifier)
    section = _section_of(ranked.observation, request) or Section.DECISIONS
    text = _line(section, told) if told is not None else ""
    missed = Verdict.BUDGET_FULL if identifier in full else Verdict.NOT_AMONG_BEST
    reason = out.get(identifier) or Reason(missed)
    if told is not None:
        pinned = request.is_pinned(ranked.observation)
        reason = Reason(Verdict.PINNED if pinned else Verdict.RELEVANT)
    return ScoredCandidate(
        observation=observation,
        score=ranked.score,
        factors=ranked.factors,
        included=told is not None,
        reason=reason,
        tokens=counter.count(text),
        text=text,
        kind=ranked.kind,
    )
