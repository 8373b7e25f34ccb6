"""How much of a session capture keeps: `python -m tests.bench.capture DIR [--show]`.

DIR holds one folder for each session: the transcript `full.jsonl`, and `metadata.json` whose
`files_touched` names what the commit that followed changed. Printed are the share of those files
that something captured names, the code changes for each file really changed, and the time.
`--show` prints what was captured; `--skipped` also what was not, and why.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from store.agents.reading import read_session
from store.capture.plan import CapturePlan, plan_capture
from store.model import Category
from store.settings.schema import Settings


def capture(path: Path) -> CapturePlan:
    """The capture plan of a transcript file, for an empty memory."""
    with path.open("rb") as lines:
        return plan_capture(
            read_session(lines),
            issue=0,
            held=(),
            now=datetime(2026, 1, 1, tzinfo=UTC),
            settings=Settings(),
        )


def show(name: str, plan: CapturePlan, *, skipped: bool) -> None:
    """Print what a plan keeps, and on demand what it skips."""
    print(f"\n=== {name}: {len(plan.kept)} kept, {len(plan.skipped)} skipped")
    for number, each in enumerate(plan.kept, 1):
        observation = each.observation
        print(f"[{number}] {observation.category}: {observation.content[:600]}")
    for item in plan.skipped if skipped else ():
        print(f"  - ({item.reason}) {item.text[:160]}")


@dataclass(slots=True)
class Measured:
    """The figures of many sessions, and the files that nothing captured names."""

    touched: int = 0
    named: int = 0
    changes: int = 0
    size: int = 0
    missed: list[str] = field(default_factory=list)
    categories: Counter[str] = field(default_factory=Counter)

    def add(self, name: str, plan: CapturePlan, files: Sequence[str]) -> None:
        """Count a session's plan against the files that were really changed."""
        texts = [each.observation.content for each in plan.kept]
        missed = [file for file in files if not any(file in text for text in texts)]
        self.touched += len(files)
        self.named += len(files) - len(missed)
        categories = [str(each.observation.category) for each in plan.kept]
        self.changes += categories.count(Category.CODE_CHANGE)
        self.missed += [f"{name}: {file}" for file in missed]
        self.categories.update(categories)

    @property
    def changes_per_file(self) -> float:
        """The code changes for each file really changed."""
        return self.changes / max(1, self.touched)


def sessions(folder: Path) -> Iterator[tuple[Path, list[str]]]:
    """The transcripts of a folder, each with the files that its commit changed."""
    for path in sorted(folder.glob("*/full.jsonl")):
        meta = json.loads((path.parent / "metadata.json").read_bytes())
        yield path, list(meta.get("files_touched", ()))


def main(arguments: list[str]) -> int:
    """Print the figures; see the module's docstring for the arguments."""
    folders = [Path(each) for each in arguments if not each.startswith("--")]
    if not folders:
        print(__doc__)
        return 2
    measured = Measured()
    began = time.perf_counter()
    for path, files in sessions(folders[0]):
        plan = capture(path)
        measured.size += path.stat().st_size
        measured.add(path.parent.name, plan, files)
        if "--show" in arguments or "--skipped" in arguments:
            show(path.parent.name, plan, skipped="--skipped" in arguments)
    seconds = time.perf_counter() - began
    print(
        f"files named {measured.named} of {measured.touched}; code changes {measured.changes}, "
        f"{measured.changes_per_file:.2f} for each file really changed"
    )
    print(f"{dict(measured.categories)}; {measured.size / 1e6:.1f} MB in {seconds:.2f} s")
    print("\n".join(measured.missed))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
