"""How much of a session capture keeps: `python -m tests.bench.capture DIR [--show]`.

DIR holds one folder for each session: the transcript `full.jsonl`, and `metadata.json` whose
`files_touched` names what the commit that followed changed. Printed are the share of those files
that a captured `code-change` names, the code changes for each file really changed, and the time.
`--show` prints what was captured; `--skipped` also what was not, and why.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

from store.capture.formats import read_session
from store.capture.plan import CapturePlan, plan_capture
from store.model import Category
from store.settings import Settings


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


def main(arguments: list[str]) -> int:
    """Print the figures; see the module's docstring for the arguments."""
    folders = [Path(each) for each in arguments if not each.startswith("--")]
    if not folders:
        print(__doc__)
        return 2
    touched = named = changes = 0
    missed: list[str] = []
    categories: Counter[str] = Counter()
    began = time.perf_counter()
    size = 0
    for path in sorted(folders[0].glob("*/full.jsonl")):
        plan = capture(path)
        size += path.stat().st_size
        texts = [
            each.observation.content
            for each in plan.kept
            if each.observation.category == Category.CODE_CHANGE
        ]
        meta = json.loads((path.parent / "metadata.json").read_bytes())
        for file in meta.get("files_touched", ()):
            touched += 1
            if any(file in text for text in texts):
                named += 1
            else:
                missed.append(f"{path.parent.name}: {file}")
        changes += len(texts)
        categories.update(each.observation.category for each in plan.kept)
        if "--show" in arguments or "--skipped" in arguments:
            show(path.parent.name, plan, skipped="--skipped" in arguments)
    seconds = time.perf_counter() - began
    print(
        f"files named {named} of {touched}; code changes {changes}, "
        f"{changes / max(1, touched):.2f} for each file really changed"
    )
    print(f"{dict(categories)}; {size / 1e6:.1f} MB in {seconds:.2f} s")
    print("\n".join(missed))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
