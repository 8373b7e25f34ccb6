"""Conversations with agents: listed, read, indexed, kept at checkpoints."""

from typing import TYPE_CHECKING

from store.lazy import offered

if TYPE_CHECKING:
    from store.sessions.checkpoint import AGENT, USER, Checkpoint, Said, recovery_lines, said_in
    from store.sessions.conversation import (
        Conversation,
        Entry,
        EntryKind,
        Outcome,
        line_of,
        session_named,
        shown_output,
    )
    from store.sessions.documents import ended, session_of
    from store.sessions.indexing import GoesOn, IndexReport
    from store.sessions.listing import Listed, narrowed
    from store.sessions.model import REQUEST, SessionDigest
    from store.sessions.session_file import read_end
else:
    __getattr__ = offered(
        __name__,
        {
            "store.sessions.checkpoint": "AGENT USER Checkpoint Said recovery_lines said_in",
            "store.sessions.conversation": (
                "Conversation Entry EntryKind Outcome line_of session_named shown_output"
            ),
            "store.sessions.documents": "ended session_of",
            "store.sessions.listing": "Listed narrowed",
            "store.sessions.model": "REQUEST SessionDigest",
            "store.sessions.session_file": "read_end",
            "store.sessions.indexing": "GoesOn IndexReport",
        },
    )
