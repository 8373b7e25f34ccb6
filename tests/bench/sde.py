"""Whether recall tells the decision that a bug report hinges on.

    python -m tests.bench.sde FILE [--budget TOKENS]

FILE is a tar (xz) of conversations in order of time, `sessions/*.jsonl`, and `tasks.json`: bug
reports, each with the rule that its right fix follows and the conversations that decided it.
Counted: reports for which something of the right conversation is told; of the rule's words that the
report does not have, the share that is told from there; where a later conversation amends the rule,
whether that one is told.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean
from typing import Any

from store import Memory
from tests.bench.unpacked import captured, temporary_memory, unpacked

BUDGET = 1_500
_WORD = re.compile(r"[a-z0-9_.%+:-]*[a-z0-9_%+]+")
_ENDING = re.compile(r"(ing|ies|ied|es|ed|s)$")
_STOP = frozenset(
    """
    the and for not are but was only with any all its that this from must never may into than then
    when where which who
    """.split()
)


@dataclass(slots=True)
class Tally:
    """What was measured, a value for each report."""

    hit: list[bool] = field(default_factory=list)
    said: list[float] = field(default_factory=list)
    last: list[bool] = field(default_factory=list)


def words(text: str) -> set[str]:
    """The words of a text that say something, without their endings."""
    found = (word for word in _WORD.findall(text.lower()) if word not in _STOP)
    return {
        _ENDING.sub("", word) if len(word) > 4 else word
        for word in found
        if len(word) > 2 or word.isdigit()
    }


def conversations(root: Path) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for path in sorted((root / "sessions").glob("*.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            record = json.loads(line)
            content = record["message"]["content"]
            text = content if isinstance(content, str) else content[0]["text"]
            found.setdefault(record["sessionId"], set()).update(words(text))
    return found


def measure(
    memory: Memory, task: dict[str, Any], said: dict[str, set[str]], budget: int, to: Tally
) -> None:
    """Ask for one report, and see what is told of its rule."""
    right = task["sessions"]
    decided = set().union(*(said.get(session, set()) for session in right))
    wanted = (words(task["policy"]) & decided) - words(task["task"])
    included = memory.recall.plan(task=task["task"], budget=budget).included
    told = [it for it in included if it.observation.session_id in right]
    heard = set().union(*(words(it.text) for it in told))
    to.hit.append(bool(told))
    to.said.append(len(wanted & heard) / max(1, len(wanted)))
    if task["amended"]:
        to.last.append(any(it.observation.session_id == right[-1] for it in told))


def main(arguments: Sequence[str]) -> None:
    """Capture the conversations in order, and ask for every report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--budget", type=int, default=BUDGET)
    options = parser.parse_args(arguments)
    tally = Tally()
    with unpacked(options.file) as root, temporary_memory() as memory:
        for file in sorted((root / "sessions").glob("*.jsonl")):
            captured(memory, file, 0)
        said = conversations(root)
        for task in json.loads((root / "tasks.json").read_text("utf-8")):
            measure(memory, task, said, options.budget, tally)
    print(f"decisions for bug reports, {options.budget:,} tokens ({len(tally.hit)} reports)")
    amended = f", the later of two in {mean(tally.last):.1%}" if tally.last else ""
    print(f"  right conversation in {mean(tally.hit):.1%}, said {mean(tally.said):.1%}{amended}")


if __name__ == "__main__":
    main(sys.argv[1:])
