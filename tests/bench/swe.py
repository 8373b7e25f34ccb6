"""Of the files that a later fix changed, how many the first ten that recall names hold.

    python -m tests.bench.swe FILE [--budget TOKENS]

FILE is a tar (xz) of real sessions by project, `PROJECT/NUMBER.jsonl`, and `tasks.json`: later
tasks with the problem's text and the files of their true fix. The sessions of a project are
captured in order of time into one memory, the number their issue; then each problem is recalled,
with no issue.
Counted: paths in the text, the first ten that are no tests. No order of what sessions touched names
more than their reach: those of the fix's files that some session changed or read.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

from store import Memory
from tests.bench.unpacked import captured, started, temporary_memory, unpacked

TEN = 10
BUDGET = 2_500
_PATH = re.compile(r"[\w.+-]*(?:/[\w.+-]+)+\.\w+")
_CHECKOUT = "testbed/"
"""The folder that these sessions checked their project out into."""


def in_project(path: str) -> str:
    """A path as the project says it."""
    return path.rpartition(_CHECKOUT)[2].lstrip("./")


def first_ten(paths: Iterable[str]) -> list[str]:
    """The first ten files that are no tests, each once."""
    return list(dict.fromkeys(path for path in paths if path and "test" not in path))[:TEN]


def measure(memory: Memory, task: dict[str, Any], budget: int) -> float:
    """The share of the fix's files that are named."""
    text = memory.recall.plan(task=task["problem"][:6_000], budget=budget).text
    wanted = set(task["files"])
    return len(wanted.intersection(first_ten(map(in_project, _PATH.findall(text))))) / len(wanted)


def reach(memory: Memory, task: dict[str, Any]) -> float:
    """The share of the fix's files that an earlier session changed or read."""
    touched = {
        in_project(path) for it in memory.sessions.digests() for path in (*it.changed, *it.read)
    }
    return len(touched.intersection(task["files"])) / len(set(task["files"]))


def main(arguments: Sequence[str]) -> None:
    """Capture every project's sessions, and ask for its tasks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--budget", type=int, default=BUDGET)
    options = parser.parse_args(arguments)
    found: list[float] = []
    reached: list[float] = []
    with unpacked(options.file) as root:
        tasks = json.loads((root / "tasks.json").read_text("utf-8"))
        for project in sorted({task["repo"] for task in tasks}):
            with temporary_memory() as memory:
                for file in sorted((root / project).glob("*.jsonl"), key=started):
                    captured(memory, file, int(file.stem))
                asked = [task for task in tasks if task["repo"] == project]
                found += [measure(memory, task, options.budget) for task in asked]
                reached += [reach(memory, task) for task in asked]
    print(f"files of a later fix, {options.budget:,} tokens ({len(found)} tasks)")
    for name, shares in ((f"first {TEN} files", found), ("reach", reached)):
        hits = mean(share > 0 for share in shares)
        print(f"  {name:14} recall {mean(shares):.1%}, a hit in {hits:.1%}")


if __name__ == "__main__":
    main(sys.argv[1:])
