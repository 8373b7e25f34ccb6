"""A run of the bench as a table, as JSON, and compared to an earlier run."""

from __future__ import annotations

import json
import os
import platform
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from tests.bench.measure import Figure

Earlier = Mapping[tuple[str, int], float]
"""The medians of an earlier run, by name and size."""

_PACKAGES = ("memtui", "tantivy", "pydantic", "orjson", "textual", "bm25s")
_HEADINGS = ("", "median", "p95", "runs", "target", "", "ratio", "before")


def table(figures: Iterable[Figure], earlier: Earlier | None = None) -> str:
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
        "packages": {name: found for name in _PACKAGES if (found := _version(name))},
        "load": round(os.getloadavg()[0], 1) if sys.platform != "win32" else None,
    }


def write_json(path: Path, figures: Iterable[Figure]) -> None:
    """Write the run so that `--compare` can read it."""
    run = {"machine": machine(), "figures": [figure.record() for figure in figures]}
    path.write_text(json.dumps(run, indent=2) + "\n", encoding="utf-8")


def read_json(path: Path) -> Earlier:
    """The medians of a run written by `write_json`."""
    run = json.loads(path.read_text(encoding="utf-8"))
    return {(figure["name"], figure["size"]): figure["median"] for figure in run["figures"]}


def _row(figure: Figure, medians: Earlier, earlier: Earlier) -> tuple[str, ...]:
    base = medians.get((figure.per, figure.size))
    before = earlier.get(figure.key)
    target = str(figure.target)
    return (
        figure.name,
        f"{_number(figure.median)} {figure.unit}",
        _number(figure.p95),
        str(figure.runs),
        target,
        ("ok" if figure.keeps_target(base) else "OVER") if target else "",
        f"{figure.median / base:.2f}x" if base else "",
        f"{figure.median / before:.2f}x" if before else "",
    )


def _number(value: float) -> str:
    """Three digits that say something."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _aligned(row: Sequence[str], widths: Sequence[int]) -> str:
    """The first column to the left, the others to the right."""
    cells = [row[0].ljust(widths[0])]
    cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
    return "  ".join(cells).rstrip()


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
