"""Names of code that a memory has and the working tree no longer."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from store import open_memory
from store.backends.location import FOLDER
from store.recall.code_names import NOTHING_KNOWN, CodeNames, index_names, load_names
from tests.store.recall.makers import observation

TREE = CodeNames({"drain_all", "LockTimeout", "wait"}, {"store/lock.py", "docs/index.md"})


@pytest.mark.parametrize(
    ("content", "gone", "share"),
    [
        ("Call `drain_all()` before `LockTimeout`.", (), 0.0),
        ("Call `drain_one()` before `drain_all()`.", ("drain_one",), 0.5),
        (
            "`lock.WaitLong` in store/lock.py and store/gate.py",
            ("WaitLong", "store/gate.py"),
            2 / 3,
        ),
        ("Run `mise run test` and `just` or plain words like drain_one.", (), 0.0),
        ("Removed `drain_one()`: it never ended.", (), 0.0),
        ("See other/place.py.", (), 0.0),
    ],
    ids=["known", "one of two", "of a part, and a path", "no names", "tells so", "elsewhere"],
)
def test_what_the_tree_no_longer_has_is_gone(
    content: str, gone: tuple[str, ...], share: float
) -> None:
    found, of_all = TREE.gone(observation(content))
    assert (found, round(of_all, 3)) == (gone, round(share, 3))
    assert NOTHING_KNOWN.gone(observation(content)) == ((), 0.0)


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_a_memory_is_marked_once_its_name_is_gone_from_the_tree(tmp_path: Path) -> None:
    root, cache = tmp_path / "shop", tmp_path / "cache"
    root.mkdir()
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    code = root / "queue.py"
    code.write_text("def drain_all(): ...\n")
    with open_memory(root / FOLDER, cache=cache) as memory:
        memory.store([observation("Call `drain_all()` when the queue ends.")])

        def told() -> str:
            return memory.recall.plan(task="what to call when the queue ends").text

        assert "gone from the code" not in told(), "nothing is known yet"
        assert memory.recall.index_code_names()
        assert not memory.recall.index_code_names(), "nothing changed"
        assert "gone from the code" not in told()
        code.write_text("def drain(): ...\n")
        os.utime(code, ns=(2**62, 2**62))
        assert "gone from the code" not in told(), "the tree is not read for a recall"
        assert memory.recall.index_code_names()
        assert "(names drain_all: gone from the code) Call" in told()


def test_without_a_repository_nothing_is_known(tmp_path: Path) -> None:
    (tmp_path / "queue.py").write_text("def drain_all(): ...\n")
    assert not index_names(tmp_path / "cache", tmp_path)
    assert load_names(tmp_path / "cache", [tmp_path]) == NOTHING_KNOWN
