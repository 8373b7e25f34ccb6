"""What looks gone or the same and is not: branches, trees that lack files, names of elsewhere."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from store import Memory, open_memory
from store.backends.location import FOLDER
from store.model import Observation, Verdict
from tests.store.drift.made import Made

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
FILE = "shop/queue.py holds the queue."
Setting = Callable[[Made], object]


HOW = ("anchored", "by commit", "by time")


def of(made: Made, memory: Memory, content: str, how: str) -> Observation:
    """A memory that is compared by its anchor, by its commit, or by its time alone."""
    commit = {} if how == "by time" else {"commit": made.git("rev-parse", "HEAD").said.strip()}
    stored = made.memory(content, extra=commit)
    return memory.drift.anchored(stored) if how == "anchored" else stored


def nothing(made: Made) -> None: ...


def one_more_file(made: Made) -> None:
    made.write("shop/gate.py", "def open_gate(): ...\n")
    made.commit()


def on_the_commit_before(made: Made) -> None:
    made.git("checkout", "-q", "HEAD~1")


def ignored_file(made: Made) -> None:
    made.write(".gitignore", ".agentx/\ndist/\n")
    made.write("dist/bundle.js", "x\n")
    made.commit()


def ignored_files_cleaned(made: Made) -> None:
    shutil.rmtree(made.root / "dist")


def renamed_on_an_older_branch(made: Made) -> None:
    made.git("checkout", "-q", "-b", "topic")
    made.git("mv", "shop/queue.py", "shop/lines.py")
    edited_beside(made)


def edited_on_an_older_branch(made: Made) -> None:
    made.git("checkout", "-q", "-b", "topic")
    made.edit("shop/queue.py", "queue.pop()", "queue.popleft()")
    edited_beside(made)


def edited_beside(made: Made) -> None:
    """Commit, and on main a day later another file."""
    made.commit()
    made.git("checkout", "-q", "main")
    made.edit("shop/other.py", "return 3", "return 33")
    made.commit()


def merged(made: Made) -> None:
    made.git.date = "2026-01-09T12:00:00Z"
    made.git("merge", "-q", "--no-ff", "-m", "Merge topic", "topic")


def moved_by_hand(made: Made) -> None:
    (made.root / "shop/queue.py").rename(made.root / "shop/lines.py")


def sparse(made: Made) -> None:
    made.git("sparse-checkout", "set", "--no-cone", "/*", "!/shop/queue.py")


def copied_then_removed(made: Made) -> None:
    shutil.copy(made.root / "shop/queue.py", made.root / "shop/lines.py")
    made.commit()
    made.git("rm", "-q", "shop/queue.py")
    made.commit()


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize(
    ("before", "content", "after", "verdict"),
    [
        (ignored_file, "dist/bundle.js is shipped.", ignored_files_cleaned, Verdict.UNKNOWN),
        (renamed_on_an_older_branch, FILE, merged, Verdict.MOVED),
        (edited_on_an_older_branch, FILE, merged, Verdict.CHANGED),
        (nothing, FILE, moved_by_hand, Verdict.CURRENT),
        (nothing, FILE, sparse, Verdict.CURRENT),
        (nothing, FILE, copied_then_removed, Verdict.MOVED),
        (one_more_file, "shop/gate.py lets one in.", on_the_commit_before, Verdict.UNKNOWN),
        (one_more_file, "Call `open_gate()` first.", on_the_commit_before, Verdict.UNKNOWN),
        (nothing, "Use `find_by_id()` of `TaskStop`.", nothing, Verdict.UNKNOWN),
    ],
)
def test_what_only_looks_gone_or_the_same(
    before: Setting, content: str, after: Setting, verdict: Verdict, how: str, tmp_path: Path
) -> None:
    made = Made(tmp_path)
    before(made)
    with made.open() as memory:
        memory.add([of(made, memory, content, how)])
        memory.drift.refresh()
        after(made)
        if before is edited_on_an_older_branch and how == "by time":
            verdict = Verdict.CURRENT  # the session may have been on that branch
        assert made.verdict(memory).verdict is verdict


def test_a_memory_of_a_moved_file_can_be_confirmed(tmp_path: Path) -> None:
    made = Made(tmp_path)
    with made.open() as memory:
        memory.add([memory.drift.anchored(made.memory(FILE))])
        made.git("mv", "shop/queue.py", "shop/lines.py")
        made.commit()
        assert made.verdict(memory).verdict is Verdict.MOVED
        memory.apply(memory.drift.plan_holds([one.id for one in memory.by_issue(29)]))
        assert made.verdict(memory).verdict is Verdict.UNKNOWN


def test_paths_are_of_the_folder_whose_memory_names_them(tmp_path: Path) -> None:
    made = Made(tmp_path)
    for name in ("api", "web"):
        made.write(f"{name}/src/index.ts", f"export const {name} = 1\n")
    made.commit()
    with open_memory(made.root / "web" / FOLDER, cache=made.cache) as memory:
        memory.add([memory.drift.anchored(made.memory("src/index.ts exports it."))])
        assert made.verdict(memory).verdict is Verdict.CURRENT
        made.git("mv", "web/src/index.ts", "web/src/main.ts")
        made.commit()
        drift = made.verdict(memory)
        assert drift.moved == (("src/index.ts", "web/src/main.ts"),)
        memory.apply(memory.drift.plan_paths([one.id for one in memory.by_issue(29)]))
        assert made.verdict(memory).verdict is Verdict.CURRENT


@pytest.mark.parametrize("how", HOW)
def test_new_paths_leave_the_rest_as_it_was_judged(how: str, tmp_path: Path) -> None:
    made = Made(tmp_path)
    one_more_file(made)
    text = "shop/queue.py and shop/other.py; shop/gate.py, where `open_gate()` is."
    with made.open() as memory:
        memory.add([of(made, memory, text, how)])
        made.git("mv", "shop/queue.py", "shop/lines.py")
        made.edit("shop/other.py", "return 3", "return 33")
        made.commit()
        assert made.verdict(memory).verdict is Verdict.MOVED
        (stored,) = memory.by_issue(29)
        memory.apply(memory.drift.plan_paths([stored.id]))
        drift = made.verdict(memory)
        assert (drift.verdict, drift.changed) == (Verdict.CHANGED, ("shop/other.py",))
        made.git("rm", "-q", "shop/gate.py")
        made.commit()
        assert made.verdict(memory).gone == ("open_gate", "shop/gate.py")
        memory.apply(memory.drift.plan_paths([stored.id], {"shop/other.py": "shop/lines.py"}))
        drift = made.verdict(memory)
        assert (drift.gone, drift.changed) == (("open_gate", "shop/gate.py"), ())
