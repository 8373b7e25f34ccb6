"""The stories that the demo is made of: `stories/issue-N*.md`, each of sessions with statements.

A line `@@ DAYS AGENT HH:MM` opens a session that many days ago, a line `@ CATEGORY TAG… !FLAG…` a
statement in it; the lines up to the next one are its content, with marks that the generator fills
in. Flags: `pinned`, `muted`, `done` (a closed task), `compacts` (a summary of the older errors and
code changes of its issue).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import resources

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
    """Return the sessions of all stories, oldest first."""
    found: list[Session] = []
    for file in resources.files(__package__).joinpath("stories").iterdir():
        if match := _ISSUE_FILE.fullmatch(file.name):
            found.extend(parse_story(int(match["issue"]), file.read_text(encoding="utf-8")))
    return sorted(found, key=lambda session: (-session.days_ago, session.minute, session.issue))


def parse_story(issue: int, text: str) -> list[Session]:
    """Return the sessions of a story in the order of its text. Raises `ValueError`."""
    found: list[Session] = []
    for heading, body in _sections(text):
        if match := _SESSION.match(heading):
            minute = int(match["hour"]) * 60 + int(match["minute"])
            found.append(Session(issue, int(match["days"]), match["agent"], minute))
        elif match := _OBSERVATION.match(heading):
            words = match["rest"].split()
            tags = tuple(word for word in words if not word.startswith("!"))
            flags = frozenset(word[1:] for word in words if word.startswith("!"))
            found[-1].statements.append(Statement(match["category"], body, tags, flags))
        else:
            raise ValueError(f"issue {issue}: not a heading of a story: {heading!r}")
    return found


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
