"""The page of benchmarks, made from a run: `python -m tests.bench.page [FILE] [FOLDER]`.

FILE is what `python -m tests.bench --json FILE` wrote (docs/benchmarks.json); `benchmarks.md` is
written to FOLDER (docs), from `page.md` beside this module: a line `{name …}` there stands for the
table of the measurements of these names. A run of newer code at one size
(docs/benchmarks-since.json) tells its targets first.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from tests.bench.measure import AIMED_AT, IMPORTING, Figure, Medians
from tests.bench.report import number, read_run

DOCS = Path(__file__).parents[2] / "docs"
RUN = DOCS / "benchmarks.json"
TEMPLATE = Path(__file__).with_name("page.md")
_TABLE = re.compile(r"^\{([a-z_ ]+)\}$", re.M)

_PACE = f" `python -c '{IMPORTING}'` took {{}} to {{}} ms beside the measurements."
_UNEVEN = " The machine changed its pace meanwhile: figures of one measurement hold together."
_AWAKE = """ Its processors were kept awake (a loop in the idle time of each): one that
sleeps wakes slowly and by chance, a host gives its caches to others, and durations with much code
become nearly twice as long (`--asleep`)."""
_STEADY = 1.25
"""How many times its quickest a machine's pace may be and still be called steady."""
_BUSY = " The machine was busy with other work too (load {:g}): durations are longer than alone."
_UNSAID = " Which installation it was is not recorded."
_SINCE = """\
The rest of this page is an earlier run of all sizes, but for what that lacks. Since then sessions
are recalled too, and what is shown is screened for secrets.
This run is of {date}, installed {installation}."""
_Run = tuple[dict[str, Any], list[Figure]]


def page(machine: dict[str, Any], figures: Sequence[Figure], since: _Run | None = None) -> str:
    """The page in Markdown; `since` is a run of newer code at one size, whose targets are told
    first, and which has the tables that the whole run lacks. Raises `ValueError` for a measurement
    that the template has no place for.
    """
    template = TEMPLATE.read_text(encoding="utf-8")
    order = [name for names in _TABLE.findall(template) for name in names.split()]
    if unknown := {figure.measurement for figure in figures}.difference(order):
        raise ValueError(f"{TEMPLATE} has no place for {', '.join(sorted(unknown))}")
    ordered = sorted(figures, key=lambda figure: order.index(figure.measurement))
    medians = {figure.key: figure.median for figure in figures}

    def table(names: re.Match[str]) -> str:
        if names[1] == "targets":
            newer = [_targets_since(*since), ""] if since else []
            return "\n".join([*newer, _targets(ordered, medians)])
        runs = (figures, since[1] if since else [])
        mine = ([it for it in run if it.measurement in names[1].split()] for run in runs)
        return _table(next(filter(None, mine), []))

    return _TABLE.sub(table, template).replace("{about}", _about(machine) + _pace(figures))


def _about(machine: dict[str, Any]) -> str:
    """On what kind of machine a run was measured, how and when."""
    cores, load = machine["cores"], machine["load"] or 0
    packages = {**machine["packages"], "SQLite": machine.get("sqlite")}
    parts = (f"{cores} cores", machine.get("memory"), machine["system"])
    installation = machine.get("installation")
    return "".join(
        (
            ", ".join(filter(None, (*parts, f"Python {machine['python']}"))),
            f". {machine['date']}. ",
            ", ".join(f"{name} {version}" for name, version in packages.items() if version),
            ".",
            f" Installed {installation}." if installation else _UNSAID,
            _AWAKE if machine.get("awake") else "",
            _BUSY.format(load) if load > cores else "",
        )
    )


def _pace(figures: Sequence[Figure]) -> str:
    """How quick the machine was, and whether it stayed so; nothing where the run does not tell."""
    low, high = min(it.pace for it in figures), max(it.pace for it in figures)
    if not low:
        return ""
    said = _PACE.format(number(low), number(high))
    return said + _UNEVEN if high > low * _STEADY else said


def _targets(figures: Sequence[Figure], medians: Medians) -> str:
    """What each figure must keep to, at the size that is aimed at and beyond."""
    aimed = max((it.size for it in figures if it.size <= AIMED_AT), default=0)
    rows = [
        (
            figure.name,
            f"{figure.size:,}",
            figure.wanted(),
            ", ".join((_measured(figure), *_compared(figure, medians))),
            "yes" if kept else "**no**",
        )
        for figure in figures
        if figure.size >= aimed and (kept := figure.keeps_target(medians)) is not None
    ]
    missed = sum(row[-1] != "yes" for row in rows)
    said = "All are met." if not missed else f"{len(rows) - missed} of {len(rows)} are met."
    header = ("what", "observations", "target", "measured", "met")
    return f"## Targets\n\n{said}\n\n{_grid(header, rows, numbers=False)}"


def _targets_since(machine: dict[str, Any], figures: Sequence[Figure]) -> str:
    """What newer code keeps to and what not, at the one size that it was measured at."""
    medians = {figure.key: figure.median for figure in figures}
    size = max(it.size for it in figures)
    told = _targets(figures, medians).removeprefix("## Targets\n\n")
    return f"## Newer code, {size:,} alone\n\n{_SINCE.format(**machine)} {told}"


def _measured(figure: Figure) -> str:
    if figure.runs == 1 or figure.unit.endswith("/s"):
        return f"{number(figure.median)} {figure.unit}"
    return f"{number(figure.median)} / {number(figure.p95)} {figure.unit}"


def _compared(figure: Figure, medians: Medians) -> Iterator[str]:
    """The median beside those that its target speaks of."""
    target, per = figure.target, medians.get((figure.per, figure.size))
    size, first = figure.smallest(medians)
    if target.over is not None and per:
        yield f"{number(figure.median - per)} {figure.unit} over it"
    if (target.times or target.at_least_times) and per:
        yield f"{number(figure.median / per)} ×"
    if floor := medians.get((target.floor, figure.size)):
        yield f"{number(figure.median / floor)} × {target.floor}"
    if beside := medians.get((target.beside, figure.size)):
        yield f"{number(figure.median / beside)} × {target.beside}"
    if target.linear and first:
        yield f"{number(figure.median / figure.size / (first / size))} × each of {size:,}"


def _table(figures: Sequence[Figure]) -> str:
    """A row for each series, a column for each size; one column where the size plays no part."""
    sizes = sorted({figure.size for figure in figures})
    cells = {figure.key: _measured(figure) for figure in figures}
    rows = [
        (name, *(cells.get((name, size), "") for size in sizes))
        for name in dict.fromkeys(figure.name for figure in figures)
    ]
    heads = [f"{size:,}" for size in sizes] if len(sizes) > 1 else ["measured"]
    return _grid(("what", *heads), rows)


def _grid(header: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: bool = True) -> str:
    """A table; `numbers` stand at the right, all but the first column."""
    rule = ["---", *("---:" if numbers else "---" for _ in header[1:])]
    return "\n".join(_line(cells) for cells in (header, rule, *rows))


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def main(arguments: Sequence[str]) -> int:
    """Write the page; see the module's docstring for the arguments."""
    if len(arguments) > 2:
        print(__doc__)
        return 2
    run = Path(arguments[0]) if arguments else RUN
    folder = Path(arguments[1]) if len(arguments) > 1 else DOCS
    newer = run.with_name(f"{run.stem}-since.json")
    text = page(*read_run(run), read_run(newer) if newer.exists() else None)
    (folder / "benchmarks.md").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
