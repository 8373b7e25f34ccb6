"""What several threads ask for at once is made once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event

from store.platform.lazy_property import lazy_property


class Slow:
    """Something whose part takes until others have asked for it too."""

    def __init__(self) -> None:
        self.made: list[object] = []
        self.asked = Event()

    @lazy_property
    def part(self) -> object:
        self.made.append(object())
        self.asked.wait(0.2)
        return self.made[-1]


def test_two_threads_get_the_same() -> None:
    slow = Slow()
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda _: slow.part, range(4)))
    assert len(slow.made) == 1
    assert found == slow.made * 4
