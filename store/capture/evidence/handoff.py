"""Handoff: where a session broke off, with what was still open; of one that ended, none."""

from __future__ import annotations

from collections.abc import Iterator

from store.agents.session import Session
from store.agents.session_end import last_messages, left_open
from store.agents.transcript import Speaker
from store.capture.candidate import Candidate, passage_of
from store.capture.work import Reading
from store.model import Category
from store.text.shortening import opening

_TAGS = ("auto-handoff", "session-close")
"""The tags by which a vault's own program knows its handoffs."""
_DONE = 260
"""Characters of what is done."""


def find(reading: Reading) -> Iterator[Candidate]:
    """Yield the note that lets one continue, of a session that ended in the midst of its work; in
    a vault of any session, as the vault's own program leaves it.
    """
    session = reading.session
    if reading.in_vault and reading.is_over and session.messages:
        spoken = [
            ("user" if message.speaker is Speaker.USER else "agent", message.text)
            for message in session.messages
        ]
        found = reading.from_message(session.messages[-1], Category.HANDOFF, last_messages(spoken))
        yield found._replace(tags=_TAGS)
        return
    if not reading.is_over or not session.steps or not _is_broken_off(session):
        return
    left = left_open(session)
    if not left:
        return
    asked = [work.title for work in reading.works if work.title]
    answers = [message for message in session.messages if message.speaker is Speaker.AGENT]
    done = opening(answers[-1].text, 80, _DONE) if answers else ""
    parts = [f"Asked: {asked[-1]}"] if asked else []
    parts += [f"Last said: {done}"] if done else []
    parts += [f"Open: {part}" for part in left]
    parts += [f"Where: branch {session.branch}"] if session.branch else []
    yield Candidate(
        category=Category.HANDOFF,
        content="\n".join(parts),
        summary=f"Open: {left[0]}",
        line=answers[-1].line if answers else session.steps[-1].call.line,
        at=session.ended,
        passage=passage_of(answers[-1].text if answers else left[0]),
    )


def _is_broken_off(session: Session) -> bool:
    """Return whether a session ended after a tool call, or with a message that nobody answered."""
    last = session.messages[-1] if session.messages else None
    return last is None or last.speaker is Speaker.USER or session.has_gone_on_after(last)
