"""Errors of the store: each a sentence of what is wrong, and a hint at what to do."""

from __future__ import annotations

from collections.abc import Sequence

from store.notice import Notice


class StoreError(Exception):
    """Something the store could not do. `hint` is what the user can do next.

    `notes` are why, where that is also shown where nothing fails.
    """

    def __init__(self, message: str, hint: str = "", notes: tuple[Notice, ...] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.notes = notes

    @property
    def full_message(self) -> str:
        """The message, then the hint."""
        return f"{self.message} {self.hint}".strip()


class InvalidObservation(StoreError):
    """An observation or another argument is not valid (the caller's mistake)."""


class InvalidSetting(StoreError):
    """A value that a setting does not accept."""


class InvalidQuery(StoreError):
    """A query that is not understood in full, where that would change or export too much."""


def refuse(mistakes: Sequence[InvalidObservation]) -> None:
    """Raise `InvalidObservation` with the sentences and the hints of all, where there are any."""
    if mistakes:
        raise InvalidObservation(
            " ".join(mistake.message for mistake in mistakes),
            " ".join(dict.fromkeys(mistake.hint for mistake in mistakes if mistake.hint)),
        )


class NotFound(StoreError):
    """No memory, session or other thing has this id or name."""


class AmbiguousId(StoreError):
    """The end of an id matches more than one observation."""


class MemoryOff(StoreError):
    """The user's settings turn memory off for this project."""


class NoMemory(StoreError):
    """There is no memory at this place."""


class ReadOnly(StoreError):
    """The store can be read but not written."""


class LockTimeout(StoreError):
    """Another program held the lock for too long; `on` is what it locked."""

    def __init__(self, message: str, hint: str = "", on: str = "memory") -> None:
        super().__init__(message, hint)
        self.on = on


class WriteFailed(StoreError):
    """A file could not be written; the old content is intact."""


class NotReached(WriteFailed):
    """A database that does not answer who writes; nothing was written."""


class NotSynced(WriteFailed):
    """A file was written, but the disk did not confirm it: a power cut may take that back."""


class Unreadable(StoreError):
    """A file of the store that can't be read as what it should be. It is kept as it is."""


class Unopened(Unreadable):
    """A file that can't be opened right now; a later try may succeed."""


class Away(Unopened):
    """A database that does not answer; the local index still has its memories."""


class ProgramFailed(StoreError):
    """A program that was to do something could not be run, failed, or took too long."""


class Conflict(StoreError):
    """The target of a plan or an undo has changed since; it is left unchanged."""
