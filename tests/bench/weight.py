"""The bytes that memory takes in files: `python -m tests.bench.weight [--sizes 10k,50k,1m]`.

The records alone, as they are laid out for every measurement; the index is measured too where it
is built (`--index`), which takes longer.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from store import open_memory
from tests.bench.__main__ import parse_sizes
from tests.bench.generate import write_store


def weight(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def main(arguments: Sequence[str]) -> None:
    """Lay out a store of each size, and print what it weighs."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.weight", description=__doc__)
    parser.add_argument("--sizes", type=parse_sizes, default=[10_000, 50_000])
    parser.add_argument("--index", action="store_true")
    options = parser.parse_args(arguments)
    for size in options.sizes:
        with tempfile.TemporaryDirectory() as temporary:
            folder, cache = Path(temporary) / "memory", Path(temporary) / "cache"
            write_store(folder, size)
            held = weight(folder)
            line = f"{size:,} memories: {held / 1e6:,.1f} MB, {held / size:,.0f} bytes each"
            if options.index:
                with open_memory(folder, cache=cache) as memory:
                    memory.index.refresh()
                line += f"; index {weight(cache) / 1e6:,.1f} MB"
            print(line, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
