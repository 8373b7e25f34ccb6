"""Sessions in a recall: what was decided there, and their files."""

from __future__ import annotations

from pathlib import Path

import pytest

from store import Memory, open_memory
from store.agents.files import files_at
from tests.store.capture.transcripts import ClaudeCode


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    memory = open_memory(tmp_path / "memory", cache=tmp_path / "cache")
    one = ClaudeCode(session="s-lock").user("Mend the lock that hangs on Windows.")
    one.agent("The lock hangs as it waits for the manifest, so five retries are the limit.")
    one.edit("store/lock.py")
    two = ClaudeCode(session="s-parse").user("Rename the parser of pages.").edit("store/parse.py")
    for made in (one, two.agent("Renamed.")):
        (tmp_path / f"{made.session}.jsonl").write_text("\n".join(made.lines))
    memory.session_indexing.index(list(files_at(sorted(tmp_path.glob("*.jsonl")), "claude-code")))
    return memory


def test_files_are_told_for_a_task_and_not_for_a_question(memory: Memory) -> None:
    recall = memory.recall.plan(task="mend the lock that hangs", budget=2_000)
    assert [it.path for it in recall.files] == ["store/lock.py"]
    assert "store/lock.py 1 Mar" in recall.text
    for task in ("why does the lock hang on Windows?", "mend store/lock.py: the lock hangs"):
        assert not memory.recall.plan(task=task, budget=2_000).files


def test_files_that_are_gone(memory: Memory, tmp_path: Path) -> None:
    def told(memory: Memory) -> list[str]:
        tasks = ("mend the lock that hangs", "rename the parser of pages")
        return [
            it.path for task in tasks for it in memory.recall.plan(task=task, budget=2_000).files
        ]

    assert sorted(told(memory)) == ["store/lock.py", "store/parse.py"]
    (tmp_path / ".git").mkdir()
    there = open_memory(tmp_path / "memory", cache=tmp_path / "cache")
    assert len(told(there)) == 2, "nothing of these paths is here: they are of another place"
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / "parse.py").touch()
    assert told(there) == ["store/parse.py"]


def test_of_a_branch_the_last_session_is_told(tmp_path: Path) -> None:
    with open_memory(tmp_path / "memory", cache=tmp_path / "cache") as memory:
        for day in range(1, 15):
            branch = "locks" if day < 9 else "till"
            made = ClaudeCode(session=f"s-{day:02}", branch=branch).user(
                f"Mend the lock of till {day}."
            )
            path = tmp_path / f"s-{day:02}.jsonl"
            text = "\n".join(made.agent("Mended.").lines)
            path.write_text(text.replace("2026-03-01", f"2026-03-{day:02}"))
        paths = sorted(tmp_path.glob("s-*.jsonl"))
        memory.session_indexing.index(list(files_at(paths, "claude-code")))

        def told(branch: str) -> list[str]:
            return [it.observation.id for it in memory.recall.plan(branch=branch).included]

        assert told("locks") == ["s-08"]
        assert told("till") == ["s-14"]
        assert told("other") == []
        found = memory.recall.plan(task="continue", branch="locks", budget=500)
        assert "asked: Mend the lock of till 8." in found.text


def test_a_session_is_not_told_what_it_said_itself(memory: Memory) -> None:
    recall = memory.recall.plan(task="the lock hangs", budget=2_000, session_id="s-lock")
    assert "s-lock" not in {it.observation.session_id for it in recall.candidates}
    assert "store/lock.py" not in recall.text


def test_a_muted_session_stays_out(memory: Memory) -> None:
    recall = memory.recall.plan(task="the lock hangs", budget=2_000, muted=["s-lock"])
    assert not recall.included
