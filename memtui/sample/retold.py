"""What several agents learned twice: the reason why memory is compacted.

Each entry names an observation of the sample by how it begins, who said it again how many days
later, and in which words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from store.model import UNDATED, Category, Observation


@dataclass(frozen=True, slots=True)
class _Again:
    beginning: str
    agent: str
    days: int
    words: str


_AGAIN = (
    _Again(
        "Raw payloads are kept for 90 days",
        "devops",
        9,
        "Raw payloads are kept for 90 days, compressed, outside the hot table.",
    ),
    _Again(
        "Raw payloads are kept for 90 days",
        "engineer",
        21,
        "We keep raw payloads for 90 days, compressed and outside the hot table.",
    ),
    _Again(
        "Files on SFTP are visible while",
        "engineer",
        6,
        "Files on SFTP are visible while they are still being uploaded. Only read a file whose "
        "size did not change for 60 seconds.",
    ),
    _Again(
        "Order of statuses for ties",
        "engineer",
        4,
        "For ties the order of statuses is: created < picked_up < in_transit < at_depot < "
        "out_for_delivery < delivery_failed < delivered < returned.",
    ),
    _Again(
        "Sessions: 30 days sliding",
        "reviewer",
        8,
        "Sessions: 30 days sliding, 12 hours for operators, and at most 10 per user. Changing "
        "the password ends all others.",
    ),
    _Again(
        "The postcode check for buyers is limited",
        "tester",
        5,
        "The postcode check for buyers is limited to 5 tries per parcel and hour, counted in "
        "PostgreSQL, not in Redis.",
    ),
)


_LASTING = frozenset({Category.DECISION, Category.KEY_FACT, Category.LESSON})
_LONG, _NOTED_AGAIN = 170, 20
"""Characters from which a memory is worth noting again by its whole text, and how many are."""


def _noted_again(told: Sequence[Observation]) -> Iterator[Observation]:
    """Long memories that the next session on their issue noted again, in nearly the same words."""
    agents = sorted({observation.agent for observation in told})
    long = [
        observation
        for observation in told
        if observation.category in _LASTING
        and len(observation.content) >= _LONG
        and observation.timestamp != UNDATED
    ]
    newest = max((observation.timestamp for observation in told), default=UNDATED)
    old = [
        observation for observation in long if newest - observation.timestamp > timedelta(days=30)
    ]
    for number, first in enumerate(old[:_NOTED_AGAIN]):
        agent = next(
            name for name in agents[number % len(agents) :] + agents if name != first.agent
        )
        moment = first.timestamp + timedelta(days=3 + number % 5, minutes=11 * number)
        yield _repeated(first, agent, f"Note: {first.content}", moment, f"no{number:02}ed")


def retold(told: Sequence[Observation]) -> list[Observation]:
    """Observations again, as other agents put them in other sessions."""
    again = list(_noted_again(told))
    for number, each in enumerate(_AGAIN):
        first = next(
            (observation for observation in told if observation.content.startswith(each.beginning)),
            None,
        )
        if first is None or first.timestamp == UNDATED:
            continue
        moment = first.timestamp + timedelta(days=each.days, minutes=7 * number)
        again.append(_repeated(first, each.agent, each.words, moment, f"re0{number}ld"))
    return again


def _repeated(
    first: Observation, agent: str, content: str, moment: datetime, ending: str
) -> Observation:
    """An observation as another agent noted it later; `ending` ends its id."""
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
