"""The sessions kept in a memory: digests, and the messages that may be kept with them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta

from store.backends.protocol import Backend
from store.backends.text_kinds import TextKind
from store.errors import NotFound, Unopened, Unreadable
from store.operations.plan import TextChange
from store.redaction.labels import clean_label
from store.redaction.outgoing import Outgoing
from store.redaction.walk import texts
from store.sessions.digest_record import digest_bytes, digest_from_record, load_record, text_name
from store.sessions.messages_record import messages_bytes, messages_from
from store.sessions.model import Passage, SessionDigest

_MOST_OF_DIGEST = 1 << 20
"""Bytes of a text that is still read as a digest; ours have 4 KB."""
_FOR_EVER = timedelta(days=36_500)


class SessionRecords:
    """The digests and messages kept in one memory. Reading skips what is no digest.

    `digests` cleans a digest again only after its stamp has changed.
    """

    def __init__(self, backend: Backend, outgoing: Outgoing) -> None:
        self._backend = backend
        self._outgoing = outgoing
        self._cleaned: dict[str, tuple[str, SessionDigest | None]] = {}

    def stamps(self) -> Mapping[str, str]:
        """Return the names of what may be a digest, each with what differs once it changed."""
        try:
            return self._backend.texts.stamps(TextKind.SESSIONS)
        except Unreadable:  # none that can be read: there are no digests
            return {}

    def read(self, name: str) -> SessionDigest | None:
        """Return the digest of a name; None where it is gone or is none.

        Raises `Unopened`: what can't be read just now may be there, and is not to be replaced.
        """
        try:
            data = self._backend.texts.read(TextKind.SESSIONS, name)
            return digest_from_record(load_record(data)) if len(data) <= _MOST_OF_DIGEST else None
        except Unopened:
            raise
        except (NotFound, Unreadable, ValueError):
            return None

    def read_cleaned(self, name: str) -> SessionDigest | None:
        """Return what `read` does, without secrets that others wrote; None too for what can't be
        opened.
        """
        try:
            digest = self.read(name)
        except Unopened:
            return None
        return digest and self._clean(digest)

    def digest_of(self, session_id: str) -> SessionDigest | None:
        """Return the digest of a session without secrets that others wrote; None without a digest.

        Raises `Unopened`.
        """
        digest = self.read(text_name(session_id))
        if digest is not None:
            return self._clean(digest)
        if session_id.startswith("["):  # the mark of a secret, for another's id
            return next((digest for digest in self.digests() if digest.id == session_id), None)
        return None

    def with_memories(self, session_id: str, memories: Iterable[str]) -> SessionDigest | None:
        """Return the digest of a session, naming memories too that were captured from it; None
        without a digest.

        Raises `Unopened`.
        """
        known = self.digest_of(clean_label(session_id))
        if known is None:
            return None
        return known._replace(memories=tuple(dict.fromkeys((*known.memories, *memories))))

    def digests(self) -> Iterator[SessionDigest]:
        """Yield every digest that can be read, in no order, without secrets that others wrote."""
        for name, stamp in self.stamps().items():
            cleaned = self._cleaned.get(name)
            if cleaned is None or cleaned[0] != stamp:
                cleaned = self._cleaned[name] = stamp, self.read_cleaned(name)
            if cleaned[1] is not None:
                yield cleaned[1]

    def change_to(self, digest: SessionDigest) -> TextChange:
        """Return the change that keeps a digest. Raises `Unopened`."""
        name = text_name(digest.id)
        before = self.read(name)
        kept = None if before is None else load_record(digest_bytes(before))
        return TextChange(TextKind.SESSIONS, name, kept, load_record(digest_bytes(digest)))

    def write(self, digest: SessionDigest, *, shared: bool = False) -> str:
        """Keep a digest, durable when this returns; return its name.

        `shared` leaves it to git. Raises `ReadOnly`, `WriteFailed`.
        """
        name = text_name(digest.id)
        self._backend.texts.keep(TextKind.SESSIONS, name, digest_bytes(digest), private=not shared)
        return name

    def messages(self, name: str) -> list[Passage]:
        """Return the messages kept with the digest of a name; none where there are none."""
        try:
            return messages_from(self._backend.texts.read(TextKind.MESSAGES, name))
        except (NotFound, Unreadable):
            return []

    def write_messages(
        self, session_id: str, messages: Sequence[Passage], now: datetime, most: int
    ) -> None:
        """Keep the messages of a session on this machine, in at most `most` bytes with those of
        other sessions: the oldest go. Raises `ReadOnly`, `WriteFailed`.
        """
        name = text_name(session_id)
        data = messages_bytes(messages)
        self._backend.texts.keep(TextKind.MESSAGES, name, data, durable=False, private=True)
        self._backend.texts.expire(TextKind.MESSAGES, now, _FOR_EVER, most, name)

    def _clean(self, digest: SessionDigest) -> SessionDigest:
        """Return a digest as it may be shown; itself where it holds nothing to be cleaned."""
        return self._outgoing.clean_value(digest, tuple(texts(digest)))
