"""The bench: `python -m tests.bench [--sizes 1k,10k,50k] [--large] [--only WORD,…] [--json FILE]`.

Everything is measured in one run, on the same generated data, so that ratios hold on a noisy
machine; each measurement in a process of its own, whose memory no other has left in pieces, and
on processors that are kept awake.
`--compare FILE` shows the ratio to an earlier run's `--json`.
"""

from __future__ import annotations

import argparse
import sys
from contextlib import nullcontext
from pathlib import Path

from tests.bench.awake import awake
from tests.bench.measure import IMPORTING, Figure
from tests.bench.report import machine, number, read_json, table, write_json
from tests.bench.running import chosen, measured

LARGE = 1_000_000


def main(arguments: list[str] | None = None) -> int:
    """Run the bench and print its table."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if not chosen(options.only):
        names = ", ".join(it.__name__ for it in chosen())
        parser.error(f"no measurement is named like {options.only!r}; there are {names}")
    earlier = read_json(options.compare) if options.compare else None
    about = machine()
    figures: list[Figure] = []
    with nullcontext(False) if options.asleep else awake() as kept:
        about["awake"] = kept
        for size in [*options.sizes, *([LARGE] if options.large else [])]:
            figures += measured(size, options.only, first=not figures)
            if options.json:  # what is measured is kept, should a larger size be stopped
                write_json(options.json, about, figures)
    print(table(figures, earlier))
    print()
    print(", ".join(f"{name} {value}" for name, value in about.items() if name != "packages"))
    paces = sorted(figure.pace for figure in figures)
    print(f"`{IMPORTING}`: {number(paces[0])} to {number(paces[-1])} ms")
    return 0


def parse_size(text: str) -> int:
    """`500`, `10k` or `1m` as a number. Raises `ValueError`."""
    factor = {"k": 1_000, "m": 1_000_000}.get(text[-1:].lower(), 1)
    number = int(text[:-1] if factor > 1 else text) * factor
    if number < 1:
        raise ValueError(f"{text} is no size")
    return number


def parse_sizes(text: str) -> list[int]:
    """Sizes with commas between. Raises `argparse.ArgumentTypeError`."""
    try:
        return [parse_size(part.strip()) for part in text.split(",")]
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r}: write sizes like 1k,10k") from error


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--sizes", type=parse_sizes, default=[1_000, 10_000, 50_000])
    parser.add_argument("--large", action="store_true", help="also a million observations")
    parser.add_argument("--only", default="", metavar="WORD,…", help="measurements named so")
    parser.add_argument("--asleep", action="store_true", help="let processors sleep meanwhile")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the run as JSON")
    parser.add_argument("--compare", type=Path, metavar="FILE", help="an earlier run's JSON")
    return parser


if __name__ == "__main__":
    sys.exit(main())
