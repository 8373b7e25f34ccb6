"""The recall of a vault: fixed sections in a fixed order, dropped in a fixed order. Pure.

The project, the agent's last session, three decisions and two lessons that the task is about, the
agent's open tasks, and how a session broke off. What is too much goes in this order: lessons,
decisions, the last session; then tasks, the last first, and the end of the project's text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from datetime import datetime
from enum import StrEnum

from store.agents.noise import BLOCK_HEADING
from store.model import Category, Observation
from store.recall.profiles import Clean, Terms
from store.recall.reasons import Reason, Verdict
from store.recall.render import data_line, framed
from store.recall.request import RecallRequest
from store.recall.select import uncontradicted
from store.recall.values import Candidate, Limits, Recall, ScoredCandidate, by_category
from store.text.display import visible
from store.text.tokens import Counter
from store.text.turns import defused


class Section(StrEnum):
    """The sections of the text, in their order."""

    PROJECT = "Project:"
    SESSION = "Last Session:"
    DECISIONS = "Relevant Decisions:"
    LESSONS = "Relevant Lessons:"
    TASKS = "Open Tasks:"


_PROJECT_AGENT = "project"
"""The agent whose memories are meant for all."""
_MOST = {Section.SESSION: 1, Section.DECISIONS: 3, Section.LESSONS: 2}
_BY_WORDS = frozenset({Section.DECISIONS, Section.LESSONS})
"""Sections of what the task's words find; the others list the newest."""
_DROPPED = (Section.LESSONS, Section.DECISIONS, Section.SESSION)
_SECTION_OF: Mapping[str, Section] = {
    Category.PROJECT: Section.PROJECT,
    Category.HANDOFF: Section.SESSION,
    Category.DECISION: Section.DECISIONS,
    Category.LESSON: Section.LESSONS,
    Category.TASK: Section.TASKS,
}
_CUT = " …"
_BOX = "- [ ] "
"""The beginning of an open task in a list; one memory may have several."""
Chosen = Mapping[Section, Sequence[Observation]]
"""The observations of each section."""


def plan_block(
    candidates: Sequence[Candidate], request: RecallRequest, terms: Terms, now: datetime
) -> Recall:
    """The recall of given candidates in the sections of a vault; a text without any is empty."""
    profile, limits, counter, _, clean = terms
    ranked = profile.rank(candidates, request, now)
    standing, out = uncontradicted(ranked, request, terms.handle)
    ranked.sort(key=lambda candidate: not request.is_pinned(candidate.observation))
    standing.sort(key=lambda candidate: not request.is_pinned(candidate.observation))
    chosen = _choose(standing, request, clean)
    recovery = tuple(map(data_line, request.opening))
    fitting, text = _fitted(chosen, recovery, limits, counter)
    relevant = {observation.id for held in chosen.values() for observation in held}
    included = {observation.id: observation for held in fitting.values() for observation in held}
    scored = tuple(
        _scored(candidate, clean, included, relevant, out, request, counter) for candidate in ranked
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
        left_out=sum(not candidate.included and candidate.id not in out for candidate in scored),
        counter=counter.name,
        profile=profile.name,
        channel=request.channel,
        budget=limits.tokens if request.budget is None else request.budget,
        limits=limits,
    )


def _choose(ranked: Sequence[Candidate], request: RecallRequest, clean: Clean) -> Chosen:
    """Choose each section's memories, the most relevant first; pinned ones in any case."""
    chosen: dict[Section, list[Observation]] = {}
    newest = sorted(ranked, key=lambda candidate: candidate.observation.timestamp, reverse=True)
    for section in Section:
        by_time = section not in _BY_WORDS
        found = newest if by_time else [one for one in ranked if _can_be_injected(one, request)]
        observations = [candidate.observation for candidate in found]
        in_section = [memory for memory in observations if _section_of(memory, request) is section]
        if section is Section.PROJECT:
            shared = [memory for memory in in_section if memory.agent == _PROJECT_AGENT]
            in_section = shared or in_section[:1]
        if section is Section.SESSION and request.agents:
            in_section = [memory for memory in in_section if memory.agent in request.agents]
        if section is Section.TASKS and request.agent is not None:
            in_section = [memory for memory in in_section if memory.agent == request.agent]
        most = _MOST.get(section, len(in_section))
        pinned = [memory for memory in in_section if request.is_pinned(memory)]
        others = [memory for memory in in_section if not request.is_pinned(memory)]
        chosen[section] = [clean(memory) for memory in (*pinned, *others[:most])]
    return chosen


def _can_be_injected(candidate: Candidate, request: RecallRequest) -> bool:
    """Return whether a decision or a lesson has a word of the task, or is pinned."""
    return candidate.signals.get("bm25", 0.0) > 0 or request.is_pinned(candidate.observation)


def _section_of(observation: Observation, request: RecallRequest) -> Section | None:
    if observation.category == Category.TASK and not observation.is_open_task:
        return None
    return _SECTION_OF.get(observation.category) or (
        Section.DECISIONS if request.is_pinned(observation) else None
    )


def _fitted(
    chosen: Chosen, recovery: Sequence[str], limits: Limits, counter: Counter
) -> tuple[Chosen, str]:
    """Return what of the chosen memories fits within the limits, and its text."""
    fitting = {section: list(observations) for section, observations in chosen.items()}

    def text_in_limits() -> str | None:
        text = _worded(fitting, recovery)
        is_long = limits.length is not None and limits.measure(text) > limits.length
        return None if is_long or counter.count(text) > limits.tokens else text

    if (text := text_in_limits()) is not None:
        return fitting, text
    for section in _DROPPED:
        fitting[section].clear()
        if (text := text_in_limits()) is not None:
            return fitting, text
    while fitting[Section.TASKS]:
        fitting[Section.TASKS].pop()
        if (text := text_in_limits()) is not None:
            return fitting, text
    project = fitting[Section.PROJECT]
    for number, memory in reversed(list(enumerate(project))):
        least, most = 0, len(memory.content)
        while least < most:
            middle = (least + most + 1) // 2
            project[number] = memory._replace(content=memory.content[:middle] + _CUT)
            least, most = (middle, most) if text_in_limits() is not None else (least, middle - 1)
        shortened = memory._replace(content=memory.content[:least] + _CUT)
        project[number:] = [shortened] if least else []
        if (text := text_in_limits()) is not None:
            return fitting, text
    return fitting, ""


def _worded(chosen: Chosen, recovery: Sequence[str]) -> str:
    """Return the sections with the memories in them; empty where there are none."""
    blocks = []
    for section in Section:
        if observations := chosen[section]:
            lines = [_line(section, observation) for observation in observations]
            blocks.append("\n".join([section, *lines]))
    if recovery:
        blocks.append("\n".join(recovery))
    return framed("\n\n".join(blocks), title=BLOCK_HEADING) if blocks else ""


def _line(section: Section, observation: Observation) -> str:
    """Return a memory's line in a section: the whole, or in a list one line."""
    if section in (Section.PROJECT, Section.SESSION):
        return defused(visible(observation.content)).strip()
    if section is not Section.TASKS:
        return f"- {data_line(observation.summary)}"
    lines = [line.strip() for line in observation.content.splitlines()]
    boxes = [line.removeprefix(_BOX) for line in lines if line.startswith(_BOX)] or lines[:1]
    return "\n".join(f"{_BOX}{data_line(text)}" for text in boxes)


def _scored(
    ranked: Candidate,
    clean: Clean,
    included: Mapping[str, Observation],
    relevant: Set[str],
    out: Mapping[str, Reason],
    request: RecallRequest,
    counter: Counter,
) -> ScoredCandidate:
    identifier = ranked.observation.id
    shown = included.get(identifier)
    section = _section_of(ranked.observation, request) or Section.DECISIONS
    text = _line(section, shown) if shown is not None else ""
    missed = Verdict.BUDGET_FULL if identifier in relevant else Verdict.NOT_AMONG_BEST
    reason = out.get(identifier) or Reason(missed)
    if shown is not None:
        pinned = request.is_pinned(ranked.observation)
        reason = Reason(Verdict.PINNED if pinned else Verdict.RELEVANT)
    return ScoredCandidate(
        stored=ranked.observation,
        clean=clean,
        score=ranked.score,
        factors=ranked.factors,
        included=shown is not None,
        reason=reason,
        tokens=counter.count(text),
        text=text,
        kind=ranked.kind,
    )
