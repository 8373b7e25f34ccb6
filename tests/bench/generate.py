"""Observations by the hundred thousand, as a busy project would leave them; seeded.

150 to 900 characters of Zipf-like words and identifiers, N/30 issues but a fifth of all in issue 0,
eight agents, all categories, dates over two years, sessions of ten. A session can be made
without making those before it, so that a million need never be in memory at once.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import orjson

from store.model import Category, Observation
from store.records import estimate_tokens, first_line, format_time, to_record
from tests.bench.words import identifiers, word_table

AGENTS = (
    "engineer",
    "architect",
    "reviewer",
    "tester",
    "devops",
    "ux-designer",
    "product-manager",
    "claude-code",
)
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
SESSION = 10
SHORTEST, LONGEST = 150, 900
_SPAN = timedelta(days=730)
_CATEGORIES = tuple(Category)
_ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789"
_CHARACTERS_A_WORD = 6.4
"""With its space: the mean of the table, a little under, so that few texts come out short."""


@dataclass(frozen=True, slots=True)
class Session:
    """Ten observations of one agent about one issue, from `start` on."""

    number: int
    agent: str
    issue: int
    start: datetime
    count: int


def sessions(count: int, seed: int = 29) -> list[Session]:
    """The sessions of `count` observations, oldest first."""
    random = Random(seed)
    issues = max(1, count // 30)
    sizes = [SESSION] * (count // SESSION) + ([count % SESSION] if count % SESSION else [])
    starts = sorted(NOW - random.random() * _SPAN - timedelta(hours=3) for _ in sizes)
    return [
        Session(
            number,
            random.choice(AGENTS),
            0 if number % 5 == 0 else random.randint(1, issues),
            start,
            size,
        )
        for number, (start, size) in enumerate(zip(starts, sizes, strict=True))
    ]


def observations(count: int, seed: int = 29) -> Iterator[Observation]:
    """`count` observations, session by session, oldest session first."""
    for session in sessions(count, seed):
        yield from observations_of(session, seed)


def observations_of(session: Session, seed: int = 29) -> Iterator[Observation]:
    """The observations of one session; the same for the same session and seed."""
    random = Random(seed * 1_000_003 + session.number)
    session_id = f"{session.agent}-{_milliseconds(session.start)}-{_suffix(random)}"
    agent = session.agent.replace("-", "")
    moment = session.start
    for _ in range(session.count):
        moment += timedelta(milliseconds=random.randint(20_000, 900_000))
        content = _content(random)
        yield Observation(
            id=f"obs-{agent}-{session.issue}-{_milliseconds(moment)}-{_suffix(random)}",
            agent=session.agent,
            issue_number=session.issue,
            category=random.choice(_CATEGORIES),
            content=content,
            summary=first_line(content),
            tokens=estimate_tokens(content),
            timestamp=moment,
            session_id=session_id,
        )


def write_store(folder: Path, count: int, seed: int = 29) -> Path:
    """Write the issue files of `count` observations, as AgentX would, one issue at a time."""
    folder.mkdir(parents=True, exist_ok=True)
    by_issue: defaultdict[int, list[Session]] = defaultdict(list)
    for session in sessions(count, seed):
        by_issue[session.issue].append(session)
    for issue, group in by_issue.items():
        records = [to_record(each) for session in group for each in observations_of(session, seed)]
        file = {
            "version": 1,
            "issueNumber": issue,
            "updatedAt": format_time(NOW),
            "observations": records,
        }
        path = folder / f"issue-{issue}.json"
        path.write_bytes(orjson.dumps(file, option=orjson.OPT_INDENT_2))
    return folder


def _content(random: Random) -> str:
    """Sentences with identifiers among their words, the first a line of its own, cut to length."""
    length = random.randint(SHORTEST, LONGEST)
    words = _words(random, int(length / _CHARACTERS_A_WORD) + 8)
    names = identifiers()
    for _ in range(1 + length // 250):
        # The square of a uniform draw: a few names are everywhere, most are rare.
        name = names[int(random.random() ** 2 * len(names))]
        words[random.randrange(len(words))] = name
    at = 0
    while at < len(words):
        words[at] = words[at][:1].upper() + words[at][1:]
        at += random.randint(7, 16)
        if at <= len(words):
            words[at - 1] += "."
    text = " ".join(words).replace(". ", ".\n", 1)[:length].rstrip()
    while len(text) < SHORTEST:
        text += " " + " ".join(_words(random, 12))
    return text


def _words(random: Random, count: int) -> list[str]:
    """`count` words drawn by Zipf's law."""
    table = word_table()
    return [table[draw] for draw in array("H", random.randbytes(2 * count))]


def _milliseconds(moment: datetime) -> int:
    return int(moment.timestamp() * 1_000)


def _suffix(random: Random) -> str:
    """Six letters and digits, as ids and sessions end."""
    return "".join(random.choices(_ALPHABET, k=6))
