"""The demo's observations: the stories, dated back from now, with ids and a history of use.

A story is `stories/issue-N*.md`. A line `@@ DAYS AGENT HH:MM` opens a session that many days ago,
a line `@ CATEGORY TAG… !FLAG…` an observation in it; the lines up to the next one are its content.
Flags: `pinned`, `muted`, `done` (a closed task), `compacts` (a summary of the older
errors and code changes of its issue). `{day:N}` is the date N days ago, `{p95}` what
the dashboard showed for the tracking page at that time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from importlib import resources
from random import Random

from store.model import UNDATED, Category, Observation

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


def sample_observations(now: datetime, seed: int = 29) -> list[Observation]:
    """Return the observations of the demo, oldest first; the same for the same `now` and `seed`.

    Those marked `archived` are the `sources` of a compaction summary.
    """
    random = Random(seed)
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
    """One statement as an observation, with ids and counters drawn from `random`."""
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
        item._replace(archived=True) if item.id in sources else item for item in observations
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
    """Milliseconds: the old page, then the rewrite that grew slower, then the work of issue 170."""
    if days_ago > 108:
        return 1_900 + 2 * (150 - days_ago)
    if days_ago > 30:
        return 640 - 2 * (days_ago - 30)
    return 90 + 35 * max(0, days_ago - 16)


def milliseconds(moment: datetime) -> int:
    return int(moment.timestamp() * 1_000)


def suffix(random: Random) -> str:
    return "".join(random.choices(_ALPHABET, k=6))


_SESSION = re.compile(r"@@ (?P<days>\d+) (?P<agent>[a-z-]+) (?P<hour>\d\d):(?P<minute>\d\d)$")
_OBSERVATION = re.compile(r"@ (?P<category>[a-z-]+)(?P<rest>(?: \S+)*)$")
_ISSUE_FILE = re.compile(r"issue-(?P<issue>\d+)[a-z-]*\.md$")


@dataclass(frozen=True, slots=True)
class Statement:
    category: str
    content: str
    tags: tuple[str, ...] = ()
    flags: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Session:
    """The work of one agent in one sitting. `minute` counts from midnight, UTC."""

    issue: int
    days_ago: int
    agent: str
    minute: int
    statements: list[Statement] = field(default_factory=list)


def sessions() -> list[Session]:
    found: list[Session] = []
    for file in resources.files(__package__).joinpath("stories").iterdir():
        if match := _ISSUE_FILE.fullmatch(file.name):
            found.extend(parse_story(int(match["issue"]), file.read_text(encoding="utf-8")))
    return sorted(found, key=lambda session: (-session.days_ago, session.minute, session.issue))


def parse_story(issue: int, text: str) -> list[Session]:
    sessions: list[Session] = []
    for heading, body in _sections(text):
        if match := _SESSION.match(heading):
            minute = int(match["hour"]) * 60 + int(match["minute"])
            sessions.append(Session(issue, int(match["days"]), match["agent"], minute))
        elif match := _OBSERVATION.match(heading):
            words = match["rest"].split()
            tags = tuple(word for word in words if not word.startswith("!"))
            flags = frozenset(word[1:] for word in words if word.startswith("!"))
            sessions[-1].statements.append(Statement(match["category"], body, tags, flags))
        else:
            raise ValueError(f"issue {issue}: not a heading of a story: {heading!r}")
    return sessions


def _sections(text: str) -> Iterator[tuple[str, str]]:
    heading = ""
    body: list[str] = []
    for line in text.splitlines():
        if line.startswith("@"):
            if heading:
                yield heading, "\n".join(body).strip()
            heading, body = line, []
        else:
            body.append(line)
    if heading:
        yield heading, "\n".join(body).strip()


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


def _noted_again(observations: Sequence[Observation]) -> Iterator[Observation]:
    """Long memories that the next session on their issue noted again, in nearly the same words."""
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
    for number, first in enumerate(old[:_NOTED_AGAIN]):
        agent = next(
            name for name in agents[number % len(agents) :] + agents if name != first.agent
        )
        moment = first.timestamp + timedelta(days=3 + number % 5, minutes=11 * number)
        yield _repeated(first, agent, f"Note: {first.content}", moment, f"no{number:02}ed")


def repetitions_of(observations: Sequence[Observation]) -> list[Observation]:
    """Observations again, as other agents put them in other sessions."""
    again = list(_noted_again(observations))
    for number, repetition in enumerate(_AGAIN):
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
