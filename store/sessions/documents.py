"""Sessions as the index and recall see them: messages and digests in the shape of observations.

A message is an observation of the category `request` or `answer`, a digest one of the category
`session`: so all that searches, ranks and words memories does so for sessions too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from tantivy import Document

from store.model import CHANGED, REMOVED, UNDATED, Location, Observation
from store.records import compact_json, first_line, to_record
from store.search.schema import Indexable, digest_of, hashed, to_document
from store.sessions.model import Passage, SessionDigest

SESSION = "session"
"""The category of a digest."""
FILES = "files"
"""Key in `extra` of a message: the files changed right after it."""
READ, CREATED = "read", "created"
"""Keys in `extra` of a digest: the files that the session read, with counts, and made."""
PROJECT = "project"
"""Key in `extra` of a digest: the folder of the session's project, in a list of one."""

_HEADS = ("```", "~~~", "# ", "## ", "### ", "#### ")


def message_id(session_id: str, message: Passage) -> str:
    """The id of a message: its session's, its line, and the passage where it is not the first."""
    part = f".{message.part}" if message.part else ""
    return f"{session_id}#{message.line}{part}"


def session_of(identifier: str) -> str:
    """Return the session that the id of a message names, whose own may have a `#` too; any other id
    as it is.
    """
    session, mark, _ = identifier.rpartition("#")
    return session if mark else identifier


def message_observations(
    digest: SessionDigest, messages: Sequence[Passage]
) -> Iterator[Observation]:
    at = digest.started or ended(digest)
    for message in messages:
        at = message.at or at
        yield Observation(
            agent=digest.agent or "agent",
            issue_number=digest.issue,
            category=message.role,
            content=message.text,
            id=message_id(digest.id, message),
            summary=_summary(message.text),
            tokens=-(-len(message.text) // 4),
            timestamp=at,
            session_id=digest.id,
            tags=(digest.branch,) if digest.branch else (),
            extra={FILES: list(message.files)} if message.files else {},
        )


def _summary(text: str) -> str:
    """Return the first line of a message that means something by itself, else its first."""
    telling = (line for line in text.splitlines() if not _is_opening(line.strip()))
    return first_line("\n".join(telling)) or first_line(text)


def _is_opening(line: str) -> bool:
    """Return whether the line opens what follows: a fence, a heading, a line in bold, a rule."""
    is_bold = line.startswith("**") and line.rstrip(":").endswith("**") and line.count("**") == 2
    return is_bold or line.startswith(_HEADS) or not any(map(str.isalnum, line))


def digest_observation(digest: SessionDigest) -> Observation:
    """Return a digest as it is injected: what was asked, done, decided, and how it ended."""
    text = digest_text(digest)
    return Observation(
        agent=digest.agent or "agent",
        issue_number=digest.issue,
        category=SESSION,
        content=text,
        id=digest.id,
        summary=first_line(digest.asked[0] if digest.asked else text),
        tokens=-(-len(text) // 4),
        timestamp=ended(digest),
        session_id=digest.id,
        tags=(digest.branch,) if digest.branch else (),
        extra={
            CHANGED: dict(digest.changed),
            READ: dict(digest.read),
            CREATED: list(digest.created),
            REMOVED: list(digest.removed),
            PROJECT: [digest.project] if digest.project else [],
        },
    )


def ended(digest: SessionDigest) -> datetime:
    """When a session ended, as far as its file has times."""
    return digest.ended or digest.started or UNDATED


def digest_text(digest: SessionDigest) -> str:
    """Return a digest in lines: asked, decided, failed, changed, last."""
    lines = []
    if digest.asked:
        lines.append("asked: " + " | ".join(digest.asked[:3]))
    lines += [f"decided: {text}" for text in digest.decided]
    lines += [f"failed: {text}" for text in digest.failed[:3]]
    if digest.changed:
        lines.append("changed: " + ", ".join(list(digest.changed)[:8]))
    if digest.last:
        lines.append("ended: " + digest.last)
    return "\n".join(lines)


def session_key_of(session_id: str) -> int:
    """Return the number by which everything of a session is found."""
    return hashed(session_id)


def document_of(observation: Observation, place: int) -> Document:
    text = compact_json(to_record(observation))
    digest = digest_of(text, Location.ISSUE, observation.issue_number, None)
    session = session_key_of(observation.session_id)
    return to_document(
        Indexable(
            observation=observation,
            text=text,
            location=Location.ISSUE,
            place=place,
            digest=digest,
            recalls=None,
            session=session,
        )
    )
