"""One size of store, laid out once, that all measurements of that size share."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from itertools import count
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Self

from store import open_memory
from store.model import Observation
from tests.bench.generate import NOW, Session, observations_of, sessions, write_store
from tests.bench.words import CONTENT_WORDS, identifiers

ROOT = Path(__file__).parents[2]
_NEW = 10_000_000
"""Sessions and issues from this number on are none of the laid out store; each part has as many."""
_USUAL = (2, 4)
"""Sessions of ten that a usual issue has, at least and at most."""
_LARGE = 100_000


class World:
    """A generated store of `size` observations, its memory, and what to ask of it.

    It is laid out in `root` where it does not stand yet; another `part`, of another process, goes
    on with what stands there, and stores other things. `quick` worlds take one sample of
    everything: to see that the bench works, not to measure.
    """

    def __init__(self, size: int, root: Path, *, part: int = 0, quick: bool = False) -> None:
        self.size = size
        self.root = root
        self.user_cache = root / "user-cache"
        self.cache = self.user_cache / "memtui"
        self.folder = root / "project" / ".agentx" / "memory"
        if not self.folder.exists():
            write_store(self.folder, size)
        self.random = Random(size)
        self.is_quick = quick
        self._new_sessions = count((1 + part) * _NEW)
        self._new_issues = count((1 + part) * _NEW)
        self._sessions = sessions(size)
        self.memory = open_memory(self.folder, cache=self.cache)
        self.memory.index.refresh()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.memory.close()

    @property
    def environment(self) -> dict[str, str]:
        """The variables with which a program of this checkout finds the memory and its index."""
        return {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "XDG_CACHE_HOME": str(self.user_cache),
            "MEMTUI_DIR": str(self.folder),
        }

    @property
    def is_large(self) -> bool:
        """Whether it is there for the curve only, what is slow left out."""
        return self.size > _LARGE

    def runs(self, wanted: int, *, large: int | None = None) -> int:
        """How many samples to take of what is worth `wanted`, or `large` in a large world."""
        if self.is_large and large is not None:
            wanted = large
        return min(1, wanted) if self.is_quick else wanted

    def warm_up(self, wanted: int) -> int:
        """How many samples to take before those that count."""
        return 0 if self.is_quick else wanted

    def rest(self, wanted: float) -> float:
        """How many seconds to leave a program alone before it is weighed."""
        return wanted / 10 if self.is_quick else wanted

    def observations(self) -> Iterator[Observation]:
        """What the store held when it was laid out."""
        for session in self._sessions:
            yield from observations_of(session)

    def batch(self, issue: int, size: int = 10) -> list[Observation]:
        """New observations of one session, none of which was ever stored."""
        session = Session(next(self._new_sessions), "engineer", issue, NOW, size)
        return list(observations_of(session))

    def new_issue(self, size: int = 30) -> int:
        """A new issue that holds `size` observations, laid out and not yet settled."""
        issue = next(self._new_issues)
        self.memory.store(self.batch(issue, size))
        return issue

    def usual_issue(self) -> int:
        """An issue of about thirty observations."""
        return self.random.choice(self._usual_issues)

    def any_id(self) -> str:
        """The id of one of the laid out observations."""
        return next(observations_of(self.random.choice(self._sessions))).id

    def queries(self, number: int = 25) -> list[str]:
        """Queries of one to three words, in some of them the name of something in code."""
        made = []
        for _ in range(number):
            words = self.random.choices(CONTENT_WORDS, k=self.random.randint(1, 3))
            if self.random.random() < 0.3:
                words.append(self.random.choice(identifiers()[:80]))
            made.append(" ".join(words))
        return made

    def tasks(self, number: int) -> list[str]:
        """What sessions are asked to do: a sentence of five to twelve words."""
        return [
            " ".join(self.random.choices(CONTENT_WORDS, k=self.random.randint(4, 11)))
            + f" in {self.random.choice(identifiers()[:80])}"
            for _ in range(number)
        ]

    def typed_keys(self, number: int = 25) -> list[str]:
        """What stands in the search box after each key of some queries."""
        return [
            query[:end]
            for query in self.queries(self.runs(number))
            for end in range(1, len(query) + 1)
            if query[end - 1] != " "
        ]

    def another(self, name: str) -> Path:
        """The store as it was laid out, whatever was written since; to be changed without harm."""
        return write_store(self.root / name / ".agentx" / "memory", self.size)

    @cached_property
    def _usual_issues(self) -> list[int]:
        held: dict[int, int] = {}
        for session in self._sessions:
            held[session.issue] = held.get(session.issue, 0) + 1
        usual = [i for i, sessions in held.items() if i and _USUAL[0] <= sessions <= _USUAL[1]]
        return usual or sorted(held)


@contextmanager
def world_of(size: int, *, quick: bool = False) -> Iterator[World]:
    """A world in a temporary folder, with a cache folder of its own."""
    with (
        TemporaryDirectory(prefix="memtui-bench-") as folder,
        World(size, Path(folder), quick=quick) as world,
    ):
        yield world
