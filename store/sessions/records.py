"""The digests of a memory, each kept under its session's name, and the messages that may be kept
beside them: JSON lines, compressed.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from io import BytesIO

import orjson

from store.backends.protocol import Backend
from store.backends.text_kinds import TextKind
from store.errors import NotFound, Unopened, Unreadable
from store.operations.plan import TextChange
from store.platform.json_fields import strings
from store.records import time_field, time_or_none
from store.redaction.labels import clean_label
from store.redaction.outgoing import Outgoing
from store.redaction.walk import texts
from store.sessions.model import (
    ANSWER,
    REQUEST,
    Passage,
    SessionDigest,
    digest_bytes,
    digest_from_record,
    loaded,
    text_name,
)

_MOST_OF_DIGEST = 1 << 20
"""Bytes of a text that is still read as a digest; ours have 4 KB."""
_MOST_OF_MESSAGES = 64_000_000
"""Bytes of messages that are unpacked: of more, only the beginning is read."""
_FOR_EVER = timedelta(days=36_500)


class SessionRecords:
    """The digests kept in one memory. Reading skips what is no digest."""

    def __init__(self, backend: Backend, outgoing: Outgoing) -> None:
        self._backend = backend
        self._outgoing = outgoing
        self._known: dict[str, tuple[str, SessionDigest | None]] = {}

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
            return digest_from_record(loaded(data)) if len(data) <= _MOST_OF_DIGEST else None
        except Unopened:
            raise
        except (NotFound, Unreadable, ValueError):
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
            return next((digest for digest in self.all() if digest.id == session_id), None)
        return None

    def naming(self, session_id: str, memories: Iterable[str]) -> SessionDigest | None:
        """Return the digest of a session with memories captured from it; None without a digest.

        Raises `Unopened`.
        """
        known = self.of(clean_label(session_id))
        if known is None:
            return None
        return known._replace(memories=tuple(dict.fromkeys((*known.memories, *memories))))

    def all(self) -> Iterator[SessionDigest]:
        """Yield every digest that can be read, in no order, without secrets that others wrote."""
        for name, stamp in self.stamps().items():
            known = self._known.get(name)
            if known is None or known[0] != stamp:
                known = self._known[name] = stamp, self.shown(name)
            if known[1] is not None:
                yield known[1]

    def change_to(self, digest: SessionDigest) -> TextChange:
        """Return the change that keeps a digest. Raises `Unopened`."""
        name = text_name(digest.id)
        before = self.read(name)
        kept = None if before is None else loaded(digest_bytes(before))
        return TextChange(TextKind.SESSIONS, name, kept, loaded(digest_bytes(digest)))

    def write(self, digest: SessionDigest, *, shared: bool = False) -> str:
        """Keep a digest, durable when this returns: its name.

        `shared` leaves it to git. Raises `ReadOnly`, `WriteFailed`.
        """
        name = text_name(digest.id)
        self._backend.texts.keep(TextKind.SESSIONS, name, digest_bytes(digest), private=not shared)
        return name

    def messages(self, name: str) -> list[Passage]:
        """The messages that are kept beside the digest of a name; none where there are none."""
        try:
            return messages_from(self._backend.texts.read(TextKind.MESSAGES, name))
        except (NotFound, Unreadable):
            return []

    def write_messages(
        self, session_id: str, messages: Sequence[Passage], now: datetime, most: int
    ) -> None:
        """Keep the messages of a session on this machine, in at most so many bytes with those of
        others: the oldest go. Raises `ReadOnly`, `WriteFailed`.
        """
        name = text_name(session_id)
        data = messages_bytes(messages)
        self._backend.texts.keep(TextKind.MESSAGES, name, data, durable=False, private=True)
        self._backend.texts.expire(TextKind.MESSAGES, now, _FOR_EVER, most, name)

    def _cleaned(self, digest: SessionDigest) -> SessionDigest:
        """Return a digest as it may be shown; itself where it holds nothing to be cleaned."""
        return self._outgoing.clean_value(digest, tuple(texts(digest)))


def messages_bytes(messages: Iterable[Passage]) -> bytes:
    """Messages as they are kept; the same for the same messages."""
    lines = b"\n".join(orjson.dumps(_message_record(message)) for message in messages)
    return gzip.compress(lines, mtime=0)


def messages_from(data: bytes) -> list[Passage]:
    """Return the messages that are kept; what can't be read of them is left out."""
    try:
        with gzip.GzipFile(fileobj=BytesIO(data)) as packed:
            text = packed.read(_MOST_OF_MESSAGES)
    except (OSError, EOFError, zlib.error):
        return []
    found = []
    for line in text.split(b"\n"):
        try:
            record = orjson.loads(line)
        except orjson.JSONDecodeError:
            continue
        if isinstance(record, dict) and (message := _message(record)) is not None:
            found.append(message)
    return found


def _message_record(message: Passage) -> dict[str, object]:
    record: dict[str, object] = {
        "line": message.line,
        "role": message.role,
        "text": message.text.encode("utf-8", "replace").decode(),
        "at": time_field(message.at),
        "part": message.part,
        "files": [file.encode("utf-8", "replace").decode() for file in message.files],
    }
    return {key: value for key, value in record.items() if value}


def _message(record: Mapping[str, object]) -> Passage | None:
    line, text, files = record.get("line"), record.get("text"), record.get("files")
    part = record.get("part", 0)
    if not isinstance(line, int) or not isinstance(text, str) or not isinstance(part, int):
        return None
    role = ANSWER if record.get("role") == ANSWER else REQUEST
    return Passage(line, role, text, time_or_none(record.get("at")), part, strings(files))
