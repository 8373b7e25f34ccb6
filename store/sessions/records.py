"""The digests of a memory, each kept under its session's name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from store.backends.protocol import Backend
from store.backends.text_kinds import TextKind
from store.errors import NotFound, Unopened, Unreadable
from store.records import InvalidRecord
from store.redaction.outgoing import Outgoing
from store.redaction.walk import texts
from store.sessions.messages import from_bytes as from_kept
from store.sessions.messages import to_bytes as to_kept
from store.sessions.model import Passage, SessionDigest
from store.sessions.record import as_bytes, as_kept, from_bytes, text_name

if TYPE_CHECKING:
    from store.operations.plan import TextChange

_MOST = 1 << 20
"""Bytes of a text that is still read as a digest; ours have 4 KB."""
_FOR_EVER = timedelta(days=36_500)


class SessionRecords:
    """The digests kept in one memory. Reading skips what is no digest, and says so."""

    def __init__(self, backend: Backend, outgoing: Outgoing) -> None:
        self._backend = backend
        self._outgoing = outgoing
        self._known: dict[str, tuple[str, SessionDigest | None]] = {}

    def stamps(self) -> Mapping[str, str]:
        """The names of what may be a digest, each with what differs once it changed."""
        try:
            return self._backend.text_stamps(TextKind.SESSIONS)
        except Unreadable:  # none that can be read: there are no digests
            return {}

    def read(self, name: str) -> SessionDigest | None:
        """The digest of a name; None where it is gone or is none.

        Raises `Unopened`: what can't be read just now may be there, and is not to be replaced.
        """
        try:
            data = self._backend.kept(TextKind.SESSIONS, name)
            return from_bytes(data) if len(data) <= _MOST else None
        except Unopened:
            raise
        except (NotFound, Unreadable, InvalidRecord):
            return None

    def shown(self, name: str) -> SessionDigest | None:
        """As `read`, without secrets that others wrote; None too for what can't be opened."""
        try:
            digest = self.read(name)
        except Unopened:
            return None
        return digest and self._cleaned(digest)

    def of(self, session_id: str) -> SessionDigest | None:
        """The digest of a session, as `all` has it; None where none is kept. Raises `Unopened`."""
        digest = self.read(text_name(session_id))
        if digest is not None:
            return self._cleaned(digest)
        if session_id.startswith("["):  # the mark of a secret, for another's id
            return next((each for each in self.all() if each.id == session_id), None)
        return None

    def all(self) -> Iterator[SessionDigest]:
        """Every digest that can be read, in no order, without secrets that others wrote."""
        for name, stamp in self.stamps().items():
            known = self._known.get(name)
            if known is None or known[0] != stamp:
                known = self._known[name] = stamp, self.shown(name)
            if known[1] is not None:
                yield known[1]

    def change_to(self, digest: SessionDigest) -> TextChange:
        """The change that keeps a digest. Raises `Unopened`."""
        from store.operations.plan import TextChange

        name = text_name(digest.id)
        before = self.read(name)
        kept = None if before is None else as_kept(before)
        return TextChange(TextKind.SESSIONS, name, kept, as_kept(digest))

    def write(self, digest: SessionDigest, *, shared: bool = False) -> str:
        """Keep a digest, durable when this returns: its name.

        `shared` leaves it to git. Raises `ReadOnly`, `WriteFailed`.
        """
        name = text_name(digest.id)
        self._backend.keep(TextKind.SESSIONS, name, as_bytes(digest), private=not shared)
        return name

    def messages(self, name: str) -> list[Passage]:
        """The messages that are kept beside the digest of a name; none where there are none."""
        try:
            return from_kept(self._backend.kept(TextKind.MESSAGES, name))
        except (NotFound, Unreadable):
            return []

    def write_messages(
        self, session_id: str, messages: Sequence[Passage], now: datetime, most: int
    ) -> None:
        """Keep the messages of a session on this machine, in at most so many bytes with those of
        others: the oldest go. Raises `ReadOnly`, `WriteFailed`.
        """
        name = text_name(session_id)
        data = to_kept(messages)
        self._backend.keep(TextKind.MESSAGES, name, data, durable=False, private=True)
        self._backend.expire(TextKind.MESSAGES, now, _FOR_EVER, most, name)

    def _cleaned(self, digest: SessionDigest) -> SessionDigest:
        """A digest as it may be shown; itself where it holds nothing to be cleaned."""
        return self._outgoing.clean_value(digest, tuple(texts(digest)))
