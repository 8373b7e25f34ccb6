"""The benches of quality, each on its data where that is: what is recalled, not how fast."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from tests.bench import recall, sde, swe, usefulness, worth

BENCHES: tuple[tuple[str, Callable[[Sequence[str]], None]], ...] = (
    ("locomo*.json", recall.main),
    ("sessions-*.json.xz", usefulness.main),
    ("sde-*.tar.xz", sde.main),
    ("swe-context-*.tar.xz", swe.main),
    ("worth", worth.main),
)
"""The name of each bench's data, and what measures it. The data is others', and stays outside."""


def run(folder: Path) -> list[str]:
    """Run every bench whose data lies in a folder; a sentence for each that was skipped."""
    skipped = []
    for pattern, bench in BENCHES:
        files = sorted(folder.glob(pattern))
        if not files:
            skipped.append(f"Skipped: there is no {pattern} in {folder}.")
        for file in files:
            bench([str(file)])
    return skipped
