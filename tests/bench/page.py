"""The page of benchmarks, made from a run: `python -m tests.bench.page [FILE] [FOLDER]`.

FILE is what `python -m tests.bench --json FILE` wrote (docs/benchmarks.json); `benchmarks.md` and
`benchmarks.svg` are written to FOLDER (docs). Where a run with the extra `tokens` lies beside it
(docs/benchmarks-tokens.json), its figures stand beside those of the same code without
(docs/benchmarks-default.json), else of FILE; one of newer code at one size
(docs/benchmarks-since.json) tells its targets first.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.bench.measure import AIMED_AT, IMPORTING, NEAR, Figure, Medians
from tests.bench.picture import picture
from tests.bench.report import number, read_run

DOCS = Path(__file__).parents[2] / "docs"
RUN = DOCS / "benchmarks.json"


@dataclass(frozen=True, slots=True)
class Part:
    """A table of the page, about some measurements, and what must be known to read it."""

    title: str
    measurements: tuple[str, ...]
    prose: str


PARTS = (
    Part(
        "Writing",
        ("storing", "storing_into_the_project"),
        """\
`store()` returns when the batch is durable: the issue's file is written beside itself, synced,
renamed, and its folder synced. The **bare durable replace** does only that, with the same bytes of
the same file, right after: it is the floor. Index and manifest are settled after the answer, and
measured apart.

The **SPEC-29 store** writes as that specification describes (§2.2): under a lock file each, it
reads the issue's file, appends, writes it, then reads the manifest, appends, writes it, indented,
with Python's own `json`, and syncs nothing. **Kept in memory, orjson** is the same at its
strongest: the manifest is never read, as if nobody else wrote it, and the fastest encoder writes
it. What is left there is the cost of the design: a file that grows with all of memory is written
for every batch. It is faster than we are while that file is small, since it does not wait for the
disk.""",
    ),
    Part(
        "Searching",
        ("typing", "searching", "getting"),
        """\
A key typed asks for 50 rows with their marks; every beginning of a query is asked, one letter
included. Beside the peers the queries are of one to three finished words, and each has to rank,
give 50 rows and count all that is found by agent and category. With its facets, a key typed counts
issues and tags too. What stands in the box is asked in three processes, the median of each counts,
and the p95 is that of what is asked.

- **SQLite FTS5** stems with porter, has an index of prefixes, gives snippets; in a file, optimised,
  counting from a narrow table, with all its pages in memory.
- **bm25s** with PyStemmer finds any of the words rather than all, knows no prefixes, and keeps
  everything in memory; counts are made with its scores.
- **The keyword overlap** of SPEC-29 §5.3 counts the query's words in each summary, 20 rows; the
  summaries' words are made ready beforehand.""",
    ),
    Part(
        "Recall and compaction",
        ("recalling", "recalling_sessions", "compacting"),
        """\
A recall is planned as the preview asks for it, from the index alone, no two about the same; then
something about it is **changed**, as the preview's keys do: budget, channel, a mute. Each is
planned in three processes, as above; and in one whose memory has taken in **300 sessions**.
Commands first **look at all files**, whether any changed.
Compaction is planned for the whole store, all files read; a tenth of it was learned twice.""",
    ),
    Part(
        "Opening",
        ("opening", "catching_up", "building"),
        "Opening compares each file with what the index saw last; building reads and checks all.",
    ),
    Part(
        "What grows behind it",
        ("looking", "journalling", "prompting", "few_words"),
        """\
A command looks at the stat of each file, of which bare stats are the floor; so does who **asks
again**. The journal of operations and the log are kept as long as
their settings say: neither may slow a write or a prompt. Where a memory has **200 words** in all,
each query finds thousands, and the rows have never been shown before.""",
    ),
    Part(
        "Sessions",
        ("sessions",),
        "A memory of its own takes in 300 sessions of 120 MB, lists them, and opens one of 4 MB.",
    ),
    Part(
        "Serving",
        ("serving_mcp", "serving_http"),
        """\
`memtui mcp` is timed from the start of its process to the answer to `initialize`, and weighed after
twenty searches. Over HTTP, `memory.get_context` is asked 100 times a second for 20 seconds, by
sixteen callers; each answer is timed from the moment at which its question was due, so that a
server that falls behind shows.""",
    ),
    Part(
        "A database",
        ("postgres",),
        """\
The same memory in a PostgreSQL of this machine, which syncs each commit. Its index is built from
nothing in turn with that of the files, and both are asked the same queries. **Elsewhere** another
program adds a memory; who looks every 1.5 seconds, as the app does, finds it. The **bare INSERT**
puts ten rows into a table with our columns and indexes in one statement, and commits.""",
    ),
    Part(
        "Commands",
        ("commands", "hooks", "capturing"),
        """\
Whole processes, from the start of Python to the exit code, in turn with a Python that imports
tantivy and pydantic and ends. Hooks run in a repository, each in a new session, asked about what a
memory holds. The transcript that is captured is another session each time, with
the shape of a real one of Claude Code.""",
    ),
    Part(
        "The app",
        ("app",),
        """\
In a terminal of 120x36, beside a Textual app with as many widgets that does nothing: Textual's own
cost is the floor. The floor of first results is **rows of the index**: the bare app showing the
newest fifty of ours, read by tantivy alone, which looks at no file and counts nothing. No app of
these libraries can show results before that, so first results may take 1.2 times as long as that
does, or 1.25 times as long as a bare first frame, whichever is more.""",
    ),
    Part(
        "Imports",
        ("importing",),
        "Whole processes that import and end, with the most memory each ever held.",
    ),
)

_INTRODUCTION = """\
# Benchmarks

Everything here was measured in one run, on generated memories of a busy project (150 to 900
characters each, eight agents, a thirtieth as many issues, a fifth of all in issue 0), ours and the
others in turn, after a warm-up, each measurement in a process of its own. Ratios say more than
figures: on another machine all of them move together, those of Python (see Imports) further than
those of tantivy and SQLite.

*{kind}. {date}. {packages}.{installation}{pace}{awake}{busy}*

Cells are `median / p95`.{large}

![Cost against size on logarithmic axes, a line for each way to do it](benchmarks.svg)
"""

_LARGE = """ A million is there for the curve: what is slow at that size or keeps all texts in
memory is left out."""
_PACE = f" `python -c '{IMPORTING}'` took {{}} to {{}} ms beside the measurements."
_UNEVEN = " The machine changed its pace meanwhile: figures of one measurement hold together."
_AWAKE = """ Its processors were kept awake (a loop in the idle time of each): one that
sleeps wakes slowly and by chance, a host gives its caches to others, and durations with much code
become nearly twice as long (`--asleep`)."""
_STEADY = 1.25
"""How many times its quickest a machine's pace may be and still be called steady."""
_BUSY = "The machine was busy with other work too (load {:g}): durations are longer than alone."
_TOKENS = """\
## With `[tokens]`

The optional packages of the extra `tokens` count a client's tokens instead of estimating them
({installation}); hooks estimate in either. {said}:"""
_SAME = """Of the same code, one run after the other (Python {python}, load {load:g} and
{without:g} before each)"""
_OTHER = "The same measurements in such an installation, beside those above"
_UNSAID = " Which installation it was is not recorded."
_AGAIN = """\
## Again

```bash
.venv/bin/pip install -e '.[dev,bench]'
.venv/bin/python -m tests.bench --large --json docs/benchmarks.json   # all of it
.venv/bin/python -m tests.bench.page                                  # this page from it
.venv/bin/python -m tests.bench --sizes 10k --only searching          # one measurement
.venv/bin/python -m tests.bench --compare docs/benchmarks.json        # beside an earlier run
.venv/bin/pip install -e '.[tokens]'                                  # and with counters:
.venv/bin/python -m tests.bench --sizes 50k --only recalling,commands,capturing \\
    --json docs/benchmarks-tokens.json                                # before: -default.json
```
"""

_SINCE = """\
The rest of this page is an earlier run of all sizes. Since then sessions are recalled too, and what
is shown is screened for secrets. This run is of {date}, installed {installation}."""
_BESIDE = ("tokens", "since", "default")
"""The endings of the names of the runs that may lie beside the whole one."""
_Run = tuple[dict[str, Any], list[Figure]]


def page(
    machine: dict[str, Any],
    figures: Sequence[Figure],
    with_tokens: _Run | None = None,
    since: _Run | None = None,
    default: _Run | None = None,
) -> str:
    """The page in Markdown; `with_tokens` is the run of an installation with the extra, `default`
    one of the same code without, `since` one of newer code at one size, whose targets are told
    before those of the whole run.
    """
    medians = {figure.key: figure.median for figure in figures}
    known = {name for part in PARTS for name in part.measurements}
    others = sorted({figure.measurement for figure in figures} - known)
    parts = [*PARTS, *(Part(name.capitalize(), (name,), "") for name in others)]
    large = _LARGE if any(figure.size > AIMED_AT for figure in figures) else ""
    texts = [_INTRODUCTION.format(large=large, pace=_pace(figures), **_about(machine))]
    order = [name for part in parts for name in part.measurements]
    ordered = sorted(figures, key=lambda figure: order.index(figure.measurement))
    texts += [_targets_since(*since)] if since else []
    texts.append(_targets(ordered, medians))
    for part in parts:
        mine = [figure for figure in figures if figure.measurement in part.measurements]
        if mine:
            texts.append("\n\n".join(filter(None, (f"## {part.title}", part.prose, _table(mine)))))
    if with_tokens:
        texts.append(_beside(medians, default, *with_tokens))
    return "\n".join(f"{text.rstrip()}\n" for text in (*texts, _AGAIN))


def _beside(
    medians: Medians, default: _Run | None, machine: dict[str, Any], figures: Sequence[Figure]
) -> str:
    """The medians of an installation with the extra beside those of one without, at one size."""
    said = _OTHER
    if default is not None:
        medians = {figure.key: figure.median for figure in default[1]}
        said = _SAME.format(without=default[0]["load"], **machine)
    largest = max((it.size for it in figures if it.key in medians), default=0)
    mine = {figure.key: figure.median for figure in figures}
    rows = []
    for it in figures:
        if it.size != largest or it.key not in medians:
            continue
        before, after = medians[it.key], it.median
        cells = [f"{number(before)} {it.unit}", f"{number(after)} {it.unit}"]
        per = (it.per, it.size)
        if it.target.times and per in medians and per in mine:
            # Each beside the floor of its own run: the machine's pace differs between two.
            before, after = before / medians[per], after / mine[per]
            cells = [f"{cells[0]}, {number(before)} ×", f"{cells[1]}, {number(after)} ×"]
        rows.append((it.name, *cells, f"{number(after / before)} ×"))
    header = (f"what, {largest:,} observations", "without", "with", "")
    prose = _TOKENS.format(
        installation=machine["installation"].removeprefix("with [tokens]: "), said=said
    )
    return f"{prose}\n\n{_grid(header, rows)}"


def _about(machine: dict[str, Any]) -> dict[str, str]:
    cores, memory, system = machine["cores"], machine.get("memory"), machine["system"]
    packages = {**machine["packages"], "SQLite": machine.get("sqlite")}
    parts = (f"{cores} cores", memory, system, f"Python {machine['python']}")
    load = machine["load"] or 0
    return {
        "awake": _AWAKE if machine.get("awake") else "",
        "busy": f" {_BUSY.format(load)}" if load > cores else "",
        "kind": ", ".join(part for part in parts if part),
        "date": machine["date"],
        "installation": f" Installed {said}." if (said := machine.get("installation")) else _UNSAID,
        "packages": ", ".join(f"{name} {version}" for name, version in packages.items() if version),
    }


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
            _wanted(figure),
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


def _wanted(figure: Figure) -> str:
    """A figure's target in words."""
    target, unit, per = figure.target, figure.unit, figure.per
    beyond = f" or, where that is more, {NEAR:g} × {target.floor}"
    said = (
        (target.median, f"median ≤ {{:g}} {unit}"),
        (target.p95, f"p95 ≤ {{:g}} {unit}"),
        (target.at_least, f"≥ {{:,.0f}} {unit}"),
        (target.times, f"≤ {{:g}} × {per}{beyond if target.floor else ''}"),
        (target.over, f"≤ {{:g}} {unit} over {per}"),
        (target.at_least_times, f"≥ {{:g}} × {per}"),
        (target.same, f"≤ {{:g}} × {target.beside}"),
        (target.linear, "for each observation ≤ {:g} × the smallest store's"),
    )
    return ", ".join(text.format(limit) for limit, text in said if limit is not None)


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


def write_page(run: Path, folder: Path) -> None:
    """Write page and picture of a run."""
    machine, figures = read_run(run)
    medians = {figure.key: figure.median for figure in figures}
    with_tokens, since, default = (
        read_run(path) if path.exists() else None
        for path in (run.with_name(f"{run.stem}-{kind}.json") for kind in _BESIDE)
    )
    text = page(machine, figures, with_tokens, since, default)
    (folder / "benchmarks.md").write_text(text, encoding="utf-8")
    (folder / "benchmarks.svg").write_text(picture(medians), encoding="utf-8")


def main(arguments: Sequence[str]) -> int:
    """Write the page; see the module's docstring for the arguments."""
    if len(arguments) > 2:
        print(__doc__)
        return 2
    given = [Path(each) for each in arguments]
    write_page(given[0] if given else RUN, given[1] if len(given) > 1 else DOCS)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
