"""The capture plan: what a session would leave in memory, and what not, and why. A plain value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import chain
from typing import NamedTuple

from store.agents.client import SessionFile
from store.agents.paths import without_folder
from store.agents.session import Session
from store.agents.tools import tool_name
from store.backends.tombstones import places_of
from store.capture.candidate import CAPTURED, STORED, Candidate, Found, Skipped
from store.capture.evidence.commands import commands_of, together
from store.capture.finders import FACTS, FINDERS, evidence_of
from store.merge.versions import EDITED
from store.model import FINDER, MAX_CONTENT, MAX_SUMMARY, Category, Observation
from store.notice import notice
from store.redaction.sanitizer import clean_observation, sanitize
from store.settings.schema import Settings
from store.text.relative_dates import with_dates
from store.text.shortening import shorten
from store.text.similarity import near_duplicates

UNKNOWN_AGENT = "agent"
"""Who observed, where neither the caller nor the transcript says."""
_MOST_SOURCES = 60
"""Sources of an observation."""
Held = Callable[[int], Sequence[Observation]]
"""What an issue holds already."""


class Captured(NamedTuple):
    """An observation that would be stored, and the passage of the transcript it came from."""

    observation: Observation
    passage: str


@dataclass(frozen=True, slots=True)
class CapturePlan:
    """The plan of a capture. `redactions` names what was cleaned out of what is kept.

    `issue` is where it is filed; `folder` and `branch` are the session's. `unknown` is what
    the transcript has that its format is not known to have. `session` is what was read,
    `evidence` what rules found in it, `roots` the project's folders, `path` the file it came from
    where that is known. The plan of several sessions has the plan of each in `sessions`, their
    `files`, and in `left` a sentence for each file that could not be read. Where a language model
    read it, `picked_by` is the program, `left_out` counts the messages that it was not shown, and
    `replaced` are the memories that rules captured from the same session before.
    """

    kept: tuple[Captured, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    redactions: tuple[str, ...] = ()
    issue: int = 0
    session_id: str = ""
    folder: str = ""
    branch: str = ""
    agent: str = ""
    unread_lines: int = 0
    unknown: tuple[str, ...] = ()
    session: Session | None = field(default=None, compare=False, repr=False)
    evidence: tuple[Found, ...] = field(default=(), compare=False, repr=False)
    roots: tuple[str, ...] = ()
    path: str = ""
    sessions: tuple[CapturePlan, ...] = field(default=(), repr=False)
    files: tuple[SessionFile, ...] = field(default=(), repr=False)
    left: tuple[str, ...] = ()
    picked_by: str = ""
    left_out: int = 0
    replaced: tuple[Observation, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Nothing would be stored."""
        return not self.kept

    @property
    def seen_again(self) -> tuple[str, ...]:
        """The ids of held observations that the session repeats, once each."""
        return tuple(dict.fromkeys(skipped.seen for skipped in self.skipped if skipped.seen))


def plan_capture(
    session: Session,
    *,
    issue: int,
    held: Sequence[Observation],
    now: datetime,
    settings: Settings,
    agent: str = "",
    roots: tuple[str, ...] = (),
    checkout: Mapping[str, str] | None = None,
    path: str = "",
    is_over: bool = True,
    in_vault: bool = False,
    found: Sequence[Found] | None = None,
) -> CapturePlan:
    """Plan what a session would leave in memory, in the order of trust.

    `held` is what the issue holds already; `agent` empty means the tool's own name; `roots` are
    the project's root folders, to which paths are made relative, `checkout` its branch and commit,
    `path` the session's file. Only a session that is over leaves a handoff, `in_vault` the one
    of a vault's own program. `found` is what
    somebody else found in it, in place of the rules.
    """
    evidence: Sequence[Found] = ()
    if found is None:
        known = frozenset(source for memory in held for source in memory.sources)
        found = evidence = evidence_of(session, roots, known, is_over=is_over, in_vault=in_vault)
        if has_stored(session):
            found = [
                Skipped(item.content, STORED)
                if isinstance(item, Candidate) and item.finder not in FACTS
                else item
                for item in found
            ]
    origin = Observation(
        agent=agent or session.agent or UNKNOWN_AGENT,
        issue_number=issue,
        category="",
        content="",
        timestamp=session.ended or now,
        session_id=session.id,
        extra=_place_of(session, checkout),
    )
    captured, skipped, redactions = _cleaned(found, session, origin)
    fresh = _not_in_memory(captured, held, skipped)
    most = settings.max_memories_per_capture
    skipped += [
        Skipped(captured.observation.summary, notice("too-many", most=most))
        for captured in fresh[most:]
    ]
    return CapturePlan(
        kept=tuple(fresh[:most]),
        skipped=tuple(skipped),
        redactions=redactions,
        issue=issue,
        session_id=session.id,
        folder=session.folder,
        branch=session.branch,
        agent=origin.agent,
        unread_lines=len(session.unread),
        unknown=tuple(
            f"{line.reason} (line {line.line})" for line in session.unread if line.unknown
        ),
        session=session,
        evidence=tuple(evidence),
        roots=roots,
        path=path,
    )


def _cleaned(
    found: Iterable[Found], session: Session, origin: Observation
) -> tuple[list[Captured], list[Skipped], tuple[str, ...]]:
    """Return what was found without secrets, what was passed, and what was cleaned out."""
    captured, skipped, redactions = list[Captured](), list[Skipped](), list[str]()
    for item in found:
        if isinstance(item, Skipped):
            skipped.append(item._replace(text=shorten(item.text, MAX_SUMMARY)))
            continue
        clean, removed = clean_observation(_filed(item, session, origin))
        redactions += removed
        if clean.content.strip():
            captured.append(Captured(_limited(clean), sanitize(item.passage).text))
    return captured, skipped, tuple(dict.fromkeys(redactions))


def _place_of(session: Session, checkout: Mapping[str, str] | None) -> Mapping[str, str]:
    """Return the branch and commit of a session, which may run on another branch than is out."""
    if checkout is not None and session.branch and session.branch != checkout.get("branch"):
        return {"branch": session.branch}
    return checkout or {}


def without_rules(
    held: Sequence[Observation], session_id: str
) -> tuple[list[Observation], tuple[Observation, ...]]:
    """Return what memory holds besides what rules captured from a session, and the latter.

    What somebody pinned or edited stays, and so do the commands, which are of all sessions.
    """
    replaced = tuple(
        memory
        for memory in held
        if memory.session_id == session_id
        and memory.extra.get(FINDER) in FINDERS.keys() - {"commands"}
        and not (memory.archived or memory.pinned or EDITED in memory.extra)
    )
    return [memory for memory in held if memory not in replaced], replaced


def has_stored(session: Session) -> bool:
    """Return whether the agent stored several memories by one call: what the session taught."""
    return any(
        tool_name(step.call).endswith("memoryadd") and step.call.arguments.get("memories")
        for step in session.steps
        if step.result is not None and not step.has_failed
    )


def _filed(candidate: Candidate, session: Session, origin: Observation) -> Observation:
    """Return a candidate as an observation of the agent, issue and time of `origin`."""
    content = with_dates(candidate.content, candidate.at or session.ended)
    content = without_folder(content, session.folder)
    return origin._replace(
        category=candidate.category,
        content=content,
        summary=without_folder(candidate.summary, session.folder) or content,
        timestamp=candidate.at or origin.timestamp,
        tags=candidate.tags,
        sources=_sources(session.mark(candidate.line), candidate.replaces, *candidate.marks),
        extra={FINDER: candidate.finder, **origin.extra},
    )


def _sources(*marks: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, marks)))[:_MOST_SOURCES]


def _limited(observation: Observation) -> Observation:
    content = observation.content.strip()
    if len(content) > MAX_CONTENT:
        content = content[: MAX_CONTENT - 1].rstrip() + "…"
    return observation._replace(content=content, summary=shorten(observation.summary, MAX_SUMMARY))


def _not_in_memory(
    captured: Sequence[Captured], held: Sequence[Observation], skipped: list[Skipped]
) -> list[Captured]:
    """Compare each candidate with what memory has: the one place where that is done.

    Left is what neither memory nor an earlier one of them has; the others are `skipped`.
    """
    captured = [_with_held_commands(memory, held) for memory in captured]
    held_texts = [memory.content for memory in held]
    twins = near_duplicates([memory.observation.content for memory in captured], held_texts)
    reworded = Counter(_origin(memory) for at, memory in enumerate(held) if at not in twins)
    fresh: list[Captured] = []
    for memory, twin in zip(captured, twins, strict=True):
        observation = memory.observation
        origin = _origin(observation)
        commands = commands_of(observation.content)
        if commands and all(any(command in text for text in held_texts) for command in commands):
            skipped.append(Skipped(observation.summary, CAPTURED))
            continue
        if commands or (twin is not None and held[twin].id in observation.sources):
            twin = None  # one more command is news, and what replaces one, however alike it is
        if twin is not None and set(held[twin].sources) & set(observation.sources):
            skipped.append(Skipped(observation.summary, CAPTURED))
        elif twin is not None:
            skipped.append(Skipped(observation.summary, notice("known"), held[twin].id))
        elif (same := _twin_among(fresh, observation)) is not None:
            before = fresh[same].observation  # what a person says twice matters more
            seen = before._replace(seen_count=before.seen_count + 1)
            fresh[same] = fresh[same]._replace(observation=seen)
            skipped.append(Skipped(observation.summary, notice("repeated")))
        elif origin and reworded[origin]:  # a person edited it by hand
            reworded[origin] -= 1
            skipped.append(Skipped(observation.summary, CAPTURED))
        else:
            fresh.append(memory)
    return fresh


def _origin(observation: Observation) -> tuple[str, frozenset[str]] | None:
    """What found an observation and where: with a second capture, the same for the same one."""
    finder, places = observation.extra.get(FINDER, ""), places_of(observation.sources)
    return (str(finder), places) if finder and places else None


def _twin_among(fresh: Sequence[Captured], observation: Observation) -> int | None:
    if observation.category == Category.HANDOFF:
        return None  # it is read alone, and may repeat what is written before it
    return near_duplicates(
        [observation.content], [captured.observation.content for captured in fresh]
    )[0]


def _with_held_commands(captured: Captured, held: Sequence[Observation]) -> Captured:
    """Return a procedure with the commands of the held ones, which it names as replaced."""
    observation = captured.observation
    if observation.category != Category.PROCEDURE or not commands_of(observation.content):
        return captured
    procedures = [memory for memory in held if memory.category == Category.PROCEDURE]
    replaced_before = {source for memory in procedures for source in memory.sources}
    texts_held = {
        memory.id: memory.content
        for memory in procedures
        if not memory.archived and memory.id not in replaced_before
    }
    content, replaced = together(observation.content, texts_held)
    wider = observation._replace(
        content=content,
        summary=shorten(content, MAX_SUMMARY),
        sources=_sources(observation.sources[0], *replaced, *observation.sources),
    )
    return captured._replace(observation=wider)


class SeveralSessions:
    """The plans of sessions, oldest first, and what memory would hold after them.

    `held` reads what an issue holds, `new_id` makes the id that what is kept will have: a later
    session names what it replaces by it.
    """

    def __init__(self, held: Held, new_id: Callable[[str, int, datetime], str]) -> None:
        self._read_held = held
        self._new_id = new_id
        self._held: dict[int, list[Observation]] = {}
        self._plans: list[CapturePlan] = []
        self._left: list[str] = []

    def held(self, issue: int) -> Sequence[Observation]:
        """Return the records of an issue after the sessions planned so far."""
        if issue not in self._held:
            self._held[issue] = list(self._read_held(issue))
        return self._held[issue]

    def add(self, plan: CapturePlan) -> None:
        """Add the plan of the next session, without what was read of it."""
        kept = tuple(map(self._named, plan.kept))
        held = [memory for memory in self.held(plan.issue) if memory not in plan.replaced]
        self._held[plan.issue] = [*held, *(captured.observation for captured in kept)]
        self._plans.append(replace(plan, kept=kept, session=None, evidence=()))

    def leave(self, sentence: str) -> None:
        """Add a sentence about a file that can't be read."""
        self._left.append(sentence)

    def _named(self, captured: Captured) -> Captured:
        memory = captured.observation
        identifier = self._new_id(memory.agent, memory.issue_number, memory.timestamp)
        return captured._replace(observation=memory._replace(id=identifier))

    def together(self) -> CapturePlan:
        """Return one plan, the newest session's first; of procedures only the last that holds."""
        plans = _without_replaced(tuple(reversed(self._plans)))
        return CapturePlan(
            kept=tuple(chain.from_iterable(plan.kept for plan in plans)),
            skipped=tuple(chain.from_iterable(plan.skipped for plan in plans)),
            redactions=tuple(chain.from_iterable(plan.redactions for plan in plans)),
            unread_lines=sum(plan.unread_lines for plan in plans),
            sessions=plans,
            left=tuple(self._left),
            picked_by=next((plan.picked_by for plan in plans), ""),
            left_out=sum(plan.left_out for plan in plans),
            replaced=tuple(chain.from_iterable(plan.replaced for plan in plans)),
        )


def _without_replaced(plans: Sequence[CapturePlan]) -> tuple[CapturePlan, ...]:
    """Return the plans, newest first, without procedures that a later one took over whole."""
    replaced: set[str] = set()
    left: list[CapturePlan] = []
    for plan in plans:
        kept = [captured for captured in plan.kept if captured.observation.id not in replaced]
        for captured in plan.kept:  # of one that is replaced, what it replaced itself is, too
            if captured.observation.category == Category.PROCEDURE:
                replaced.update(captured.observation.sources)
        left.append(replace(plan, kept=tuple(kept)))
    return tuple(left)
