"""The demo's observations: the stories, dated back from now, with ids and a history of use.

In a statement's content `{day:N}` is the date N days ago, `{p95}` what the dashboard showed for the
tracking page at that time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from random import Random

from memtui.sample.story import Session, Statement, sessions
from store.model import Category, Observation

_ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789"
_DAY_MARK = re.compile(r"\{day:(\d+)\}")
_P95_MARK = "{p95}"
_RECALLS_A_MONTH = {
    Category.DECISION: 2.2,
    Category.PROCEDURE: 2.6,
    Category.LESSON: 1.8,
    Category.PROJECT: 3.0,
    Category.KEY_FACT: 1.4,
    Category.COMPACTION_SUMMARY: 1.6,
}
"""How often a memory of this kind was used in a month, in the mean; the others hardly ever."""


def sample_observations(now: datetime) -> list[Observation]:
    """Return the observations of the demo, oldest first; the same for the same `now`.

    Those marked `archived` are the `sources` of a compaction summary.
    """
    random = Random(29)
    now = now.astimezone(UTC)
    observations: list[Observation] = []
    for session in sessions():
        for observation, statement in _observe(session, now, random):
            if "compacts" in statement.flags:
                observations, observation = _compact(observations, observation, random)
            observations.append(observation)
    return sorted(observations, key=lambda observation: observation.timestamp)


def _observe(
    session: Session, now: datetime, random: Random
) -> Iterator[tuple[Observation, Statement]]:
    midnight = (now - timedelta(days=session.days_ago)).replace(
        hour=0, minute=0, second=0, microsecond=0
    )
    moment = midnight + timedelta(minutes=session.minute)
    session_id = f"{session.agent}-{milliseconds(moment)}-{suffix(random)}"
    for statement in session.statements:
        moment += timedelta(seconds=random.randint(50, 900), milliseconds=random.randint(0, 999))
        yield _observation(session, statement, session_id, moment, now, random), statement


def _observation(
    session: Session,
    statement: Statement,
    session_id: str,
    moment: datetime,
    now: datetime,
    random: Random,
) -> Observation:
    """Return a statement as an observation, with ids and counters drawn from `random`."""
    agent = re.sub(r"[^a-z0-9]", "", session.agent)[:20]
    pinned = "pinned" in statement.flags
    months = (now - moment) / timedelta(days=30)
    mean = _RECALLS_A_MONTH.get(Category(statement.category), 0.3) * (2 if pinned else 1) * months
    recalls = 0 if "muted" in statement.flags else int(random.expovariate(1) * mean)
    return Observation(
        id=f"obs-{agent}-{session.issue}-{milliseconds(moment)}-{suffix(random)}",
        agent=session.agent,
        issue_number=session.issue,
        category=statement.category,
        content=_fill(statement.content, session.days_ago, now, random),
        timestamp=moment,
        session_id=session_id,
        recall_count=recalls,
        last_recalled=moment + random.random() * (now - moment) if recalls else None,
        tags=(*statement.tags, "done") if "done" in statement.flags else statement.tags,
        pinned=pinned,
        muted="muted" in statement.flags,
        seen_count=random.choices((1, 2, 3), weights=(30, 3, 1))[0],
    )


def _compact(
    observations: list[Observation], summary: Observation, random: Random
) -> tuple[list[Observation], Observation]:
    """Archive most errors and code changes of the summary's issue; they become its sources."""
    kinds = {Category.ERROR, Category.CODE_CHANGE}
    sources = [
        observation.id
        for observation in observations
        if observation.issue_number == summary.issue_number
        and observation.category in kinds
        and random.random() < 0.7
    ]
    observations = [
        observation._replace(archived=True) if observation.id in sources else observation
        for observation in observations
    ]
    return observations, summary._replace(sources=tuple(sources))


def _fill(content: str, days_ago: int, now: datetime, random: Random) -> str:
    content = _DAY_MARK.sub(
        lambda match: (now - timedelta(days=int(match[1]))).date().isoformat(), content
    )
    if _P95_MARK in content:
        p95 = _tracking_page_p95(days_ago) + random.randint(-9, 14)
        content = content.replace(_P95_MARK, f"{p95:,}")
    return content


def _tracking_page_p95(days_ago: int) -> int:
    """Return milliseconds: of the old page, the rewrite that grew slower, then issue 170."""
    if days_ago > 108:
        return 1_900 + 2 * (150 - days_ago)
    if days_ago > 30:
        return 640 - 2 * (days_ago - 30)
    return 90 + 35 * max(0, days_ago - 16)


def milliseconds(moment: datetime) -> int:
    return int(moment.timestamp() * 1_000)


def suffix(random: Random) -> str:
    return "".join(random.choices(_ALPHABET, k=6))
