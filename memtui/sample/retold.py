"""What several agents learned twice: the reason why memory is compacted.

Each entry names an observation of the sample by how it begins, who said it again how many days
later, and in which words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from store.model import UNDATED, Observation


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


def retold(told: Sequence[Observation]) -> list[Observation]:
    """What was said again of some observations, by other agents in other sessions."""
    again: list[Observation] = []
    for number, each in enumerate(_AGAIN):
        first = next((it for it in told if it.content.startswith(each.beginning)), None)
        if first is None or first.timestamp == UNDATED:
            continue
        moment = first.timestamp + timedelta(days=each.days, minutes=7 * number)
        stamp = int(moment.timestamp() * 1000)
        again.append(
            first._replace(
                id=f"obs-{each.agent}-{first.issue_number}-{stamp}-re0{number}ld",
                agent=each.agent,
                content=each.words,
                timestamp=moment,
                session_id="",
                recall_count=0,
                last_recalled=None,
                seen_count=1,
                pinned=False,
            )
        )
    return again
