"""The lock, the log and the named texts in a folder of files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from store.backends.activity import RecallLog
from store.backends.files import activity
from store.backends.files.layout import GITIGNORE, IGNORE_ALL, QUARANTINE
from store.backends.files.locks import StoreLock, memory_is_gone
from store.backends.log_summary import COUNTED, LogSummary
from store.backends.protocol import LogStamp, Shortened
from store.backends.text_kinds import TextKind, check_text_name, expired_before, text_path
from store.backends.user_data import other_place
from store.errors import NotFound, StoreError, Unreadable, WriteFailed
from store.platform.read import read_bytes, stamp_of
from store.platform.write import make_folder, remove_file, replace_derived, replace_durably
from store.records import format_time

_PART_AGE = timedelta(days=30)
"""How long the log's file is written to, so that entries can expire by age."""
_AT_ONCE = 8_000_000
"""Bytes of the log that are taken into its summary at once, where a session may be waiting."""


class KeptFiles:
    """The half of a backend that keeps log and texts as files of one folder."""

    finds_ids = False

    def __init__(self, folder: Path, clock: Callable[[], datetime] | None = None) -> None:
        self._folder = folder
        self._clock = clock or (lambda: datetime.now(UTC))
        self._lock = StoreLock(folder)
        self._recalls = RecallLog(self)
        self._has_looked = False
        self._is_begun = folder.is_dir()

    def begin(self) -> None:
        """Make the folder where there is none.

        Raises `WriteFailed` where a memory is gone, or in the project's other place: what is
        written would begin another one here, which hides the one that was moved.
        """
        was_begun = self._is_begun  # looked at first: another thread may begin it meanwhile
        if self._folder.is_dir():
            return
        if other := other_place(self._folder):
            raise WriteFailed(
                f"The memory of this project is in {other} now.",
                "Try again, or start the app again.",
            )
        if was_begun:
            raise memory_is_gone(self._folder)
        from store.backends.placement import prepare_to_begin  # a memory begins once

        make_folder(self._folder)
        prepare_to_begin(self._folder)
        self._is_begun = True

    def together(self) -> AbstractContextManager[None]:
        return nullcontext()

    def log_counted(self, counted: Mapping[str, str]) -> None:
        """Say in the log up to when records count its recalls, for its summary.

        Where that fails the records stand all the same, and count rightly as long as the log does.
        """
        line = {"type": COUNTED, "timestamp": format_time(self._clock()), "counted": counted}
        with suppress(StoreError):
            self.append_activity(line)

    def append_activity(self, entry: Mapping[str, Any]) -> bool:
        # Its file is set aside once it is large or old.
        begun = activity.append_activity(self._folder, entry)
        if self._has_looked:
            return begun
        self._has_looked = True
        try:
            old = activity.set_aside_old(self._folder, self._clock(), _PART_AGE)
            return begun or old or activity.is_behind(self._folder)
        except StoreError:  # the entry stands; settling meets what is wrong, and says so
            return True

    def activity_lines(self, start: int = 0, most: int = -1) -> tuple[list[bytes], int]:
        return activity.activity_lines(self._folder, start, most)

    def activity_backwards(self) -> Iterator[bytes]:
        return activity.activity_backwards(self._folder)

    def activity_count(self) -> int:
        return activity.count_lines(self._folder)

    def activity_stamp(self) -> LogStamp:
        return activity.activity_stamp(self._folder)

    def activity_summary(self, *, complete: bool = False) -> LogSummary:
        if complete:
            return activity.bring_up(self._folder)
        return activity.load_summary(self._folder)

    def settle_activity(self, now: datetime, keep: timedelta, most: int) -> Shortened | None:
        activity.bring_up(self._folder, _AT_ONCE)
        return activity.shorten(self._folder, now, keep, most)

    def keep(
        self,
        kind: TextKind,
        name: str,
        data: bytes,
        *,
        durable: bool = True,
        private: bool = False,
    ) -> None:
        path = self._text_file(kind, name)
        self.begin()
        make_folder(path.parent)
        ignore = path.with_name(GITIGNORE)
        if private and not ignore.exists():
            replace_derived(ignore, IGNORE_ALL, self._folder)
        replace = replace_durably if durable else replace_derived
        replace(path, data, self._folder)

    def kept(self, kind: TextKind, name: str) -> bytes:
        try:
            return read_bytes(self._text_file(kind, name), self._folder)
        except FileNotFoundError as error:
            raise NotFound(f"{name!r} not found in {kind}.", "It may have expired.") from error

    def names(self, kind: TextKind) -> list[str]:
        place = self._folder / kind
        try:
            files = os.listdir(place)
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            raise Unreadable(
                f"The folder {place} can't be listed: {error.strerror}.", "Check its permissions."
            ) from error
        ending = text_path(kind, "").removeprefix(f"{kind}/")
        texts = (name for name in files if name.endswith(ending) and not name.startswith("."))
        return [name.removesuffix(ending) for name in texts]

    def text_stamps(self, kind: TextKind) -> Mapping[str, str]:
        stamps = {name: stamp_of(self._text_file(kind, name)) for name in self.names(kind)}
        return {name: " ".join(map(str, stamp)) for name, stamp in stamps.items() if stamp}

    def forget(self, kind: TextKind, name: str) -> None:
        remove_file(self._text_file(kind, name), self._folder)

    def expire(
        self, kind: TextKind, now: datetime, keep: timedelta, most: int, newest: str
    ) -> None:
        just_kept = stamp_of(self._text_file(kind, newest)) if newest else None
        most -= just_kept.size if just_kept is not None else 0
        paths = (self._text_file(kind, name) for name in self.names(kind) if name != newest)
        stamps = [(stamp, path) for path in paths if (stamp := stamp_of(path)) is not None]
        times = (datetime.fromtimestamp(stamp.mtime / 1e9, UTC) for stamp, _ in stamps)
        before = expired_before(now, times, keep)
        limit = before.timestamp() * 1e9 if before is not None else 0
        for stamp, path in sorted(stamps, key=lambda pair: -pair[0].mtime):
            most -= stamp.size
            if stamp.mtime < limit or most < 0:
                path.unlink(missing_ok=True)

    def set_aside(self) -> Iterator[tuple[str, bytes]]:
        try:
            paths = sorted((self._folder / QUARANTINE).iterdir())
        except OSError:
            return
        for path in paths:
            with suppress(OSError, Unreadable):
                yield f"{QUARANTINE}/{path.name}", read_bytes(path, self._folder)

    def _text_file(self, kind: TextKind, name: str) -> Path:
        """Return the file of a text. Raises `NotFound` for a name that would lead elsewhere."""
        check_text_name(kind, name)
        return self._folder / text_path(kind, name)
