"""The server is killed while several programs write: what was acknowledged is there, once."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from threading import Barrier, Event

import pytest

from store import open_memory
from store.errors import StoreError
from tests.postgres import kill, project_of, skip_unless_ours, start_again
from tests.store.factories import observation

_WRITERS = 4
_FIRST, _MORE = 3, 2
"""Writes of each before the server is killed, and those acknowledged once it is back."""
_MOST = 60.0
"""Seconds to wait for anything."""


@dataclass(slots=True)
class Fall:
    """One fall of the server, and what became of the writes around it."""

    name: str
    begun: Barrier = field(default_factory=lambda: Barrier(_WRITERS + 1))
    is_back: Event = field(default_factory=Event)
    acknowledged: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    def write(self, writer: int, url: str, cache: Path) -> None:
        """Write one memory after the other, each once, until enough are kept after the fall."""
        number, left, was_refused = 0, _MORE, False
        with open_memory(url, cache=cache) as memory:
            while left:
                said = f"{self.name}, writer {writer}, write {number}."
                try:
                    memory.store([observation(said, issue_number=1 + writer % 3)])
                except StoreError:
                    self.refused.append(said)
                    was_refused = self.is_back.wait(_MOST)
                else:
                    self.acknowledged.append(said)
                    left -= was_refused or self.is_back.is_set()
                number += 1
                if number == _FIRST:
                    self.begun.wait(_MOST)


@pytest.mark.parametrize("falls", [1, pytest.param(5, marks=pytest.mark.long)])
def test_what_was_acknowledged_is_there_once(postgres: str, tmp_path: Path, falls: int) -> None:
    skip_unless_ours(postgres)
    url = project_of(postgres)
    acknowledged: list[str] = []
    for number in range(falls):
        fall = Fall(f"Fall {number}")
        with ThreadPoolExecutor(_WRITERS) as writers:
            working = [
                writers.submit(fall.write, writer, url, tmp_path / f"cache-{writer}")
                for writer in range(_WRITERS)
            ]
            fall.begun.wait(_MOST)
            kill(postgres)
            start_again(postgres)
            fall.is_back.set()
            for each in working:
                each.result(_MOST)
        assert fall.refused
        acknowledged += fall.acknowledged
    with open_memory(url, cache=tmp_path / "fresh") as memory:
        kept = Counter(it.content for issue in (1, 2, 3) for it in memory.by_issue(issue))
    assert len(acknowledged) >= falls * _WRITERS * (_FIRST + _MORE)
    assert kept == Counter(acknowledged)
