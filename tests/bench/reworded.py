"""A set of memories in which several agents report the same sessions in other words."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from store.model import Observation
from store.records import estimate_tokens, first_line

AGENTS = ("engineer", "reviewer", "architect", "tester")
FIRST_DAY = datetime(2025, 9, 1, 9, tzinfo=UTC)

_FACTS = (
    ("decision", "We decided to keep {thing} in {path} because {why}, with a limit of {n} {unit}."),
    ("decision", "Chose `{ident}` for {thing}: it is faster than {Name} by {n} percent."),
    ("key-fact", "The {thing} must never exceed {n} {unit}, otherwise `{ident}` fails."),
    ("key-fact", "Important: {thing} reads its configuration from {path} at the start."),
    ("lesson", "Always run the {thing} tests before a release, since {why}."),
    ("lesson", "Do not call `{ident}` from the {thing}, because {why}."),
    (
        "error",
        "`{ident}` failed with an error after {n} {unit} while the {thing} was writing {path}.",
    ),
    ("code-change", "Changed {path}: the {thing} now checks `{ident}` because {why}."),
    ("code-change", "Created {path} with the function `{ident}` for the {thing}."),
    (
        "procedure",
        "To release the {thing}, update the version in {path}, then ask {Name} to approve.",
    ),
)
_THINGS = (
    "lock queue", "search index", "session cache", "token budget", "upload worker", "login screen",
    "payment service", "manifest reader", "export job", "event bus", "retry policy", "image parser",
)  # fmt: skip
_WHYS = (
    "two writers lost updates on a network disk",
    "users waited a long time for the first result",
    "the old database could not be repaired quickly",
    "a large repository makes the directory listing slow",
    "the temporary files were removed too early",
    "an incorrect message was shown to the administrator",
)
_NAMES = ("PostgreSQL", "Redis", "Caroline", "Kafka", "Marcus", "Textual")
_UNITS = ("seconds", "ms", "tokens", "MB", "files", "retries")
_FOLDERS = ("src/store", "app/core", "lib/net", "services/billing", "tools", "web/ui")
_STEMS = ("lock", "index", "cache", "budget", "worker", "login", "reader", "bus", "policy")

_SHORTER = {
    "configuration": "config", "repository": "repo", "directory": "dir", "database": "db",
    "function": "fn", "temporary": "temp", "administrator": "admin", "message": "msg",
    "percent": "%", "seconds": "s",
}  # fmt: skip
_SYNONYMS = {
    "decided": "chose", "keep": "retain", "faster": "quicker", "exceed": "pass", "fails": "breaks",
    "failed": "broke", "error": "failure", "run": "execute", "writing": "saving",
    "changed": "modified", "checks": "verifies", "created": "added", "update": "change",
    "removed": "deleted", "slow": "sluggish", "large": "big", "repaired": "fixed",
    "incorrect": "wrong", "shown": "displayed", "quickly": "fast", "waited": "had to wait",
    "approve": "sign off", "release": "ship", "important": "note", "since": "because",
    "reads": "loads", "early": "soon",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Rewording:
    """How often each rule is used, from 0 to 1."""

    synonym: float = 0.2
    shorter: float = 0.4
    order: float = 0.3
    added_path: float = 0.2
    shifted_date: float = 0.3


def reworded_set(
    sessions: int = 40,
    facts: int = 8,
    agents: int = 3,
    seed: int = 6,
    rules: Rewording | None = None,
) -> list[Observation]:
    """Every fact of every session as each of the agents reports it."""
    chance = random.Random(seed)
    rules = rules or Rewording()
    found: list[Observation] = []
    for session in range(sessions):
        day = FIRST_DAY + timedelta(days=3 * session)
        for number, (category, text) in enumerate(_session(chance, facts, day)):
            for agent in AGENTS[:agents]:
                said = text if agent == AGENTS[0] else _reworded(chance, text, rules)
                when = day + timedelta(minutes=number, hours=chance.randrange(48))
                found.append(_observation(agent, session + 1, category, said, when, len(found)))
    return found


def _session(chance: random.Random, facts: int, day: datetime) -> Iterator[tuple[str, str]]:
    for category, pattern in chance.sample(_FACTS, k=facts):
        stem = chance.choice(_STEMS)
        text = pattern.format(
            thing=chance.choice(_THINGS),
            why=chance.choice(_WHYS),
            path=f"{chance.choice(_FOLDERS)}/{stem}_{chance.randrange(20)}.py",
            ident=f"{chance.choice(('open', 'read', 'drop'))}_{stem}_{chance.randrange(30)}",
            Name=chance.choice(_NAMES),
            n=chance.randrange(2, 900),
            unit=chance.choice(_UNITS),
        )
        yield category, f"{text} Seen on {day:%Y-%m-%d}." if chance.random() < 0.25 else text


def _reworded(chance: random.Random, text: str, rules: Rewording) -> str:
    words = []
    for word in text.split():
        plain = word.strip(".,:").lower()
        if plain in _SYNONYMS and chance.random() < rules.synonym:
            word = _in_place(word, plain, _SYNONYMS[plain])
        elif plain in _SHORTER and chance.random() < rules.shorter:
            word = _in_place(word, plain, _SHORTER[plain])
        elif plain[:4].isdigit() and plain.count("-") == 2 and chance.random() < rules.shifted_date:
            later = datetime.fromisoformat(plain) + timedelta(days=1)
            word = word.replace(plain, f"{later:%Y-%m-%d}")
        words.append(word)
    said = " ".join(words)
    for joint in (" because ", ", since "):
        if joint in said and ". " not in said and chance.random() < rules.order:
            first, _, reason = said.partition(joint)
            first = first.rstrip(",")
            said = f"Because {reason.rstrip('.')}: {first[:1].lower()}{first[1:]}."
    if chance.random() < rules.added_path:
        stop = "." if said.endswith(".") else ""
        said = f"{said.removesuffix('.')} (see {chance.choice(_FOLDERS)}/notes.md){stop}"
    return said


def _in_place(word: str, plain: str, other: str) -> str:
    start = word.lower().index(plain)
    other = other.capitalize() if word[start].isupper() else other
    return word[:start] + other + word[start + len(plain) :]


def _observation(
    agent: str, issue: int, category: str, text: str, when: datetime, number: int
) -> Observation:
    return Observation(
        id=f"obs-{agent}-{issue}-{int(when.timestamp() * 1000)}-{number:06}",
        agent=agent,
        issue_number=issue,
        category=category,
        content=text,
        summary=first_line(text),
        tokens=estimate_tokens(text),
        timestamp=when,
    )
