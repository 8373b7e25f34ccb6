"""Repetitions for the demo: what other agents noted again, in nearly the same words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from store.model import UNDATED, Category, Observation

_LASTING = frozenset({Category.DECISION, Category.KEY_FACT, Category.LESSON})
_LONG, _MOST_NOTED_AGAIN = 120, 40
"""Characters from which a memory is worth noting again by its whole text, and how many are."""
_ENDINGS = ("noted", "again", "remember")
"""What the sessions that note a memory again end it with: its beginning tells rows apart."""


@dataclass(frozen=True, slots=True)
class _Repetition:
    beginning: str
    agent: str
    days: int
    words: str


_REPETITIONS = (
    _Repetition(
        "Raw payloads are kept for 90 days",
        "devops",
        9,
        "Raw payloads are kept for 90 days, compressed, outside the hot table.",
    ),
    _Repetition(
        "Raw payloads are kept for 90 days",
        "engineer",
        21,
        "We keep raw payloads for 90 days, compressed and outside the hot table.",
    ),
    _Repetition(
        "Files on SFTP are visible while",
        "engineer",
        6,
        "Files on SFTP are visible while they are still being uploaded. Only read a file whose "
        "size did not change for 60 seconds.",
    ),
    _Repetition(
        "Order of statuses for ties",
        "engineer",
        4,
        "For ties the order of statuses is: created < picked_up < in_transit < at_depot < "
        "out_for_delivery < delivery_failed < delivered < returned.",
    ),
    _Repetition(
        "Sessions: 30 days sliding",
        "reviewer",
        8,
        "Sessions: 30 days sliding, 12 hours for operators, and at most 10 per user. Changing "
        "the password ends all others.",
    ),
    _Repetition(
        "Reconciliation is a plan first",
        "tester",
        4,
        "Reconciliation is a plan first: it lists differences with a proposed booking for each. "
        "A person applies it.",
    ),
    _Repetition(
        "The postcode check for buyers is limited",
        "tester",
        5,
        "The postcode check for buyers is limited to 5 tries per parcel and hour, counted in "
        "PostgreSQL, not in Redis.",
    ),
)


def _noted_again(observations: Sequence[Observation]) -> Iterator[Observation]:
    """Yield long memories as the next sessions on their issue noted them again."""
    agents = sorted({observation.agent for observation in observations})
    long = [
        observation
        for observation in observations
        if observation.category in _LASTING
        and len(observation.content) >= _LONG
        and observation.timestamp != UNDATED
    ]
    newest = max((observation.timestamp for observation in observations), default=UNDATED)
    old = [
        observation for observation in long if newest - observation.timestamp > timedelta(days=30)
    ]
    for number, first in enumerate(old[:_MOST_NOTED_AGAIN]):
        others = [name for name in agents if name != first.agent]
        for time, ending in enumerate(_ENDINGS):
            agent = others[(number + time) % len(others)]
            days = 3 + number % 5 + 4 * time
            moment = first.timestamp + timedelta(days=days, minutes=11 * number)
            content = f"{first.content.removesuffix('.')} ({ending})."
            yield _repeated(first, agent, content, moment, f"n{time}{number:02}ed")


def repetitions_of(observations: Sequence[Observation]) -> list[Observation]:
    """Return observations again, as other agents put them in other sessions."""
    again = list(_noted_again(observations))
    for number, repetition in enumerate(_REPETITIONS):
        first = next(
            (
                observation
                for observation in observations
                if observation.content.startswith(repetition.beginning)
            ),
            None,
        )
        if first is None or first.timestamp == UNDATED:
            continue
        moment = first.timestamp + timedelta(days=repetition.days, minutes=7 * number)
        again.append(_repeated(first, repetition.agent, repetition.words, moment, f"re0{number}ld"))
    return again


def _repeated(
    first: Observation, agent: str, content: str, moment: datetime, ending: str
) -> Observation:
    """Return an observation as another agent noted it later; `ending` ends its id."""
    stamp, plain = int(moment.timestamp() * 1000), agent.replace("-", "")
    return first._replace(
        id=f"obs-{plain}-{first.issue_number}-{stamp}-{ending}",
        agent=agent,
        content=content,
        timestamp=moment,
        session_id="",
        recall_count=0,
        last_recalled=None,
        seen_count=1,
        pinned=False,
    )
