"""Levels that do not answer: a team's database that is down, or on a network that is far."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from hashlib import sha256

from store.errors import Away, StoreError
from store.platform.home import is_nowhere, user_folder
from store.platform.write import make_private, replace_derived
from store.records import format_time

_REST = 60.0
"""Seconds for which a level that does not answer is not asked again: it may take seconds not to,
and a hook has two.
"""


class Absence:
    """Since when a level does not answer, known to all programs of this machine."""

    def __init__(self, identity: str, clock: Callable[[], datetime] | None) -> None:
        digest = sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        self._path = user_folder("cache") / "away" / digest
        self._clock = clock or (lambda: datetime.now(UTC))
        self.since = ""
        """An ISO time; empty where it answers."""
        self._why = ""
        with suppress(OSError, ValueError):
            self.since, self._why = self._path.read_text("utf-8").split("\n", 1)

    def check(self) -> None:
        """Raise `Away` where it was asked just now. Who asks next notes that first: it may be
        stopped while it waits.
        """
        if not self.since:
            return
        with suppress(OSError):
            if time.time() - self._path.stat().st_mtime < _REST:
                raise Away(self._why)
            os.utime(self._path)

    def begin(self, why: str) -> None:
        """Note that it does not answer."""
        self.since, self._why = self.since or format_time(self._clock()), why
        folder = self._path.parent
        with suppress(OSError, StoreError):
            if not is_nowhere(folder):
                make_private(folder)
                replace_derived(self._path, f"{self.since}\n{self._why}".encode(), folder)

    def end(self) -> None:
        if self.since:
            self.since = ""
            with suppress(OSError):
                self._path.unlink(missing_ok=True)
