"""The searches before: walked through in the search box, and kept in a file for each memory."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from store.platform.home import is_nowhere, user_folder

MOST = 100
"""Searches that are kept; the oldest go first."""
_LONGEST = 1_000


def history_file(memory: Path) -> Path | None:
    """File of the searches of a memory; None for a user without a home."""
    folder = user_folder("state") / "searches"
    name = sha256(str(memory).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return None if is_nowhere(folder) else folder / f"{name}.json"


def read_searches(file: Path) -> list[str]:
    """Return the searches in a file, oldest first; none where it can't be read."""
    with suppress(OSError, ValueError, RecursionError):
        found = json.loads(file.read_text(encoding="utf-8"))
        if isinstance(found, list):
            return [search for search in found if isinstance(search, str)][-MOST:]
    return []


def write_searches(file: Path, searches: list[str]) -> None:
    """Keep searches. Where that can't be done they last as long as the app, without a message."""
    temporary = file.with_name(f".{file.name}.{os.getpid()}.tmp")
    with suppress(OSError):
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(temporary, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="replace") as out:
            json.dump(searches, out)
        temporary.replace(file)


class SearchHistory:
    """Earlier searches; walking back begins at the newest and ends where one types."""

    def __init__(self) -> None:
        self.searches: list[str] = []
        self._at: int | None = None
        self._typed = ""

    def learn(self, searches: list[str]) -> None:
        self.searches = _once([*searches, *self.searches])

    def add(self, text: str) -> bool:
        self._at = None
        text = text.strip()
        if not text or len(text) > _LONGEST or self.searches[-1:] == [text]:
            return False
        self.searches = _once([*self.searches, text])
        return True

    def back(self, shown: str) -> str | None:
        """Return the search before the one that is `shown`; None where there is none."""
        if self._at is None or self.searches[self._at] != shown:
            at, typed = len(self.searches), shown
        else:
            at, typed = self._at, self._typed
        before = next((i for i in range(at - 1, -1, -1) if self.searches[i] != shown), None)
        if before is None:
            return None
        self._at, self._typed = before, typed
        return self.searches[before]

    def forth(self, shown: str) -> str | None:
        """The search after the one that is `shown`, at last what was typed; None elsewhere."""
        if self._at is None or self.searches[self._at] != shown:
            return None
        self._at += 1
        if self._at < len(self.searches):
            return self.searches[self._at]
        self._at = None
        return self._typed


def _once(searches: list[str]) -> list[str]:
    return list(dict.fromkeys(reversed(searches)))[:MOST][::-1]
