"""The capture plan: what a session would leave in memory, and what not, and why. A plain value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from store.agents.session import Session
from store.capture.candidate import (
    CAPTURED,
    UNTOLD,
    Beside,
    Candidate,
    Found,
    Known,
    Passed,
    shorten,
)
from store.capture.candidates import candidates_in
from store.capture.carried import carrier_of, line_of, without_carried
from store.capture.checks.procedures import adds_commands
from store.capture.decisions.amendments import amended_by
from store.capture.steps.paths import without_folder
from store.model import MAX_CONTENT, MAX_SUMMARY, Category, Observation
from store.notice import Notice, notice
from store.redaction.sanitizer import clean_observation, sanitize
from store.text.content_words import content_words, covered
from store.text.relative_dates import with_dates
from store.text.similarity import near_duplicates

if TYPE_CHECKING:
    from store.agents.client import SessionFile
    from store.settings.schema import Settings

UNKNOWN_AGENT = "agent"
"""Who observed, where neither the caller nor the transcript says."""
_MOST_SOURCES = 60
"""Sources of an observation."""
_MOSTLY = 0.7
"""The share of an error's words that another has where both tell the same trouble."""


class Captured(NamedTuple):
    """An observation that would be stored, and the passage of the transcript it came from."""

    observation: Observation
    passage: str


class Skipped(NamedTuple):
    """Something that would not be stored. `seen` is the id of the held observation it repeats."""

    text: str
    reason: Notice
    seen: str = ""


@dataclass(frozen=True, slots=True)
class CapturePlan:
    """What a capture would do. `redactions` names what was cleaned out of what is kept.

    `issue` is where it is filed; `folder` and `branch` are the session's. `unknown` says what
    stood in the transcript that its format is not known to have. `session` is what was read,
    `roots` the project's folders, `path` the file it came from where that is known. The plan of
    several sessions has the plan of each in `sessions`, their `files`, and in `left` a sentence for
    each file that could not be read.
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
    sessions: tuple[CapturePlan, ...] = field(default=(), repr=False)
    files: tuple[SessionFile, ...] = field(default=(), repr=False)
    left: tuple[str, ...] = ()

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
    found: Sequence[Found] | None = None,
) -> CapturePlan:
    """What a session would leave in memory, in the order of trust.

    `held` is what the issue holds already; `agent` empty means the tool's own name; `roots` are
    the project's root folders, to which paths are made relative. Only a session that is over
    leaves its last words as a handoff. `found` is what it teaches, where rules need not find that.
    """
    if found is None:
        found = list(candidates_in(session, _known(session, held), roots, is_over=is_over))
    passed = (it for it in found if isinstance(it, Passed))
    skipped = [Skipped(shorten(it.text, MAX_SUMMARY), it.reason) for it in passed]
    filed = _Filing(session, agent or session.agent or UNKNOWN_AGENT, issue, now)
    captured, redactions = filed.observations(it for it in found if isinstance(it, Candidate))
    distinct = _distinct(captured, held, skipped)
    for change in (it for it in found if isinstance(it, Beside)):
        redactions += _take_in(change, distinct, filed, held, skipped)
    most = settings.max_memories_per_capture
    skipped += [
        Skipped(each.observation.summary, notice("too-many", most=most)) for each in distinct[most:]
    ]
    return CapturePlan(
        kept=tuple(distinct[:most]),
        skipped=tuple(skipped),
        redactions=tuple(dict.fromkeys(redactions)),
        issue=issue,
        session_id=session.id,
        folder=session.folder,
        branch=session.branch,
        agent=filed.agent,
        unread_lines=len(session.unread),
        unknown=tuple(f"{it.reason} (line {it.line})" for it in session.unread if it.unknown),
    )


def from_origin(plan: CapturePlan, origin: Mapping[str, str], branch: str) -> CapturePlan:
    """The plan with what it keeps knowing its branch and commit.

    The session's own `branch` wins; the commit is left out where that is no longer checked out.
    """
    if branch and branch != origin.get("branch"):
        origin = {"branch": branch}
    kept = (
        it._replace(observation=it.observation._replace(extra={**it.observation.extra, **origin}))
        for it in plan.kept
    )
    return replace(plan, kept=tuple(kept))


def _known(session: Session, held: Sequence[Observation]) -> Known:
    mine = tuple(
        each.content
        for each in held
        if each.category == Category.CODE_CHANGE and session.id and each.session_id == session.id
    )
    others = (
        each.content
        for each in held
        if each.category == Category.CODE_CHANGE and each.session_id != session.id
    )
    marks = frozenset(source for each in held for source in each.sources)
    procedures = [each for each in held if each.category == Category.PROCEDURE]
    standing = {it.id: it.content for it in procedures if not it.archived and it.id not in marks}
    told = "\n".join(each.content for each in procedures)
    return Known(marks, mine, told, standing, "\n".join(others))


class _Filing(NamedTuple):
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
        at = candidate.at or session.ended or self.now
        content = with_dates(candidate.content, candidate.at or session.ended)
        content = without_folder(content, session.folder)
        summary = without_folder(candidate.summary, session.folder)
        return Observation(
            agent=self.agent,
            issue_number=self.issue,
            category=candidate.category,
            content=content,
            summary=summary or content,
            timestamp=at,
            session_id=session.id,
            sources=tuple(dict.fromkeys((session.mark(candidate.line), *candidate.marks)))[
                :_MOST_SOURCES
            ],
        )


def _limited(observation: Observation) -> Observation:
    content = observation.content.strip()
    if len(content) > MAX_CONTENT:
        content = content[: MAX_CONTENT - 1].rstrip() + "…"
    return observation._replace(content=content, summary=shorten(observation.summary, MAX_SUMMARY))


def _take_in(
    change: Beside,
    distinct: list[Captured],
    filed: _Filing,
    held: Sequence[Observation],
    skipped: list[Skipped],
) -> tuple[str, ...]:
    """Let what a session leaves tell a change beside it, else keep it by itself, or pass it."""
    at = carrier_of(change, [each.observation for each in distinct])
    if at is None and not change.stands_alone:
        skipped.append(Skipped(shorten(change.what, MAX_SUMMARY), UNTOLD))
        return ()
    if at is None:
        captured, redactions = filed.observations([change.candidate])
        distinct += _distinct(captured, held, skipped)
        return redactions
    carrier = distinct[at].observation
    line = line_of(change, carrier.content)
    told = change.candidate._replace(content=line) if line else change.candidate
    captured, redactions = filed.observations([told])
    for each in captured:
        content = f"{carrier.content}\n{each.observation.content}" if line else carrier.content
        sources = tuple(dict.fromkeys((*carrier.sources, *each.observation.sources)))
        carrier = carrier._replace(content=content, sources=sources[:_MOST_SOURCES])
    distinct[at] = distinct[at]._replace(observation=carrier)
    return redactions if line else ()


def _distinct(
    captured: Sequence[Captured], held: Sequence[Observation], skipped: list[Skipped]
) -> list[Captured]:
    """The captured that say something neither memory nor an earlier one of them says."""
    told = [without_carried(each.content) for each in held]
    twins = near_duplicates([each.observation.content for each in captured], told)
    distinct: list[Captured] = []
    for each, twin in zip(captured, twins, strict=True):
        observation = each.observation
        if twin is not None and adds_commands(observation.content, held[twin].content):
            twin = None
        if twin is not None and set(held[twin].sources) & set(observation.sources):
            skipped.append(Skipped(observation.summary, CAPTURED))
        elif twin is not None:
            skipped.append(Skipped(observation.summary, notice("known"), held[twin].id))
        elif (said := _said(observation, distinct)) is not None:
            distinct[said] = _raised(distinct[said])
            skipped.append(Skipped(observation.summary, notice("repeated")))
        else:
            distinct.append(_amending(each, held))
    return distinct


def _amending(captured: Captured, held: Sequence[Observation]) -> Captured:
    """The captured with the id of the held decision that it changes among its sources."""
    observation = captured.observation
    changed = amended_by(observation, held)
    if not changed:
        return captured
    telling = observation._replace(sources=(*observation.sources, changed))
    return captured._replace(observation=telling)


def _said(observation: Observation, distinct: Sequence[Captured]) -> int | None:
    """Which earlier one of the session says the same. A handoff may: it is read alone."""
    if observation.category == Category.HANDOFF:
        return None
    texts = [each.observation.content for each in distinct]
    twin = near_duplicates([observation.content], texts)[0]
    if twin is not None or observation.category != Category.ERROR:
        return twin
    # A session that was summed up twice tells its troubles twice, in other words.
    words = content_words(observation.content)
    told = (
        at
        for at, each in enumerate(distinct)
        if each.observation.category == Category.ERROR
        and covered(words, content_words(each.observation.content)) >= _MOSTLY
    )
    return next(told, None)


def _raised(captured: Captured) -> Captured:
    """The captured, seen once more: what a person says twice matters more."""
    observation = captured.observation
    seen = observation._replace(seen_count=observation.seen_count + 1)
    return captured._replace(observation=seen)
