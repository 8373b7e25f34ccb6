"""A run of the bench as a table, as JSON, and compared to an earlier run."""

from __future__ import annotations

import json
import os
import platform
import sqlite3
import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from tests.bench.measure import Figure, Medians

_PACKAGES = ("memtui", "tantivy", "pydantic", "orjson", "textual")
_COUNTERS = ("splintr-rs", "ctok")
"""The packages of the extra `tokens`: with them tokens are counted, without estimated."""
_VERDICTS = {True: "ok", False: "OVER", None: ""}
_HEADINGS = ("", "median", "p95", "runs", "target", "", "ratio", "before")


def table(figures: Iterable[Figure], earlier: Medians | None = None) -> str:
    """The figures in aligned columns, a block for each size.

    `ratio` is the median over that of the series it is measured against; `before` the median over
    that of the earlier run.
    """
    kept = list(figures)
    medians = {figure.key: figure.median for figure in kept}
    lines: list[str] = []
    for size in dict.fromkeys(figure.size for figure in kept):
        rows = [_HEADINGS] + [
            _row(figure, medians, earlier or {}) for figure in kept if figure.size == size
        ]
        widths = [max(len(row[at]) for row in rows) for at in range(len(_HEADINGS))]
        lines += ["", f"{size:,} observations", ""]
        lines += [_aligned(row, widths) for row in rows]
    return "\n".join(lines).strip("\n")


def machine() -> dict[str, Any]:
    """The kind of machine and the versions that the figures hold for, and the date."""
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "cores": os.cpu_count(),
        "memory": _memory(),
        "packages": {name: found for name in _PACKAGES if (found := _version(name))},
        "installation": _installation(),
        "load": round(os.getloadavg()[0], 1) if sys.platform != "win32" else None,
        "sqlite": sqlite3.sqlite_version,
    }


def _installation() -> str:
    """Whether the optional counters of tokens are there, which make a recall slower."""
    counters = [f"{name} {found}" for name in _COUNTERS if (found := _version(name))]
    return f"with [tokens]: {', '.join(counters)}" if counters else "without [tokens]"


def write_json(path: Path, about: dict[str, Any], figures: Iterable[Figure]) -> None:
    """Write the run so that `--compare` and the page can read it: a line for each figure.

    `about` is the machine, as it was before the run: with it, the load tells of other work only.
    """
    lines = ",\n".join(json.dumps(figure.record(), ensure_ascii=False) for figure in figures)
    run = f'{{"machine": {json.dumps(about)},\n"figures": [\n{lines}\n]}}\n'
    path.write_text(run, encoding="utf-8")


def read_run(path: Path) -> tuple[dict[str, Any], list[Figure]]:
    """The machine and the figures of a run written by `write_json`."""
    run = json.loads(path.read_text(encoding="utf-8"))
    return run["machine"], [Figure.of(record) for record in run["figures"]]


def read_json(path: Path) -> Medians:
    """The medians of a run written by `write_json`."""
    run = json.loads(path.read_text(encoding="utf-8"))
    return {(figure["name"], figure["size"]): figure["median"] for figure in run["figures"]}


def _row(figure: Figure, medians: Medians, earlier: Medians) -> tuple[str, ...]:
    base = medians.get((figure.per, figure.size))
    before = earlier.get(figure.key)
    return (
        figure.name,
        f"{number(figure.median)} {figure.unit}",
        number(figure.p95),
        str(figure.runs),
        figure.wanted(),
        _VERDICTS[figure.keeps_target(medians)],
        f"{figure.median / base:.2f}x" if base else "",
        f"{figure.median / before:.2f}x" if before else "",
    )


def number(value: float) -> str:
    """Three digits that say something."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _aligned(row: Sequence[str], widths: Sequence[int]) -> str:
    """The first column to the left, the others to the right."""
    cells = [row[0].ljust(widths[0])]
    cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
    return "  ".join(cells).rstrip()


def _memory() -> str | None:
    """The machine's memory, where the system tells."""
    try:
        pages, size = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError):
        return None
    return f"{pages * size / 2**30:.0f} GiB"


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
