"""The checkpoints of a memory: kept by agent and session, seven days, never in git."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime

from store.backends.protocol import Backend
from store.backends.text_kinds import TextKind
from store.errors import NotFound, StoreError, Unopened, Unreadable
from store.records import compact_json
from store.sessions.checkpoint import VALID, Checkpoint, from_record, is_valid, to_record
from store.sessions.record import loaded, text_name

_MOST_BYTES = 20_000_000
"""Bytes that all checkpoints may take; the oldest go first."""


class Checkpoints:
    """The checkpoints kept in one memory."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def write(self, checkpoint: Checkpoint) -> None:
        """Keep a checkpoint in place of the session's last one; those that expired are removed.

        Raises `ReadOnly`, `WriteFailed`.
        """
        name = _name(checkpoint.agent, checkpoint.chat_id)
        data = compact_json(to_record(checkpoint))
        # Written at every prompt: it outlives the agent's crash, and may be lost in a power cut.
        self._backend.keep(TextKind.CHECKPOINTS, name, data, durable=False, private=True)
        with suppress(StoreError, OSError):  # it is tried again with the next one
            self._backend.expire(
                TextKind.CHECKPOINTS, checkpoint.saved_at, VALID, _MOST_BYTES, name
            )

    def valid(self, now: datetime) -> list[Checkpoint]:
        """List the checkpoints that are still valid, newest first; remove the others where
        possible.

        One that can't be opened just now stays for the next time.
        """
        found = []
        try:
            names = self._backend.names(TextKind.CHECKPOINTS)
        except Unreadable:
            return []
        for name in names:
            try:
                checkpoint = self._read(name)
            except Unopened:
                continue
            if checkpoint is not None and is_valid(checkpoint, now):
                found.append(checkpoint)
            else:
                with suppress(StoreError):  # a memory that can't be written to keeps it
                    self._backend.forget(TextKind.CHECKPOINTS, name)
        return sorted(found, key=lambda it: (it.saved_at, it.chat_id), reverse=True)

    def _read(self, name: str) -> Checkpoint | None:
        """The checkpoint of a name; None where it is gone or none. Raises `Unopened`."""
        try:
            return from_record(loaded(self._backend.kept(TextKind.CHECKPOINTS, name)))
        except Unopened:
            raise
        except (NotFound, Unreadable, ValueError):
            return None


def _name(agent: str, chat_id: str) -> str:
    return text_name(f"{agent}-{chat_id}" if chat_id else agent)
