"""The capture plan: what a session would leave in memory, and what not, and why. A plain value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from store.agents.session import Session
from store.capture.candidate import CAPTURED, Candidate, Known, Passed, shorten
from store.capture.changes import code_changes
from store.capture.failures import failures
from store.capture.request import exchanges_of, requests_of
from store.capture.reviews import reviews
from store.capture.rules_and_decisions import handoff, made_decisions, open_tasks, taught_rules
from store.capture.summaries import accounts, summary_candidates
from store.model import MAX_CONTENT, MAX_SUMMARY, Category, Observation
from store.redaction.sanitizer import clean_observation, sanitize
from store.text.similarity import near_duplicates

if TYPE_CHECKING:
    from store.settings import Settings

UNKNOWN_AGENT = "agent"
"""Who observed, where neither the caller nor the transcript says."""
_MOST_SOURCES = 60


@dataclass(frozen=True, slots=True)
class Captured:
    """An observation that would be stored, and the passage of the transcript it came from."""

    observation: Observation
    passage: str


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that would not be stored. `seen` is the id of the held observation it repeats."""

    text: str
    reason: str
    seen: str = ""


@dataclass(frozen=True, slots=True)
class CapturePlan:
    """What a capture would do. `redactions` names what was cleaned out of what is kept.

    `issue` is where it is filed; `folder` and `branch` are the session's. `unknown` says what
    stood in the transcript that its format is not known to have. `session` is what was read,
    `roots` the project's folders, `path` the file it came from where that is known.
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
    roots: tuple[str, ...] = ()
    path: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether nothing would be stored."""
        return not self.kept

    @property
    def seen_again(self) -> tuple[str, ...]:
        """The ids of held observations that the session repeats, once each."""
        return tuple(dict.fromkeys(each.seen for each in self.skipped if each.seen))


def plan_capture(
    session: Session,
    *,
    issue: int,
    held: Sequence[Observation],
    now: datetime,
    settings: Settings,
    agent: str = "",
    roots: tuple[str, ...] = (),
    is_over: bool = True,
) -> CapturePlan:
    """What a session would leave in memory, in the order of trust.

    `held` is what the issue holds already; `agent` empty means the tool's own name; `roots` are
    the project's root folders, to which paths are made relative. Only a session that is over
    leaves its last words as a handoff.
    """
    skipped: list[Skipped] = []
    candidates: list[Candidate] = []
    for found in _candidates(session, _known(session, held), roots, is_over=is_over):
        if isinstance(found, Passed):
            skipped.append(Skipped(shorten(found.text, MAX_SUMMARY), found.reason))
        else:
            candidates.append(found)
    filed = _Filing(session, agent or session.agent or UNKNOWN_AGENT, issue, now)
    captured, redactions = filed.observations(candidates)
    distinct = _distinct(captured, held, skipped)
    most = settings.max_observations_per_capture
    skipped += [
        Skipped(each.observation.summary, f"beyond the {most} that one capture may leave")
        for each in distinct[most:]
    ]
    return CapturePlan(
        kept=tuple(distinct[:most]),
        skipped=tuple(skipped),
        redactions=redactions,
        issue=issue,
        session_id=session.id,
        folder=session.folder,
        branch=session.branch,
        agent=filed.agent,
        unread_lines=len(session.unread),
        unknown=tuple(f"{it.reason} (line {it.line})" for it in session.unread if it.unknown),
    )


def _known(session: Session, held: Sequence[Observation]) -> Known:
    mine = [
        each.content
        for each in held
        if each.category == Category.CODE_CHANGE and each.session_id == session.id
    ]
    marks = frozenset(source for each in held for source in each.sources)
    return Known(marks, "\n".join(mine) if session.id else "")


def _candidates(
    session: Session, known: Known, roots: tuple[str, ...], *, is_over: bool
) -> Iterator[Candidate | Passed]:
    """Everything a session may teach, most trustworthy first."""
    for summary in session.summaries:
        yield from summary_candidates(summary)
    requests = requests_of(exchanges_of(session))
    yield from code_changes(session, requests, accounts(session.summaries), known, roots)
    yield from reviews(session, requests, known)
    yield from failures(session, roots)
    yield from taught_rules(session)
    yield from made_decisions(session)
    yield from open_tasks(session)
    if is_over:
        yield from handoff(session)


@dataclass(frozen=True, slots=True)
class _Filing:
    """Where and when a session's observations are filed."""

    session: Session
    agent: str
    issue: int
    now: datetime

    def observations(
        self, candidates: Iterable[Candidate]
    ) -> tuple[list[Captured], tuple[str, ...]]:
        """The candidates as clean observations, and what was cleaned out of them."""
        captured: list[Captured] = []
        redactions: list[str] = []
        for candidate in candidates:
            observation, removed = clean_observation(self._observation(candidate))
            redactions += removed
            if observation.content.strip():
                captured.append(Captured(_limited(observation), sanitize(candidate.passage).text))
        return captured, tuple(dict.fromkeys(redactions))

    def _observation(self, candidate: Candidate) -> Observation:
        session = self.session
        return Observation(
            agent=self.agent,
            issue_number=self.issue,
            category=candidate.category,
            content=candidate.content,
            summary=candidate.summary or candidate.content,
            timestamp=candidate.at or session.ended or self.now,
            session_id=session.id,
            sources=(session.mark(candidate.line), *candidate.marks)[:_MOST_SOURCES],
        )


def _limited(observation: Observation) -> Observation:
    content = observation.content.strip()
    if len(content) > MAX_CONTENT:
        content = content[: MAX_CONTENT - 1].rstrip() + "…"
    return observation._replace(content=content, summary=shorten(observation.summary, MAX_SUMMARY))


def _distinct(
    captured: Sequence[Captured], held: Sequence[Observation], skipped: list[Skipped]
) -> list[Captured]:
    """The captured that say something neither memory nor an earlier one of them says."""
    twins = near_duplicates(
        [each.observation.content for each in captured], [each.content for each in held]
    )
    distinct: list[Captured] = []
    for each, twin in zip(captured, twins, strict=True):
        observation = each.observation
        if twin is not None and set(held[twin].sources) & set(observation.sources):
            skipped.append(Skipped(observation.summary, CAPTURED))
        elif twin is not None:
            skipped.append(Skipped(observation.summary, "known already", held[twin].id))
        elif _is_said(observation, distinct):
            skipped.append(Skipped(observation.summary, "said twice in this session"))
        else:
            distinct.append(each)
    return distinct


def _is_said(observation: Observation, distinct: Sequence[Captured]) -> bool:
    """Whether an earlier one of the session says the same. A handoff may: it is read alone."""
    if observation.category == Category.HANDOFF:
        return False
    texts = [each.observation.content for each in distinct]
    return near_duplicates([observation.content], texts)[0] is not None
