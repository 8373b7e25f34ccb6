"""`compact` and `prune`: shown first, applied, undone."""

from __future__ import annotations

from pathlib import Path

import pytest

from store import Observation, open_memory
from store.backends.location import FOLDER
from tests.memtui.cli.conftest import NOW, Run, observation

_SAME = "The lock on issue-29.json gives up after 5 seconds"


@pytest.fixture
def old(project: Path) -> Path:
    """A project whose issue 3 says the same thing three times, long ago."""
    texts = (f"{_SAME}.", f"{_SAME}!", f"{_SAME} .")
    with open_memory(project / FOLDER) as memory:
        memory.store(
            [
                observation(
                    40 + number,
                    issue_number=3,
                    content=text,
                    timestamp=NOW.replace(year=2025, day=number + 1),
                )
                for number, text in enumerate(texts)
            ]
        )
    return project


def held(project: Path, issue: int) -> list[Observation]:
    with open_memory(project) as memory:
        return memory.by_issue(issue)


@pytest.mark.parametrize("what", [["--issue", "3"], ["--stale"], ["--all"]])
def test_a_compaction_is_shown_applied_and_undone(memtui: Run, old: Path, what: list[str]) -> None:
    before = held(old, 3)
    dry = memtui("compact", *what, "--dry-run")
    assert "memories into" in dry.out.splitlines()[0]
    assert "characters into" in dry.out
    assert dry.out.count("  - obs-engineer-29") >= 3
    assert f"  + {_SAME}" in dry.out
    assert held(old, 3) == before
    done = memtui("compact", *what, "--yes")
    assert (done.code, "memories into" in done.out, "memtui undo" in done.err) == (0, True, True)
    assert len(held(old, 3)) == 1
    assert memtui("compact", *what, "--yes").err == "Nothing to do.\n"
    memtui("undo", "--yes")
    assert held(old, 3) == before
