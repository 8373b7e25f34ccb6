"""SPEC-29's scenario T10: ten thousand observations are searched in less than 200 ms."""

from __future__ import annotations

import time
from datetime import timedelta
from pathlib import Path

import pytest

from tests.store.factories import NOW, make_memory, observation

WORDS = "lock manifest retry budget cache schema invoice login palette webhook".split()


@pytest.mark.long
def test_ten_thousand_observations_are_searched_in_time(tmp_path: Path) -> None:
    with make_memory(tmp_path) as memory:
        for issue in range(20):
            memory.store(
                [
                    observation(
                        f"{WORDS[number % 10]} {WORDS[number // 10 % 10]} case {number} of {issue}",
                        issue_number=issue,
                        timestamp=NOW - timedelta(hours=number),
                    )
                    for number in range(500)
                ]
            )
        memory.index.refresh()
        took = []
        for word in WORDS:
            began = time.process_time()
            found = memory.search(f"{word} case", 20)
            took.append(time.process_time() - began)
            assert found.total >= 1_000 and len(found.hits) == 20
    assert sorted(took)[len(took) // 2] < 0.2
