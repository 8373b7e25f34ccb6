"""Observations written for a prompt, as a recall would write them."""

from __future__ import annotations

from pathlib import Path

import pytest

from store import Memory, Observation
from store.errors import NotFound
from tests.store.factories import NOW


def test_a_block_tells_what_was_chosen_and_records_nothing(tmp_path: Path) -> None:
    memory = Memory(tmp_path / "memory", cache=tmp_path / "cache", clock=lambda: NOW)
    memory.store(
        [
            Observation(
                agent="engineer",
                issue_number=29,
                category="decision",
                content=f"Choice {number}.\n\n```\n\x1b[31mred\n```",
                id=f"obs-engineer-29-1-abc{number}",
            )
            for number in range(3)
        ]
    )
    log = (memory.path / "activity.jsonl").read_bytes()
    block = memory.recall.prompt_block(["abc2", "abc0"])
    assert "Choice 2." in block and "Choice 0." in block and "Choice 1." not in block
    assert "decision #29 engineer" in block
    assert "````" in block and "\x1b" not in block
    assert (memory.path / "activity.jsonl").read_bytes() == log
    assert memory.recall.prompt_block([]) == ""
    with pytest.raises(NotFound):
        memory.recall.prompt_block(["nowhere"])
