"""What a recall makes of memories whose code is gone or was moved."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.store.drift.made import Made

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
PROMPT = "what to call when the queue ends"


def test_a_memory_is_marked_once_its_name_is_gone_from_the_tree(tmp_path: Path) -> None:
    made = Made(tmp_path)
    with made.open() as memory:
        memory.store([made.memory("Call `drain_all()` when the queue ends.")])

        def told() -> str:
            return memory.recall.plan(task=PROMPT).text

        assert "gone from the code" not in told(), "nothing is known yet"
        memory.drift.refresh()
        assert "gone from the code" not in told()
        made.edit("shop/queue.py", "drain_all", "drain")
        os.utime(made.root / "shop/queue.py", ns=(2**62, 2**62))
        assert "gone from the code" not in told(), "the tree is not read for a recall"
        memory.drift.refresh()
        assert "(names drain_all: gone from the code) Call" in told()


def test_moved_paths_are_told_as_they_are_now(tmp_path: Path) -> None:
    made = Made(tmp_path)
    with made.open() as memory:
        memory.store([made.memory("What to call when the queue ends is in shop/queue.py.")])
        made.git("mv", "shop/queue.py", "shop/lines.py")
        made.commit()
        memory.drift.refresh()
        told = memory.recall.plan(task=PROMPT).text
        assert "is in shop/lines.py." in told
        assert "shop/queue.py" not in told
